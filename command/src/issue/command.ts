import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { readTitle } from "../documents/blocks/markdown";
import { forTerminal } from "../documents/escape";
import { asCode } from "../forge/fit-text";
import { byAuthor, chooseForge, type ForgeFlags, onForge } from "../forge/forges";
import { keepOne } from "../forge/keep-one";
import { appendLine } from "../report/runs";
import { readText } from "../shared/read-text";
import { type Conclude, type ExitCode, exitCode, type Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";

const example = `
Examples:
  page-guard drift --stack production > drift.txt
  page-guard issue --key drift --title "Drift in production" --file drift.txt
  page-guard issue --key drift --close

GitHub: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL. The job needs the permission issues: write.
GitLab: GITLAB_TOKEN (scope api), CI_PROJECT_ID, CI_API_V4_URL.

At most one issue is open for a key. A closed issue stays closed, and the next run opens a new one. New parts of the issue's
text are also posted as a comment, because GitHub and GitLab do not notify anybody of an edit.

Exit codes: 0 opened, edited, closed or nothing to do; 1 failed.`;

export function issueCommand(session: Session, conclude: Conclude): Command {
  return new Command("issue")
    .description("Open an issue, update the open issue and post its new parts as a comment, or close it")
    .option("--key <name>", "key by which later runs find the issue (default: its title)")
    .option("--title <title>", "title of the issue (default: the first ## heading of a Markdown file)")
    .option("--file <file>", "text of the issue: Markdown if named *.md, else code; - for standard input")
    .option("--close", "close the issue if it is open")
    .option(
      "--record <dir>",
      "append a line to a file in this folder if the issue was opened, commented on or closed, for use by page-guard report --chain",
    )
    .addOption(onForge)
    .addOption(byAuthor)
    .addHelpText("after", example)
    .action((flags) => conclude(issue(session, flags)));
}

async function issue(
  session: Session,
  flags: ForgeFlags & {
    key?: string;
    title?: string;
    file?: string;
    close?: true;
    record?: string;
  },
): Promise<ExitCode> {
  const { file, close, author, record: folder } = flags;
  if ((file === undefined) === (close === undefined))
    throw new UsageError("Give either --file FILE, to open or edit the issue, or --close.");
  const found = file === undefined ? "" : await readText(session, file);
  const isMarkdown = file?.endsWith(".md") === true;
  const named = flags.title ?? (isMarkdown ? readTitle(found) : undefined);
  // Long names of zones or scripts can make a title too long. Cut it instead of refusing it: the alarm must reach somebody.
  const title = named === undefined ? undefined : forTerminal(named, 200);
  const key = flags.key ?? title;
  if (title?.trim() === "") throw new UsageError("The title needs at least one visible character.");
  if (key !== undefined && !/^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(key))
    throw new UsageError("The key must be one line of at most 200 characters.");
  if (key === undefined || (title === undefined && !close))
    throw new UsageError(
      "Give --key or --title; --file needs --title, unless it is Markdown with a heading.",
    );
  const marker = `<!-- page-guard:issue ${encodeURIComponent(key)} -->`;
  const content = isMarkdown ? found : asCode(found);
  const body = `${marker}\n${content}`;
  const text = title === undefined || close ? undefined : { title, body };
  const forge = chooseForge(session, flags);
  // Create the folder before the first request, so that nothing has changed on the forge if this fails.
  if (folder !== undefined) mkdirSync(resolve(session.cwd, folder), { recursive: true });
  const { did, url: reference } = await keepOne(session, forge, forge.issues, { marker, author, text });
  const isAlert = did === "Created" || did === "Commented on" || did === "Closed";
  if (folder === undefined || !isAlert) return exitCode.fine;
  const when = new Date(session.now()).toISOString();
  const alert = { reference, ...(did === "Closed" && { closedOn: when.slice(0, 10) }) };
  appendLine(session, folder, { when, what: "page-guard issue", alert });
  return exitCode.fine;
}
