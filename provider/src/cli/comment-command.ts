import { Command } from "commander";
import { CommandError } from "./command-error";
import { keepOne } from "./forge/board";
import { asMarkdown, reviewMarkerOf, shownUrl } from "./forge/body";
import { type ForgeFlags, forgeOf, withForge } from "./forge/forge-of";
import { wholeNumber } from "./options";
import { readText } from "./read-text";
import { type Conclude, type ExitCode, exitCode, type Session } from "./session";
import { UsageError } from "./usage-error";

interface CommentFlags extends ForgeFlags {
  readonly markdown: string;
  readonly number?: number;
}

const example = `
Examples:
  page-guard review --markdown review.md -- pulumi preview --stack production
  page-guard comment --markdown review.md

GitHub: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_EVENT_PATH or --number, GITHUB_API_URL. The job needs the
permission pull-requests: write.
GitLab: GITLAB_TOKEN (scope api), CI_PROJECT_ID, CI_MERGE_REQUEST_IID or --number, CI_API_V4_URL.

Each stack has one comment, found by its first line and edited in place.

Exit codes: 0 posted, edited or unchanged; 1 failed.`;

/** `page-guard comment`: the one comment of a stack in a pull or merge request. */
export function commentCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("comment")
    .description("Post a review as a comment on the pull or merge request, or edit the existing one")
    .requiredOption("--markdown <file>", "output of `page-guard review --markdown`; - for standard input")
    .option(
      "--number <number>",
      "the pull or merge request (default: the one of this CI run)",
      wholeNumber(1, 999_999_999),
    );
  return withForge(command)
    .addHelpText("after", example)
    .action((flags: CommentFlags) => conclude(comment(session, flags)));
}

async function comment(session: Session, flags: CommentFlags): Promise<ExitCode> {
  const markdown = await readText(session, flags.markdown);
  const marker = reviewMarkerOf(markdown);
  if (marker === undefined) {
    throw new CommandError(
      "The first line is not <!-- page-guard:review STACK -->, so the comment could not be found again. Pass a file from `page-guard review --markdown FILE`.",
    );
  }
  const forge = forgeOf(session, flags);
  const number = flags.number ?? forge.number;
  if (number === undefined) {
    throw new UsageError("This job does not belong to a pull or merge request. Name one with --number.");
  }
  const board = forge.comments(number);
  const { did, written } = await keepOne(board, marker, forge.fit(asMarkdown(markdown)));
  const verb = { created: "Posted", edited: "Edited", unchanged: "Unchanged:" }[did];
  session.out(`${verb} the comment on ${board.name}.${shownUrl(written.url)}\n`);
  return exitCode.fine;
}
