import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createColors } from "picocolors";
import { type CodeOf, enumerate, type Policy, parseJson, pluralize } from "pulumi-page-guard/tools";
import * as z from "zod";
import { type Columns, entry, makeTable } from "../documents/blocks/document";
import { escapeForForge, fitSections, renderSections } from "../documents/blocks/markdown";
import { forTerminal } from "../documents/escape";
import { findMeaning } from "../documents/finding-meanings";
import { codeQuality, shortDigest, toReportSeverity } from "../documents/report";
import { CommandError } from "../shared/command-error";
import type { OutputFlags } from "../shared/options";
import { print } from "../shared/output";
import { Progress } from "../shared/progress";
import { readText } from "../shared/read-text";
import { type ExitCode, exitCode, type Session, today } from "../shared/session";
import { describeCounts, distinct } from "../shared/values";
import type { ZoneRef } from "../shared/zones";
import { readHistory } from "./history";
import {
  describeAlarm,
  type InventoryCode,
  type InventoryFinding,
  judgeInventory,
  makeFinding,
  wantsVersions,
} from "./judge";
import { findFile, findFolder, type PlaceFlags, readInventory } from "./place";
import { type ScriptFlags, type ZoneScripts, zoneScripts } from "./zone-scripts";

export interface CheckFlags extends ScriptFlags, PlaceFlags, OutputFlags {
  readonly since?: string;
  readonly codeQuality?: string;
  readonly markdown?: string;
  readonly urgent?: string;
}

type CheckFinding = ReturnType<typeof toChecked>;
type CheckedZone = ReturnType<typeof checkOne>;

export async function checkInventory(session: Session, flags: CheckFlags): Promise<ExitCode> {
  const known = flags.since === undefined ? undefined : await readSince(session, flags.since);
  const progress = new Progress(session);
  const read = await zoneScripts(session, flags, progress, (zone) =>
    wantsVersions(readInventory(session, flags, zone).entries, today(session)),
  );
  const all = [...read, ...findLeftZones(session, flags, read)];
  const zones = all.map((one) => checkOne(session, flags, one, known, read.length > 1));
  const isFound = zones.some(({ findings }) => findings.some(({ severity }) => severity !== "info"));
  const isComplete = zones.every((zone) => zone.isComplete);
  const report = makeReport(zones);
  const text = renderText(createColors(session.hasColour), zones);
  const json = {
    zones: zones.map(({ zone, ...one }) => ({ ...zone, ...one })),
    found: isFound,
    isComplete,
    requests: progress.requests,
  };
  const urgent = renderPart(zones, true);
  const ended = print(session, flags, { ...report, text, json, isFound }, [
    [flags.codeQuality, () => codeQuality(report)],
    [flags.markdown, () => (flags.urgent === undefined ? renderMarkdown(zones) : renderPart(zones, false))],
    // An incomplete check that found nothing urgent writes no file, because earlier urgent findings may still apply.
    [isComplete || urgent !== "" ? flags.urgent : undefined, () => urgent],
  ]);
  return isComplete ? ended : exitCode.failed;
}

function checkOne(
  session: Session,
  flags: CheckFlags,
  { zone, scripts, policies, isWatched, lacks }: ZoneScripts,
  known: ReadonlySet<string> | undefined,
  isOneOfSeveral: boolean,
) {
  const { file, isMissing, entries, pages, faults } = readInventory(session, flags, zone);
  const none = `There is no ${forTerminal(file)}. Run \`page-guard inventory update\` to create it. If the zone was renamed, rename its file instead, which keeps the approvals.`;
  const incomplete = [...lacks, ...(isMissing ? [none] : [])];
  const history = readHistory(session, file, entries);
  const approveIn = isOneOfSeveral ? ` --zone ${zone.id} --name ${zone.id}=${zone.name}` : "";
  const options = { today: today(session), policies, pages, history, approveIn };
  // If some scripts could not be read, a script that seems to be missing may still exist.
  const unsure = lacks.length === 0 ? [] : ["inventory-gone", "inventory-matches-nothing"];
  const judged = [...judgeInventory(entries, scripts, options)].filter(({ code }) => !unsure.includes(code));
  const off = "Page Guard is switched off: no script is detected, and nobody is alerted. Switch it on.";
  const findings = [
    ...incomplete.map((text) => makeFinding("inventory-incomplete", text, { subject: "zone", scripts: [] })),
    ...(isWatched === false
      ? [makeFinding("inventory-unwatched", off, { subject: "settings", scripts: [] })]
      : []),
    ...faults.map(({ line, message }) =>
      makeFinding("inventory-invalid", message, { subject: "file", line, scripts: [] }),
    ),
    ...judged,
  ];
  return {
    zone,
    file,
    entries: entries.length,
    scripts: scripts.length,
    // Whether the whole inventory was compared with the whole zone.
    isComplete: incomplete.length + faults.length === 0,
    findings: findings
      .map((finding) => toChecked(zone, finding, known, policies))
      .sort(
        (a, b) =>
          Number(b.isNew ?? false) - Number(a.isNew ?? false) || rankInHeadline(a) - rankInHeadline(b),
      ),
  };
}

