import { Command, Option } from "commander";
import { itemsInUse, partialItems } from "../api/items-in-use";
import { type Granularity, type Suggestion, suggest, tellSuggestion } from "../csp";
import { forTerminal } from "../reports/escape";
import type { ReportFinding } from "../reports/report";
import {
  type ConnectionFlags,
  type OutputFlags,
  withConnection,
  withOutput,
  withZones,
  type ZoneFlags,
} from "./options";
import { checkOutput, print, writeText } from "./output";
import { Progress } from "./progress";
import { Reader } from "./reader";
import { type Conclude, type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { UsageError } from "./usage-error";
import { someZones, type ZoneRef } from "./zones";

interface SuggestFlags extends ConnectionFlags, ZoneFlags, OutputFlags {
  readonly host?: readonly string[];
  readonly seen?: string;
  readonly granularity: Granularity;
}

const example = `
Example:
  page-guard suggest --zone 8f14e45fceea167a5a36dedd4bea2543 --host shop.example.com --seen seen.json

The file of --seen is what examples/csp-rollout reads: directive names to lists of sources. The same items give the
same file, in whatever order they come.

Exit codes: 0 done, whatever is left out; 1 could not do it.`;

/** `page-guard suggest`: a policy made of what was seen on a zone's pages. */
export function suggestCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("suggest")
    .description("Suggest the directives of a policy from the scripts and connections in use")
    .option("--host <host>", "only what was seen on pages of this host (repeatable)", addHost)
    .option("--seen <file>", "write the directives to this file")
    .addOption(
      new Option("--granularity <what>", "how much one source allows")
        .choices(["host", "path", "url"])
        .default("host"),
    );
  return withOutput(withConnection(withZones(command)))
    .addHelpText("after", example)
    .action((flags: SuggestFlags) => conclude(suggestFor(session, flags)));
}

async function suggestFor(session: Session, flags: SuggestFlags): Promise<ExitCode> {
  checkOutput(flags);
  const [zone, ...more] = someZones(session, flags);
  if (zone === undefined || more.length > 0) {
    throw new UsageError("A policy is for one zone: give just one --zone.");
  }
  const progress = new Progress(session);
  const client = new Reader({ session, flags, progress }).client();
  const { scripts, connections, isPartial } = await progress.during("Reading scripts and connections", () =>
    itemsInUse(client, zone.id, { hosts: flags.host }),
  );
  const suggestion = suggest(scripts, connections, { granularity: flags.granularity });
  const seen = `${JSON.stringify(suggestion.directives, undefined, 2)}\n`;
  if (flags.seen !== undefined) writeText(session, flags.seen, seen);
  print(session, flags, {
    text: textOf(suggestion, seen, { isPartial, file: flags.seen }),
    json: { zone: zone.id, hosts: flags.host ?? [], isPartial, ...suggestion },
    report: {
      title: "page-guard suggest",
      version: packageVersion(),
      examined: [zone.name],
      findings: findingsOf(zone, suggestion, isPartial),
    },
  });
  return exitCode.fine;
}

/** What is still allowed comes first: it is what a reader must not miss. */
function textOf(
  suggestion: Suggestion,
  seen: string,
  { isPartial, file }: { readonly isPartial: boolean; readonly file: string | undefined },
): string {
  const { warnings, notes } = tellSuggestion(suggestion);
  const { included } = suggestion;
  const lines = [
    ...(isPartial ? [`NOT ALL WAS SEEN: ${partialItems}.`] : []),
    ...warnings,
    seen.trimEnd(),
    `${included.scripts} scripts and ${included.connections} connections allowed.`,
    ...notes,
  ];
  if (file !== undefined) lines.push(`Written to ${forTerminal(file)}.`);
  return `${lines.join("\n")}\n`;
}

function findingsOf(
  zone: ZoneRef,
  { excluded, findings }: Suggestion,
  isPartial: boolean,
): readonly ReportFinding[] {
  const hidden: readonly ReportFinding[] = isPartial
    ? [{ code: "csp-hidden-not-seen", severity: "warning", message: partialItems, zone: zone.name }]
    : [];
  const left = excluded.map(({ kind, item, message, reason, allowedBy }): ReportFinding => {
    const what = `${kind} ${item.url}: ${message}`;
    return {
      code: allowedBy === undefined ? `left-out-${reason}` : "still-allowed",
      severity: allowedBy === undefined ? "note" : "warning",
      message: allowedBy === undefined ? what : `${what}; still allowed by ${allowedBy}`,
      zone: zone.name,
    };
  });
  const unsafe = findings.map(
    ({ ruleId: code, message }): ReportFinding => ({ code, severity: "warning", message, zone: zone.name }),
  );
  return [...hidden, ...left, ...unsafe];
}

function addHost(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
