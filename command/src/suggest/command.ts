import { Command, InvalidArgumentError, Option } from "commander";
import {
  type Granularity,
  type HostSelection,
  hostOf,
  hostOwner,
  hostsInDoubt,
  hostsOf,
  pageUrlOf,
  remarksOn,
  type SeenItem,
  type Suggestion,
  type SuggestionRemark,
  seenItems,
  selectedPages,
  suggest,
} from "page-guard-csp";
import { parseJson, pluralize, readSeenOn, readZone, requireValues } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import { languages } from "../export/languages";
import { chooseName } from "../export/naming";
import { CommandError } from "../shared/command-error";
import { type ReadFlags, repeatable, wholeNumber, withReading } from "../shared/options";
import { print, writeText } from "../shared/output";
import { readText } from "../shared/read-text";
import { readWith } from "../shared/reader";
import type { Conclude, ExitCode, Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { someZones, type ZoneRef } from "../shared/zones";
import { findOwners, type Reported, remark, reportedTo } from "./reported";
import { makeExpression, makeFilters, remarkOnHosts, type SelectionFlags } from "./selection";

interface SuggestFlags extends ReadFlags, SelectionFlags {
  readonly seen?: string;
  readonly granularity: "host" | "path";
  readonly exact?: boolean;
  readonly minAge?: number;
  readonly status?: readonly string[];
  readonly threshold?: number;
  readonly known?: string;
  readonly base?: boolean;
  readonly reports?: string;
  readonly maxBytes: number;
  readonly as: "directives" | "set";
}

const example = `
Examples:
  page-guard suggest --zone 8f14e45fceea167a5a36dedd4bea2543 --host shop.example.com --base --seen seen.json
  page-guard suggest --zone 8f14e45fceea167a5a36dedd4bea2543 --page 'https://shop.example.com/checkout*' --as set

The file that --seen writes maps directive names to lists of sources; examples/csp-rollout reads this form. The order in which the
service lists items makes no difference. With --known, a weekly job reports new owners, but not new releases of known scripts.

Exit codes: 0 done, even if something was left out; 1 failed; 2 with --known: a source of a new owner.`;

export function suggestCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("suggest")
    .description("Suggest the directives of a policy from the scripts and connections in use")
    .option("--host <host>", "use only what was seen on pages of this host (repeatable)", parseHost)
    .option(
      "--page <url>",
      "use only what was seen on this page; with * at the end, on all pages whose URLs begin with it (repeatable)",
      repeatable,
    )
    .option("--expression <text>", "use only what was seen on hosts that this filter expression selects")
    .addOption(
      new Option("--granularity <what>", "what each source names: a host, or a path on it")
        .choices(["host", "path"])
        .default("host"),
    )
    .option("--exact", "allow single URLs only; the next release of any script is then blocked")
    .option(
      "--min-age <days>",
      "leave out items first seen less than this many days ago (default: 3, or 7 for infrequent items; no minimum if nothing is 3 days old)",
      wholeNumber(0, 3650),
    )
    .option(
      "--status <status>",
      "use only items with this status: active, infrequent or inactive (repeatable; default: the first two)",
      parseStatus,
    )
    .option(
      "--threshold <score>",
      "integrity score below which a script is malicious (default: 50)",
      wholeNumber(1, 99),
    )
    .option("--base", "add object-src 'none', and 'self' for base-uri, form-action, frame-ancestors")
    .option(
      "--reports <file>",
      "add what violation reports show: images, styles, fonts, frames, workers; - for standard input",
    )
    .option("--max-bytes <number>", "warn if the policy is longer than this", wholeNumber(1, 1e9), 4096)
    .addOption(
      new Option("--as <form>", "print directives, or an entry of a CspPolicySet in TypeScript")
        .choices(["directives", "set"])
        .default("directives"),
    )
    .option("--seen <file>", "write the directives to this file")
    .option(
      "--known <file>",
      "compare with this file, which --seen wrote earlier; exit with 2 if a source of a new owner is needed",
    );
  return withReading(command)
    .addHelpText("after", example)
    .action((flags: SuggestFlags) => conclude(runSuggest(session, flags)));
}