/** Returns a zone without scripts for each inventory file that belongs to no zone of --zones. `lacks` says why the file was not checked. */
function findLeftZones(session: Session, flags: CheckFlags, read: readonly ZoneScripts[]): ZoneScripts[] {
  const folder = findFolder(session, flags);
  if (flags.zones === undefined || !existsSync(folder)) return [];
  const own = new Set(read.map(({ zone }) => findFile(session, flags, zone)));
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((path) => {
    const file = join(flags.inventory, path);
    if (!path.endsWith(".yaml") || own.has(file)) return [];
    const left = `${forTerminal(file)} belongs to no zone in the list, so it was not checked. If the zone was renamed, rename the file to its new name, which keeps the approvals. Otherwise, put the zone back into the list, or delete the file.`;
    return [{ zone: { id: file, name: path.replace(/\.yaml$/, "") }, scripts: [], lacks: [left] }];
  });
}

const urgentCodes = ["inventory-malicious", "inventory-changed", "inventory-returned"];

/** Returns the urgent findings, or all other findings, as Markdown; empty if none of them needs action. */
function renderPart(zones: readonly CheckedZone[], wantsUrgent: boolean): string {
  const part = zones.flatMap((zone) => {
    const findings = zone.findings.filter(({ code }) => urgentCodes.includes(code) === wantsUrgent);
    return findings.some(({ severity }) => severity !== "info") ? [{ ...zone, findings }] : [];
  });
  return part.length === 0 ? "" : renderMarkdown(part);
}

function toChecked(
  zone: ZoneRef,
  finding: InventoryFinding,
  known: ReadonlySet<string> | undefined,
  policies?: readonly Policy[],
) {
  const { code, severity, text, subject, line, scripts, title } = finding;
  // The fingerprint must be the same in the next run. So it leaves out the line number, which may change, and the text, which
  // mentions line numbers and counts days.
  const what = scripts.map(({ url, hash }) => [url, code === "inventory-changed" ? hash : undefined]);
  const fingerprint = shortDigest([code, zone.id, subject, ...what]);
  return {
    code,
    text: `${text}${describeAlarm(finding, policies)}`,
    title,
    subject,
    line,
    fingerprint,
    isNew: known && !known.has(fingerprint),
    // `inventory-unchecked` is about contents that a person has accepted unchecked. The report for assessors mentions them, but
    // they must not raise an alarm every night.
    severity: code === "inventory-unchecked" ? ("info" as const) : severity,
    scripts: scripts.map(({ url }) => url),
  };
}

const sinceSchema = z.object({
  zones: z.array(z.object({ findings: z.array(z.object({ fingerprint: z.string() })) })),
});

/** Reads the fingerprints of the findings of an earlier run. */
async function readSince(session: Session, file: string): Promise<ReadonlySet<string>> {
  const read = sinceSchema.safeParse(parseJson(await readText(session, file)));
  if (!read.success)
    throw new CommandError(
      `Failed to compare with ${forTerminal(file)}: --since takes the output of \`page-guard inventory check --json\`.`,
    );
  return new Set(read.data.zones.flatMap(({ findings }) => findings.map(({ fingerprint }) => fingerprint)));
}

function makeReport(zones: readonly CheckedZone[]) {
  const findings = zones.flatMap(({ zone, file, findings: found }) =>
    found.map((one) => {
      const severity = toReportSeverity(one.severity);
      return { ...one, severity, message: one.text, file, zone: zone.name };
    }),
  );
  return {
    title: "page-guard inventory check",
    examined: zones.map(({ zone }) => zone.name),
    findings,
    rules: Object.fromEntries(findings.map(({ code }) => [code, findMeaning(code).means])),
  };
}

function renderText(paint: ReturnType<typeof createColors>, zones: readonly CheckedZone[]): string {
  const colours = { error: paint.red, warning: paint.yellow, info: paint.dim };
  return zones
    .map(({ zone, file, entries, scripts, findings }) => {
      const lines = findings.map(({ code, severity, text, subject, line, isNew }) => {
        const about = line === undefined ? "" : `${forTerminal(file)}:${line} ${subject}: `;
        const newMark = isNew ? "NEW " : "";
        return `  ${colours[severity](severity.padEnd(7))} ${newMark}${about}${text} ${paint.dim(`[${code}]`)}`;
      });
      return [
        `${zone.name}: ${pluralize(scripts, "script")}, ${pluralize(entries, "entry", "entries")}; ${renderCounts(findings)}.`,
        ...lines,
        "",
      ].join("\n");
    })
    .join("");
}

/** Returns the number of findings of each severity: `2 errors, 1 warning`. */
function renderCounts(findings: readonly CheckFinding[]): string {
  const nouns = { error: "error", warning: "warning", info: "note" };
  const counts = Object.entries(nouns).map(
    ([wanted, noun]) => [findings.filter(({ severity }) => severity === wanted).length, noun] as const,
  );
  return describeCounts(...counts).join(", ") || "nothing to report";
}

