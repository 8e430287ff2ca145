import { createHash } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import {
  BASE_DIRECTIVES,
  type Directives,
  explain,
  fromReports,
  type Granularity,
  hostOf,
  hostOwner,
  hostsOf,
  ownedDomain,
  pageUrlOf,
  type ReportedSources,
  remarksOn,
  type SeenItem,
  type SuggestionRemark,
  seenItems,
  selectedBy,
  suggest,
} from "page-guard-csp";
import { parseJson, partialItems, pluralize, readZone, requireValues } from "pulumi-page-guard/tools";
import * as z from "zod";
import { readReports } from "../explain/violation-reports";
import { languages } from "../export/languages";
import { chooseName } from "../export/naming";
import { forTerminal } from "../reports/escape";
import { CommandError } from "../shared/command-error";
import { type ReadFlags, repeatable, wholeNumber, withReading } from "../shared/options";
import { print, writeText } from "../shared/output";
import { readText } from "../shared/read-text";
import { readWith } from "../shared/reader";
import type { Conclude, ExitCode, Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { distinct } from "../shared/values";
import { someZones } from "../shared/zones";
import { makeExpression, makeFilters, remarkOnHosts, type SelectionFlags, selectsPage } from "./selection";

type Severity = SuggestionRemark["severity"];

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

The file that --seen writes maps directive names to lists of sources; examples/csp-rollout reads this form. The same items give
the same file, whatever their order. With --known, a weekly job reports new owners, but no new releases of known scripts.

Exit codes: 0 done, even if something was left out; 1 failed; 2 with --known: a source of a new owner.`;

export function suggestCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("suggest")
    .description("Suggest the directives of a policy from the scripts and connections in use")
    .option("--host <host>", "use only what was seen on pages of this host (repeatable)", repeatable)
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
    .option("--base", "add object-src 'none' and base-uri, form-action, frame-ancestors 'self'")
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

/** Parses a value of `--status`. Refuses a mistyped value: no item has it, so the policy would block everything. */
function parseStatus(text: string, before: readonly string[] = []): readonly string[] {
  if (["active", "infrequent", "inactive"].includes(text)) return repeatable(text, before);
  throw new InvalidArgumentError("Expected active, infrequent or inactive.");
}

async function runSuggest(session: Session, flags: SuggestFlags): Promise<ExitCode> {
  const [zone, ...more] = someZones(session, flags);
  if (zone === undefined || more.length > 0)
    throw new UsageError("A policy belongs to one zone: give exactly one --zone.");
  const hosts = flags.expression === undefined ? undefined : hostsOf(flags.expression);
  const status = flags.status?.includes("inactive") ? "all" : undefined;
  const filters = { ...makeFilters(flags), ...(status && { status }) };
  const read = await readWith(session, flags, "Reading scripts and connections", (client) =>
    readZone(client, zone.id, ["inUse"], filters),
  );
  const { scripts = [], connections = [], isPartial = false } = requireValues(read).inUse ?? {};
  const isSelected = hosts === undefined ? () => true : selectedBy(hosts);
  const ofZone = seenItems(scripts, connections);
  const items = ofZone.filter(isSelected);
  const granularity = flags.exact === true ? "url" : flags.granularity;
  const reported = await reportedTo(session, flags, granularity, findOwners(ofZone));
  const suggestion = suggest(
    items.flatMap((seen) => (seen.kind === "script" ? [seen.item] : [])),
    items.flatMap((seen) => (seen.kind === "connection" ? [seen.item] : [])),
    {
      granularity,
      maxBytes: flags.maxBytes,
      now: new Date(session.now()),
      ...(flags.minAge !== undefined && { minAgeDays: flags.minAge }),
      ...(flags.status !== undefined && { statuses: flags.status }),
      ...(flags.threshold !== undefined && { threshold: flags.threshold }),
      base: { ...(flags.base === true && reported.base), ...reported.directives },
    },
  );
  const { directives, included } = suggestion;
  const added = flags.known === undefined ? [] : newOwners(directives, await readText(session, flags.known));
  const remarks = [
    ...remark("csp-hidden-not-seen", "warning", isPartial && `NOT EVERYTHING WAS SEEN: ${partialItems}.`),
    ...remark("nothing-seen", "warning", items.length === 0 && nothing),
    ...remarksOn(suggestion),
    ...reported.remarks,
    ...remark("new-owner", "warning", ...added),
    ...remark("more-hosts", "note", remarkOnHosts(hosts)),
  ];
  const seen = `${JSON.stringify(directives, undefined, 2)}\n`;
  if (flags.seen !== undefined) writeText(session, flags.seen, seen);
  const expression = flags.as === "set" ? makeExpression(flags) : undefined;
  const entry = expression === undefined ? undefined : { action: "log", expression, directives };
  const [name, { typescript }] = [chooseName({ expression }), languages];
  const selectTexts = (wanted: Severity) =>
    remarks.filter(({ severity }) => severity === wanted).map(({ text }) => text);
  const lines = [
    // Warnings come first, so that nobody misses them.
    ...selectTexts("warning"),
    entry === undefined ? seen.trimEnd() : typescript.parts("CspPolicySet", "policies", { [name]: entry }),
    `${pluralize(included.scripts, "script")} and ${pluralize(included.connections, "connection")} allowed.`,
    ...selectTexts("note"),
    ...(flags.seen === undefined ? [] : [`Written to ${forTerminal(flags.seen)}.`]),
  ];
  return print(session, flags, {
    text: `${lines.join("\n")}\n`,
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

/** Returns the registered domains of the pages on which items were seen: the domains of the zone. */
function findOwners(items: readonly SeenItem[]): ReadonlySet<string | undefined> {
  return new Set(items.map((seen) => ownedDomain(hostOf(pageUrlOf(seen)))).filter(Boolean));
}

async function reportedTo(
  session: Session,
  flags: SuggestFlags,
  granularity: Granularity,
  owners: ReadonlySet<string | undefined>,
): Promise<ReportedSources & { readonly base: Directives }> {
  if (flags.reports === undefined) return { directives: {}, remarks: [], base: BASE_DIRECTIVES };
  const { requests, skipped } = readReports(await readText(session, flags.reports), flags.reports);
  const isOfPages = selectsPage(flags);
  const uses = requests.flatMap((one) => {
    const { kind } = one;
    const isOfZone = owners.size === 0 || owners.has(ownedDomain(hostOf(one.pageUrl)));
    return kind !== undefined && isOfZone && isOfPages(one.pageUrl) ? [{ ...one, kind }] : [];
  });
  // form-action 'self' would block forms that are sent to another host. Browsers report the first URL of a redirected form, not
  // its target. So if a report names a URL that the policy allows, the form was redirected to another host.
  const targets = uses.flatMap(({ kind, url, pageUrl, policy }) => {
    const host = hostOf(url);
    if (kind !== "form") return [];
    if (host !== hostOf(pageUrl)) return [host];
    const isRedirected = policy !== "" && explain(policy, { kind, url, pageUrl }).verdict === "allowed";
    return isRedirected ? [`${host}, which redirects them`] : [];
  });
  const { "form-action": own, ...withoutForms } = BASE_DIRECTIVES;
  const base = targets.length > 0 ? withoutForms : BASE_DIRECTIVES;
  const found = fromReports(uses, {
    granularity,
    sha256: (text) => createHash("sha256").update(text).digest("base64"),
  });
  const others = requests.length - uses.length;
  const rest =
    others > 0 ? [`${pluralize(others, "report")} from other pages, or without the kind of request`] : [];
  const unused = [...skipped, ...rest].map((reason) => `Reports not used: ${reason}.`);
  const isFormOpen = found.directives["form-action"] !== undefined;
  const hosts = distinct(targets).map((host) => forTerminal(host, 100));
  const contradicted =
    flags.base === true &&
    hosts.length > 0 &&
    !isFormOpen &&
    `NOT ADDED: form-action ${own?.join(" ")}, because reports show forms that are sent to ${hosts.join(", ")}. Add form-action with the hosts that receive your forms.`;
  const remarks = [
    ...found.remarks,
    ...remark("form-action-not-added", "warning", contradicted),
    ...remark("reports-not-used", "note", ...unused),
  ];
  return { ...found, base, remarks };
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

function remark(code: string, severity: Severity, ...texts: readonly (string | false | undefined)[]) {
  return texts.flatMap((text) => (text ? [{ code, severity, text }] : []));
}
