import { Command } from "commander";
import { byAuthor, chooseForge, type ForgeFlags, onForge } from "../forge/forges";
import { keepOne } from "../forge/keep-one";
import { CommandError } from "../shared/command-error";
import { wholeNumber } from "../shared/options";
import { readText } from "../shared/read-text";
import { type Conclude, exitCode, type Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";

const example = `
Examples:
  page-guard review --markdown review.md -- pulumi preview --stack production
  page-guard comment --markdown review.md

GitHub: GITHUB_TOKEN (pull-requests: write), GITHUB_REPOSITORY, GITHUB_EVENT_PATH or --number, GITHUB_API_URL.
GitLab: GITLAB_TOKEN (scope api), CI_PROJECT_ID, CI_MERGE_REQUEST_IID or --number, CI_API_V4_URL.

Each stack has one comment. Later runs find it by its first line and its author, and edit it.

Exit codes: 0 created, edited or unchanged; 1 failed.`;

export function commentCommand(session: Session, conclude: Conclude): Command {
  return new Command("comment")
    .description("Post a review as a comment on the pull or merge request, or edit the existing one")
    .requiredOption("--markdown <file>", "Markdown of review, fleet or inventory check; - for standard input")
    .option("--number <number>", "pull or merge request (default: this CI run's)", wholeNumber(1, 1e9))
    .addOption(onForge)
    .addOption(byAuthor)
    .addHelpText("after", example)
    .action((flags) => conclude(comment(session, flags)));
}

async function comment(session: Session, flags: ForgeFlags & { markdown: string; number?: number }) {
  const body = await readText(session, flags.markdown);
  const marker = /^<!-- page-guard:(?:review|inventory) [\w./-]{1,200} -->/.exec(body)?.[0];
  if (marker === undefined)
    throw new CommandError(
      "The first line is not <!-- page-guard:review STACK -->, so later runs could not find the comment. Pass a file that review, fleet or inventory check wrote with --markdown FILE.",
    );
  const forge = chooseForge(session, flags);
  const number = flags.number ?? forge.number();
  if (number === undefined)
    throw new UsageError("This job does not belong to a pull or merge request. Name one with --number.");
  await keepOne(session, forge, forge.comments(number), { marker, author: flags.author, text: { body } });
  return exitCode.fine;
}
