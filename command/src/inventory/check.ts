import { createHash } from "node:crypto";
import { jsonOf, plural, z } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import type { OutputFlags } from "../options";
import { print, writeText } from "../output";
import { type Paint, painter } from "../paint";
import { Progress } from "../progress";
import { readText } from "../read-text";
import { codeQuality } from "../reports/code-quality";
import { forTerminal } from "../reports/escape";
import { meaningOf } from "../reports/finding-meanings";
import { type Report, reportSeverity } from "../reports/report";
import { type ExitCode, exitCode, packageVersion, type Session, today } from "../session";
import { UsageError } from "../usage-error";
import type { ZoneRef } from "../zones";
import { type CheckedZone, type CheckFinding, checkMarkdown, countsOf, rankOf } from "./checked-zone";
import type { InventoryEntry } from "./inventory-file";
import { type InventoryFinding, inventoryFinding, judgeInventory } from "./judge";
import { inventoryOf, type PlaceFlags } from "./place";
import { type FailedZone, type ScriptFlags, type ZoneScripts, zoneScripts } from "./zone-scripts";

export interface CheckFlags extends ScriptFlags, PlaceFlags, OutputFlags {
  readonly since?: string;
  readonly codeQuality?: string;
  readonly markdown?: string;
}

/** `page-guard inventory check`: what the inventory and the zone disagree about. */
export async function checkInventory(session: Session, flags: CheckFlags): Promise<ExitCode> {
  // The formats that are no document for standard output.
  const files = { "--code-quality": flags.codeQuality, "--markdown": flags.markdown };
  for (const [name, file] of Object.entries(files))
    if (file === "-") throw new UsageError(`${name} takes the name of a file.`);
  const known = flags.since === undefined ? undefined : await readSince(session, flags.since);
  const progress = new Progress(session);
  const read = await zoneScripts(session, flags, progress);
  const zones = read.map((one) => checkOne(session, flags, one, known));
  const asked = zones.flatMap(({ findings }) => findings).filter(({ severity }) => severity !== "info");
  const isComplete = zones.every((zone) => zone.isComplete);
  const report = reportOf(zones);
  if (flags.codeQuality !== undefined) writeText(session, flags.codeQuality, codeQuality(report));
  if (flags.markdown !== undefined) writeText(session, flags.markdown, checkMarkdown(zones));
  const { version: _, ...found } = report;
  const ended = print(session, flags, {
    ...found,
    text: textOf(painter(session), zones),
    json: {
      zones: zones.map(({ zone, ...one }) => ({ ...zone, ...one })),
      found: asked.length > 0,
      isComplete,
      requests: progress.requests,
    },
    isFound: asked.length > 0,
  });
  return isComplete ? ended : exitCode.failed;
}

function checkOne(
  session: Session,
  flags: CheckFlags,
  read: ZoneScripts | FailedZone,
  known: ReadonlySet<string> | undefined,
): CheckedZone {
  const { zone } = read;
  const { file, isMissing, entries, faults } = inventoryOf(session, flags, zone);
  const none = `There is no ${forTerminal(file)}. Run \`page-guard inventory update\`, which writes one.`;
  const found: InventoryFinding[] = [
    ...("failure" in read ? [incomplete(read.failure)] : read.lacks.map(incomplete)),
    ...(isMissing ? [incomplete(none)] : []),
    ...faults.map(({ line, message }) =>
      inventoryFinding("inventory-invalid", message, { subject: "file", line, scripts: [] }),
    ),
    ...("failure" in read ? [] : judged(session, entries, read)),
  ];
  return {
    zone,
    file,
    entries: entries.length,
    scripts: "failure" in read ? 0 : read.scripts.length,
    isComplete: found.every(({ code }) => code !== "inventory-incomplete" && code !== "inventory-invalid"),
    findings: found.map((finding) => toChecked(zone, finding, known)).sort(worstFirst),
  };
}