/** Parses a value of `--host`. Browsers write hosts in lower case, and expressions compare them exactly. */
function parseHost(text: string, before?: readonly string[]): readonly string[] {
  return repeatable(text.toLowerCase(), before);
}

/** Parses a value of `--status`. Refuses a mistyped value: no item has this status, so the policy would block everything. */
function parseStatus(text: string, before: readonly string[] = []): readonly string[] {
  if (["active", "infrequent", "inactive"].includes(text)) return repeatable(text, before);
  throw new InvalidArgumentError("Expected active, infrequent or inactive.");
}

async function runSuggest(session: Session, flags: SuggestFlags): Promise<ExitCode> {
  const [zone, ...more] = someZones(session, flags);
  if (zone === undefined || more.length > 0)
    throw new UsageError("A policy belongs to one zone: give exactly one --zone.");
  const hosts = flags.expression === undefined ? undefined : hostsOf(flags.expression);
  const selection = flags.host && !hosts ? hostsOf(makeExpression({ host: flags.host })) : hosts;
  const { items: ofZone, hidden } = await readItems(session, flags, zone, selection);
  const isPartial = hidden !== undefined;
  const items = selection ? ofZone.flatMap(onPagesOf(selection)) : ofZone;
  const reported = await reportedTo(session, flags, chooseGranularity(flags), findOwners(ofZone));
  const suggestion = suggestFor(session, flags, items, reported);
  const { directives } = suggestion;
  const added = flags.known === undefined ? [] : newOwners(directives, await readText(session, flags.known));
  const remarks = [
    ...remark(
      "csp-hidden-not-seen",
      "warning",
      isPartial && `NOT EVERYTHING WAS SEEN: ${forTerminal(hidden, 1000)}.`,
    ),
    ...remark("nothing-seen", "warning", items.length === 0 && nothing),
    ...remarksOn(suggestion),
    ...reported.remarks,
    ...remark("new-owner", "warning", ...added),
    ...remark("more-hosts", "note", remarkOnHosts(hosts)),
  ];
  const seen = `${JSON.stringify(directives, undefined, 2)}\n`;
  if (flags.seen !== undefined) writeText(session, flags.seen, seen);
  const expression = flags.as === "set" ? makeExpression(flags) : undefined;
  const name = chooseName({ expression });
  const entry = expression === undefined ? undefined : { action: "log", expression, directives };
  const policy =
    entry === undefined
      ? seen.trimEnd()
      : languages.typescript.parts("CspPolicySet", "policies", { [name]: entry });
  return print(session, flags, {
    text: renderSuggestion(policy, suggestion, remarks, flags),
    json: {
      zone: zone.id,
      hosts: flags.host ?? [],
      pages: flags.page ?? [],
      ...(flags.expression !== undefined && { expression: flags.expression }),
      isPartial,
      ...suggestion,
      ...(entry && { entry: { key: name, ...entry } }),
    },
    isFound: added.length > 0,
    title: "page-guard suggest",
    examined: [zone.name],
    findings: remarks.map(({ code, severity, text }) => ({ code, severity, message: text, zone: zone.name })),
  });
}

/** Returns the scripts and connections that are in use in the zone, on the pages that the flags select. */
async function readItems(session: Session, flags: SuggestFlags, { id }: ZoneRef, hosts?: HostSelection) {
  const status = flags.status?.includes("inactive") ? "all" : undefined;
  const filters = { ...makeFilters(flags), ...(status && { status }) };
  return readWith(session, flags, "Reading scripts and connections", async (client) => {
    const { inUse } = requireValues(await readZone(client, id, ["inUse"], filters));
    if (!inUse) return { items: [], hidden: undefined };
    const listed = seenItems(inUse.scripts, inUse.connections);
    const lists = flags.page || !hosts ? [] : listsOn(hosts, listed, flags.host);
    const { scripts, connections, hidden } = await readSeenOn(client, id, inUse, lists, status);
    return { items: seenItems(scripts, connections), hidden };
  });
}

