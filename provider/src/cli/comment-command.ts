import { Command, InvalidArgumentError } from "commander";
import { CommandError } from "./command-error";
import { asMarkdown, reviewMarkerOf, shownUrl } from "./forge/body";
import { type ForgeFlags, forgeOf, withForge } from "./forge/forge-of";
import { keepOne } from "./forge/keep-one";
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

The comment is known by its first line, which names the stack: each stack has one, which is edited.

Exit codes: 0 posted, edited, or there already; 1 could not do it.`;

/** `page-guard comment`: the one comment of a stack in a pull or merge request. */
export function commentCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("comment")
    .description("Post a review as a comment of the pull or merge request, or edit the one that is there")
    .requiredOption("--markdown <file>", "what `page-guard review --markdown` wrote; - reads standard input")
    .option("--number <number>", "the pull or merge request (default: the one the CI runs for)", numberOf);
  return withForge(command)
    .addHelpText("after", example)
    .action((flags: CommentFlags) => conclude(comment(session, flags)));
}

async function comment(session: Session, flags: CommentFlags): Promise<ExitCode> {
  const markdown = await readText(session, flags.markdown);
  const marker = reviewMarkerOf(markdown);
  if (marker === undefined) {
    throw new CommandError(
      "The first line is not <!-- page-guard:review STACK -->, so a comment could not be found again. `page-guard review --markdown FILE` writes such files.",
    );
  }
  const forge = forgeOf(session, flags);
  const number = flags.number ?? forge.number;
  if (number === undefined) {
    throw new UsageError("This job runs for no pull or merge request. Name one: --number.");
  }
  const board = forge.comments(number);
  const { did, written } = await keepOne(board, marker, forge.fit(asMarkdown(markdown)));
  const told = { made: "Posted", edited: "Edited", left: "There already, word for word:" }[did];
  session.out(`${told} the comment on ${board.name}.${shownUrl(written.url)}\n`);
  return exitCode.fine;
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("A number like 12.");
  return Number(text);
}
