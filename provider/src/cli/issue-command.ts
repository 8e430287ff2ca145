import { Command } from "commander";
import { keepOne, ours } from "./forge/board";
import { asCode, asMarkdown, issueMarkerOf, shownUrl } from "./forge/body";
import { type ForgeFlags, forgeOf, withForge } from "./forge/forge-of";
import { readText } from "./read-text";
import { type Conclude, type ExitCode, exitCode, type Session } from "./session";
import { UsageError } from "./usage-error";

interface IssueFlags extends ForgeFlags {
  readonly title: string;
  readonly file?: string;
  readonly close?: true;
}

const example = `
Examples:
  page-guard drift --stack production > drift.txt
  page-guard issue --title "Drift in production" --file drift.txt
  page-guard issue --title "Drift in production" --close

GitHub: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL. The job needs the permission issues: write.
GitLab: GITLAB_TOKEN (scope api), CI_PROJECT_ID, CI_API_V4_URL.

At most one issue is open for a title. A closed one stays closed; the next run opens a new one.

Exit codes: 0 opened, edited, closed or nothing to do; 1 failed.`;

/** `page-guard issue`: keeps one issue open while a problem lasts. */
export function issueCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("issue")
    .description("Open an issue, edit the existing one, or close it")
    .requiredOption("--title <title>", "title of the issue; it is found by its title")
    .option(
      "--file <file>",
      "its text: Markdown if the name ends in .md, else a block of code; - for standard input",
    )
    .option("--close", "close the issue if it is open");
  return withForge(command)
    .addHelpText("after", example)
    .action((flags: IssueFlags) => conclude(issue(session, flags)));
}

async function issue(session: Session, flags: IssueFlags): Promise<ExitCode> {
  const { title, file, close } = flags;
  if (!/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(title) || title.trim() === "") {
    throw new UsageError("A title is one line of at most 200 characters.");
  }
  if ((file === undefined) === (close === undefined)) {
    throw new UsageError("Give either --file FILE, to open or edit the issue, or --close.");
  }
  const text = file === undefined ? undefined : await readText(session, file);
  const forge = forgeOf(session, flags);
  const board = forge.issues(title);
  const marker = issueMarkerOf(title);
  if (text === undefined) {
    const open = await ours(board, marker);
    for (const { id } of open) await board.close(id);
    const [first] = open;
    session.out(
      first === undefined
        ? `No such issue is open in ${board.name}.\n`
        : `Closed #${first.id} of ${board.name}.${shownUrl(first.url)}\n`,
    );
    return exitCode.fine;
  }
  const body = file?.endsWith(".md") ? asMarkdown(text) : asCode(text);
  const { did, written } = await keepOne(board, marker, forge.fit(`${marker}\n${body}`));
  const verb = { created: "Opened", edited: "Edited", unchanged: "Unchanged:" }[did];
  session.out(`${verb} #${written.id} of ${board.name}.${shownUrl(written.url)}\n`);
  return exitCode.fine;
}
