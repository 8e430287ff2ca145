import { Command } from "commander";
import { asCode, asMarkdown, issueMarkerOf, shownUrl } from "./forge/body";
import { type ForgeFlags, forgeOf, withForge } from "./forge/forge-of";
import { keepOne, ours } from "./forge/keep-one";
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

One open issue stands for one title; a closed one stays closed, and the next finding opens another.

Exit codes: 0 opened, edited, closed, or nothing to do; 1 could not do it.`;

/** `page-guard issue`: the one open issue about something, as long as it lasts. */
export function issueCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("issue")
    .description("Open an issue, edit the one that is there, or close it")
    .requiredOption("--title <title>", "what it is about; the issue is found by it")
    .option(
      "--file <file>",
      "its text: Markdown where the name ends in .md, else shown as it is; - reads standard input",
    )
    .option("--close", "close it, if it is open");
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
    throw new UsageError("Say either --file FILE, to open or edit the issue, or --close.");
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
  const told = { made: "Opened", edited: "Edited", left: "Open already, word for word:" }[did];
  session.out(`${told} #${written.id} of ${board.name}.${shownUrl(written.url)}\n`);
  return exitCode.fine;
}