/** Returns further lists to request. They show items that were used on the selected hosts, but first seen on other hosts. */
function listsOn(hosts: HostSelection, listed: readonly SeenItem[], named: readonly string[] = []) {
  // With --host, `listed` has only items first seen on these hosts, so it cannot show which hosts need a further list. So request
  // the lists of scripts and connections for each of these hosts.
  const lists = (["script", "connection"] as const).flatMap((kind) => named.map((host) => ({ kind, host })));
  return [...hostsInDoubt(undefined, listed, hosts), ...lists];
}

/** Returns a function that reduces an item to the selected pages on which it was seen, and drops an item without such pages. */
function onPagesOf(hosts: HostSelection): (seen: SeenItem) => readonly SeenItem[] {
  const pagesOf = selectedPages(hosts);
  return (seen) => {
    const [first, ...pageUrls] = pagesOf(seen);
    if (first === undefined) return [];
    const page = first === pageUrlOf(seen) ? {} : { host: hostOf(first), firstPageUrl: first };
    return [{ ...seen, item: { ...seen.item, ...page, pageUrls } }];
  };
}

function suggestFor(
  session: Session,
  flags: SuggestFlags,
  items: readonly SeenItem[],
  { base, directives }: Reported,
): Suggestion {
  return suggest(
    items.flatMap((seen) => (seen.kind === "script" ? [seen.item] : [])),
    items.flatMap((seen) => (seen.kind === "connection" ? [seen.item] : [])),
    {
      granularity: chooseGranularity(flags),
      maxBytes: flags.maxBytes,
      now: new Date(session.now()),
      ...(flags.minAge !== undefined && { minAgeDays: flags.minAge }),
      ...(flags.status !== undefined && { statuses: flags.status }),
      ...(flags.threshold !== undefined && { threshold: flags.threshold }),
      base: { ...(flags.base === true && base), ...directives },
    },
  );
}

function chooseGranularity({ exact, granularity }: SuggestFlags): Granularity {
  return exact === true ? "url" : granularity;
}

/** Returns the text that the command prints. Warnings come first, so that nobody misses them. */
function renderSuggestion(
  policy: string,
  { included }: Suggestion,
  remarks: readonly SuggestionRemark[],
  { seen }: SuggestFlags,
): string {
  const selectTexts = (wanted: SuggestionRemark["severity"]) =>
    remarks.filter(({ severity }) => severity === wanted).map(({ text }) => text);
  const lines = [
    ...selectTexts("warning"),
    policy,
    `${pluralize(included.scripts, "script")} and ${pluralize(included.connections, "connection")} allowed.`,
    ...selectTexts("note"),
    ...(seen === undefined ? [] : [`Written to ${forTerminal(seen)}.`]),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Returns a line for each suggested source whose owner has no source in the same directive of the earlier suggestion. Other paths
 * and hosts of a known owner count as new releases, and get no line. Safe to show.
 */
function newOwners(directives: Readonly<Record<string, readonly string[]>>, text: string): readonly string[] {
  const known = z.record(z.string(), z.array(z.string())).safeParse(parseJson(text)).data;
  if (!known)
    throw new CommandError("--known takes a file that --seen wrote: directive names, each with its sources.");
  return Object.entries(directives).flatMap(([name, sources]) => {
    const owners = new Set((known[name] ?? []).map(hostOwner));
    const others = sources.filter((source) => !owners.has(hostOwner(source)));
    return others.map((source) => `NEW: ${name} needs ${forTerminal(source, 300)}`);
  });
}

const nothing =
  "NOTHING WAS SEEN on these pages, so nothing is suggested for scripts and connections. Check that monitoring is on, and that the pages have been visited since it was switched on.";