/** Where not all was seen, what is missing is not gone. */
function judged(
  session: Session,
  entries: readonly InventoryEntry[],
  { scripts, enforces, lacks }: ZoneScripts,
): readonly InventoryFinding[] {
  const findings = judgeInventory(entries, scripts, { today: today(session), enforces });
  if (lacks.length === 0) return findings;
  return findings.filter(({ code }) => code !== "inventory-gone" && code !== "inventory-matches-nothing");
}

function incomplete(text: string): InventoryFinding {
  return inventoryFinding("inventory-incomplete", text, { subject: "zone", scripts: [] });
}

function toChecked(
  zone: ZoneRef,
  { code, severity, text, subject, line, scripts }: InventoryFinding,
  known: ReadonlySet<string> | undefined,
): CheckFinding {
  // By what it is about: its line moves, and its text counts days and lines.
  const what = scripts.map(({ url, hash }) => [url, code === "inventory-changed" ? hash : undefined]);
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([code, zone.id, subject, ...what]))
    .digest("hex")
    .slice(0, 32);
  const isNew = known && !known.has(fingerprint);
  // Someone has accepted it: it is in the report for an assessor, and no alarm of each night.
  const told = code === "inventory-unchecked" ? "info" : severity;
  return {
    ...{ code, severity: told, text, subject, line, fingerprint, isNew },
    scripts: scripts.map(({ url }) => url),
  };
}

function worstFirst(a: CheckFinding, b: CheckFinding): number {
  return Number(b.isNew ?? false) - Number(a.isNew ?? false) || rankOf(a) - rankOf(b);
}

const sinceSchema = z.object({
  zones: z.array(z.object({ findings: z.array(z.object({ fingerprint: z.string() })) })),
});

/** What an earlier run found. */
async function readSince(session: Session, file: string): Promise<ReadonlySet<string>> {
  const read = sinceSchema.safeParse(jsonOf(await readText(session, file)));
  if (!read.success)
    throw new CommandError(
      `Failed to compare with ${forTerminal(file)}: give --since what \`page-guard inventory check --json\` printed.`,
    );
  return new Set(read.data.zones.flatMap(({ findings }) => findings.map(({ fingerprint }) => fingerprint)));
}

function reportOf(zones: readonly CheckedZone[]): Report {
  const findings = zones.flatMap(({ zone, file, findings: found }) =>
    found.map(({ code, severity, text, subject, line }) => ({
      ...{ code, message: text, subject, file, line },
      severity: reportSeverity(severity),
      zone: zone.name,
    })),
  );
  return {
    title: "page-guard inventory check",
    version: packageVersion(),
    examined: zones.map(({ zone }) => zone.name),
    findings,
    rules: Object.fromEntries(findings.map(({ code }) => [code, meaningOf(code).means])),
  };
}

/** More fill a screen; the formats for machines have all. */
const mostLines = 100;

function textOf(paint: Paint, zones: readonly CheckedZone[]): string {
  const colours = { error: paint.red, warning: paint.yellow, info: paint.dim };
  return zones
    .map(({ zone, file, entries, scripts, findings }) => {
      const lines = findings.slice(0, mostLines).map(({ code, severity, text, subject, line, isNew }) => {
        const place = line === undefined ? "" : `${forTerminal(file)}:${line} `;
        const about = line === undefined ? "" : `${subject}: `;
        return `  ${colours[severity](severity.padEnd(7))} ${isNew ? "NEW " : ""}${place}${about}${text} ${paint.dim(`[${code}]`)}`;
      });
      const more = findings.length - lines.length;
      return [
        `${zone.name}: ${plural(scripts, "script")}, ${plural(entries, "entry", "entries")}; ${countsOf(findings)}.`,
        ...lines,
        ...(more > 0 ? [`  and ${more} more: --json lists them all.`] : []),
        "",
      ].join("\n");
    })
    .join("");
}
