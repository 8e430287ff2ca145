import { Command, InvalidArgumentError } from "commander";
import { maliciousBelow } from "page-guard-csp";
import {
  repeatable,
  wholeNumber,
  withConnection,
  withOutput,
  withReferences,
  withZones,
} from "../shared/options";
import type { Conclude, Session } from "../shared/session";
import { type ApproveFlags, approveEntry } from "./approve";
import { type CheckFlags, checkInventory } from "./check";
import { isDay, isHash } from "./inventory-file";
import { type UpdateFlags, updateInventory } from "./update";

const example = `
Examples:
  page-guard inventory update --zone 8f14e45fceea167a5a36dedd4bea2543 --name 8f14e45fceea167a5a36dedd4bea2543=shop
  page-guard inventory approve 'https://js.payments.example/v3/*' --by 'Ada Byron' \\
    --reference https://git.example/pull/7 --why 'Card form of the payment processor'
  page-guard inventory check --zones zones.yaml --since last.json --json > now.json

page-guard inventory COMMAND --help shows the options of a command.`;

const updateNotes = `
Adds an entry with approved: null for each script that no entry matches, and marks entries whose script is gone. Everything
that people wrote stays, including comments. If nothing is new, the file stays the same, byte for byte.

Exit codes: 0 done, even if nothing was new; 1 failed.`;

const checkNotes = `
Exit codes: 0 nothing to do (notes may be printed); 1 could not compare everything; 2 found something.`;

const approveNotes = `
Sends no request. For an entry without the field integrity, approves the hashes given with --hash. Without --hash, approves the
hashes that \`page-guard inventory update\` wrote into the entry.

Exit codes: 0 done; 1 failed.`;

export function inventoryCommand(session: Session, conclude: Conclude): Command {
  const update = withScripts(
    new Command("update").description("Add new scripts to the inventory, and mark those that are gone"),
  )
    .option("--json", "print one JSON document")
    .addHelpText("after", updateNotes)
    .action((flags: UpdateFlags) => conclude(updateInventory(session, flags)));
  const check = withOutput(
    withScripts(new Command("check").description("Compare the inventory with the scripts of its zones")),
  )
    .option(
      "--threshold <score>",
      "integrity score below which a script counts as malicious",
      wholeNumber(0, 100),
      maliciousBelow,
    )
    .option("--since <file>", "mark what is new since an earlier check, whose --json output is in this file")
    .option("--code-quality <file>", "write a GitLab Code Quality report")
    .option("--markdown <file>", "write Markdown for page-guard comment and page-guard issue")
    .option(
      "--urgent <file>",
      "write findings about malicious, changed and returned scripts to this file instead of the file of --markdown. If there are none, the file is empty, unless the check was incomplete: then no file is written",
    )
    .addHelpText("after", checkNotes)
    .action((flags: CheckFlags) => conclude(checkInventory(session, flags)));
  const approve = withPlace(
    withZones(
      new Command("approve")
        .description("Approve one entry of an inventory, or the same entry in the inventory of each zone")
        .argument(
          "<pattern>",
          "the entry's match, exactly as in the file, or a URL that only one entry matches",
        ),
    ),
  )
    .requiredOption("--by <name>", "who approves")
    .requiredOption("--reference <url>", "where this was decided: a pull request, a ticket")
    .requiredOption("--why <text>", "why the pages need the script")
    .option(
      "--hash <sha256>",
      "hash of the contents to approve; if the entry is already approved, approves them as a change (repeatable)",
      addHash,
    )
    .option("--everywhere", "approve the entry in every inventory that has it")
    .option("--review-by <day>", "review the script again by this date, such as 2027-03-31", parseDay)
    .addHelpText("after", approveNotes)
    .action((pattern: string, flags: ApproveFlags) => conclude(approveEntry(session, pattern, flags)));
  return new Command("inventory")
    .description("Keep an inventory of each zone's scripts in Git: why each is needed, and who approved it")
    .addHelpText("after", example)
    .addCommand(update)
    .addCommand(check)
    .addCommand(approve)
    .helpCommand(false);
}

function withScripts(command: Command): Command {
  return withPlace(withConnection(withZones(command)))
    .option(
      "--page <url>",
      "only scripts seen on this page; with * at the end, on all pages whose URLs begin with it (repeatable)",
      repeatable,
    )
    .option("--versions", "read all pages and earlier versions of each script, with one request per script");
}

function withPlace(command: Command): Command {
  return withReferences(
    command.option("--inventory <folder>", "where the inventories are: NAME.yaml for each zone", "inventory"),
  );
}

function addHash(text: string, before: readonly string[] = []): readonly string[] {
  if (!isHash(text)) throw new InvalidArgumentError("A SHA-256 has 64 hexadecimal characters.");
  return [...before, text.toLowerCase()];
}

function parseDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError("Write the date like this: 2027-03-31.");
  return text;
}
