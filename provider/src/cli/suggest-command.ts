import { Command, InvalidArgumentError, Option } from "commander";
import { itemsInUse, partialItems } from "../api/paging/items-in-use";
import {
  BASE_DIRECTIVES,
  type Granularity,
  remarksOn,
  type SuggestionRemark,
  seenItems,
  selectedBy,
  suggest,
} from "../csp";
import { forTerminal } from "../reports/escape";
import { key, literal } from "./export/literal";
import { wishedName } from "./export/names";
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
import {
  expressionOf,
  filtersOf,
  hostsOfFlags,
  remarkOnHosts,
  type SelectionFlags,
} from "./suggest/selection";
import { UsageError } from "./usage-error";
import { someZones } from "./zones";

interface SuggestFlags extends ConnectionFlags, ZoneFlags, OutputFlags, SelectionFlags {
  readonly seen?: string;
  readonly granularity: Granularity;
  readonly base?: boolean;
  readonly maxBytes: number;
  readonly as: "directives" | "set";
}

const example = `
Examples:
  page-guard suggest --zone 8f14e45fceea167a5a36dedd4bea2543 --host shop.example.com --base --seen seen.json
  page-guard suggest --zone 8f14e45fceea167a5a36dedd4bea2543 --page 'https://shop.example.com/checkout*' --as set

The file of --seen is what examples/csp-rollout reads: directive names to lists of sources. The same items give the
same file, in whatever order they come.

Exit codes: 0 done, whatever is left out; 1 failed.`;

/** `page-guard suggest`: a policy made of what was seen on a zone's pages. */
export function suggestCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("suggest")
    .description("Suggest the directives of a policy from the scripts and connections in use")
    .option("--host <host>", "only what was seen on pages of this host (repeatable)", add)
    .option(
      "--page <url>",
      "only what was seen on this page; * at its end: all that begin so (repeatable)",
      add,
    )
    .option("--expression <text>", "only what was seen on hosts that this filter expression selects")
    .addOption(
      new Option("--granularity <what>", "how much one source allows")
        .choices(["host", "path", "url"])
        .default("host"),
    )
    .option("--base", "add object-src 'none' and base-uri, form-action, frame-ancestors 'self'")
    .option("--max-bytes <number>", "merge hosts into wildcards above this length", bytesOf, 4096)
    .addOption(
      new Option("--as <form>", "what to print: directives, or an entry of a CspPolicySet in TypeScript")
        .choices(["directives", "set"])
        .default("directives"),
    )
    .option("--seen <file>", "write the directives to this file");
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
  const hosts = hostsOfFlags(flags);
  const filters = filtersOf(flags);
  const progress = new Progress(session);
  const client = new Reader({ session, flags, progress }).client();
  const { scripts, connections, isPartial } = await progress.during("Reading scripts and connections", () =>
    itemsInUse(client, zone.id, filters),
  );
  const isSelected = hosts === undefined ? () => true : selectedBy(hosts);
  const items = seenItems(scripts, connections).filter(isSelected);
  const suggestion = suggest(
    items.flatMap((seen) => (seen.kind === "script" ? [seen.item] : [])),
    items.flatMap((seen) => (seen.kind === "connection" ? [seen.item] : [])),
    {
      granularity: flags.granularity,
      maxBytes: flags.maxBytes,
      ...(flags.base === true && { base: BASE_DIRECTIVES }),
    },
  );
  const { directives, included } = suggestion;
  const remarks: readonly SuggestionRemark[] = [
    ...(isPartial ? [remark("csp-hidden-not-seen", "warning", `NOT ALL WAS SEEN: ${partialItems}.`)] : []),
    ...(items.length === 0 ? [remark("nothing-seen", "warning", nothing)] : []),
    ...remarksOn(suggestion),
    ...remarkOnHosts(hosts).map((text) => remark("more-hosts", "note", text)),
  ];
  const seen = `${JSON.stringify(directives, undefined, 2)}\n`;
  if (flags.seen !== undefined) writeText(session, flags.seen, seen);
  const expression = flags.as === "set" ? expressionOf(flags) : undefined;
  const entry = expression === undefined ? undefined : { action: "log", expression, directives };
  const name = wishedName({ expression });
  print(session, flags, {
    text: textOf(remarks, {
      printed: entry === undefined ? seen.trimEnd() : `${key(name)}: ${literal(entry, 0)},`,
      counts: `${included.scripts} scripts and ${included.connections} connections allowed.`,
      file: flags.seen,
    }),
    json: {
      zone: zone.id,
      hosts: flags.host ?? [],
      pages: flags.page ?? [],
      ...(flags.expression !== undefined && { expression: flags.expression }),
      isPartial,
      ...suggestion,
      ...(entry && { entry: { key: name, ...entry } }),
    },
    report: {
      title: "page-guard suggest",
      version: packageVersion(),
      examined: [zone.name],
      findings: remarks.map(({ code, severity, text }) => ({
        ...{ code, severity, message: text },
        zone: zone.name,
      })),
    },
  });
  return exitCode.fine;
}

interface Printed {
  readonly printed: string;
  readonly counts: string;
  readonly file: string | undefined;
}

const nothing =
  "NOTHING WAS SEEN on these pages, so nothing is suggested for scripts and connections. See that monitoring is on and that the pages have been visited since.";

/** What is let in or will break comes first: it is what a reader must not miss. */
function textOf(remarks: readonly SuggestionRemark[], { printed, counts, file }: Printed): string {
  const of = (wanted: SuggestionRemark["severity"]) =>
    remarks.filter(({ severity }) => severity === wanted).map(({ text }) => text);
  const written = file === undefined ? [] : [`Written to ${forTerminal(file)}.`];
  return `${[...of("warning"), printed, counts, ...of("note"), ...written].join("\n")}\n`;
}

function remark(code: string, severity: SuggestionRemark["severity"], text: string): SuggestionRemark {
  return { code, severity, text };
}

function add(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function bytesOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("--max-bytes takes a number of bytes.");
  return Number(text);
}