/** Returns Markdown for `page-guard issue`, and for `page-guard comment`, which finds its comment by the first line. */
function renderMarkdown(zones: readonly CheckedZone[]): string {
  const ids = zones.map(({ zone }) => zone.id).sort();
  const key = ids.length === 1 ? ids.join() : shortDigest(ids);
  const marker = `<!-- page-guard:inventory ${key} -->`;
  const worstFirst = zones.toSorted((left, right) => rankZone(left) - rankZone(right));
  const chapters = worstFirst.flatMap(({ zone, file, scripts, entries, findings }) => {
    const counts = `${pluralize(scripts, "script")}, ${pluralize(entries, "entry", "entries")} in `;
    return renderSections({
      title: zone.name,
      what: "findings",
      entries: [entry(counts, { code: file }, `: ${renderCounts(findings)}.`)],
      ...(findings.length > 0 && { table: makeTable(findings, columns) }),
    });
  });
  const head = `${marker}\n## ${escapeForForge(makeHeadline(worstFirst), 190)}\n`;
  return fitSections(head, chapters, "", Number.POSITIVE_INFINITY);
}

const columns: Columns<CheckFinding> = {
  "": ({ severity, isNew }) => (isNew ? [{ strong: "new" }, ` ${severity}`] : severity),
  Script: ({ subject }) => ({ code: subject }),
  // Show a command as code. Escaping ordinary text adds invisible characters, and a copied command that contains such characters
  // fails.
  What: ({ text }) =>
    text.split("`").map((part, at) => (at % 2 === 0 ? part : { code: part, isWhole: true })),
  Line: ({ line }) => line?.toString() ?? null,
  Code: ({ code }) => ({ code }),
};

type CodeOfNote = CodeOf<"info"> | "inventory-unchecked";

/** Titles for findings that have no title of their own, worst first. Notes need no action, so they have no title. */
const titles: Readonly<Record<Exclude<InventoryCode, CodeOfNote>, readonly [one: string, many: string]>> = {
  "inventory-malicious": ["a script counts as malicious", "scripts count as malicious"],
  "inventory-changed": ["an approved script changed", "approved scripts changed"],
  "inventory-unwatched": ["Page Guard is switched off", "Page Guard is switched off"],
  "inventory-incomplete": ["not everything could be checked", "not everything could be checked"],
  "inventory-invalid": ["the inventory has a fault", "the inventory has a fault"],
  "inventory-not-listed": ["a script is not in the inventory", "scripts are not in the inventory"],
  "inventory-unapproved": ["a script is not approved", "scripts are not approved"],
  "inventory-returned": ["a script that was gone is back", "scripts that were gone are back"],
  "inventory-contents": ["a script has new contents", "scripts have new contents"],
  "inventory-first-seen": ["a new script under an approved pattern", "new scripts under approved patterns"],
  "inventory-nothing-enforced": ["no policy is enforced", "no policy is enforced"],
  "inventory-policy-open": ["a policy allows any script", "policies allow any script"],
  "inventory-not-allowed": ["a script is allowed by no policy", "scripts are allowed by no policy"],
  "inventory-approved-early": [
    "a script was approved before it was seen",
    "scripts were approved before they were seen",
  ],
  "inventory-review-overdue": ["a review is overdue", "reviews are overdue"],
  "inventory-no-justification": ["an approval has no justification", "approvals have no justification"],
  "inventory-no-integrity": ["a script has no integrity method", "scripts have no integrity method"],
  "inventory-policy-unknown": ["a named policy is not enforced", "named policies are not enforced"],
  "inventory-matched-twice": ["a script matches several entries", "scripts match several entries"],
  "inventory-gone": ["a script is no longer listed", "scripts are no longer listed"],
  "inventory-matches-nothing": ["an entry matches no script", "entries match no script"],
};

const ranks: readonly string[] = Object.keys(titles);

function rankInHeadline({ code, severity }: CheckFinding): number {
  return severity === "info" ? ranks.length : ranks.indexOf(code);
}

function rankZone({ findings }: CheckedZone): number {
  return Math.min(ranks.length + 1, ...findings.map(rankInHeadline));
}

/** Returns one line that names the worst finding of each zone: `pay: policy "Checkout" is no longer enforced`. */
function makeHeadline(zones: readonly CheckedZone[]): string {
  const texts = zones.flatMap((zone) => {
    const worst = rankZone(zone);
    const [one, many] = Object.values(titles)[worst] ?? [];
    if (one === undefined) return [];
    const same = zone.findings.filter((finding) => rankInHeadline(finding) === worst);
    const named = distinct(same.map(({ title }) => title));
    const count = new Set(same.map(({ subject, scripts }) => (scripts.length === 1 ? scripts[0] : subject)))
      .size;
    const what = named.length > 0 ? named.join(", ") : count === 1 || one === many ? one : `${count} ${many}`;
    return [`${forTerminal(zone.zone.name, 60)}: ${what}`];
  });
  return texts.length === 0 ? "Inventory of scripts" : enumerate(texts, { most: 3, separator: "; " });
}
