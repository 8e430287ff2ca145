import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseJson } from "pulumi-page-guard/tools";
import { computeDigest } from "../documents/audit/make-report";
import { type AuditReport, type AuditZone, type RunLine, reportSchema } from "../documents/audit/report-data";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { mostStackBytes, readBytes, readText } from "../shared/read-text";
import type { Session } from "../shared/session";
import { describeFault, filesBelow } from "./runs";

/** A zone as earlier reports show it. `readAt`: times of the reports from which the scripts and the policies were taken. */
export type EarlierZone = AuditZone & Readonly<{ readAt: Readonly<Record<"scripts" | "policies", string>> }>;

/** The newest of several earlier reports, with the newest known parts of each zone. */
export type EarlierReport = NonNullable<ReturnType<typeof joinReports>>;

/**
 * Reads an earlier report from a file, or the reports below a folder. In a folder, ignores reports that are dated in the future.
 *
 * @throws CommandError if a file is not a JSON report of this command or was edited, or if none of the `lines` records it.
 */
export async function readSince(
  session: Session,
  path: string,
  lines: readonly RunLine[] | undefined,
): Promise<EarlierReport | undefined> {
  if (!statSync(resolve(session.cwd, path), { throwIfNoEntry: false })?.isDirectory())
    return joinReports([parseReport(path, await readText(session, path, mostStackBytes), lines)]);
  const reports = filesBelow(session, path)
    .filter((name) => basename(name) === "report.json")
    .map((name) => join(path, name))
    .map((file) => parseReport(file, readBytes(session, file, mostStackBytes).toString("utf8"), lines))
    .filter(({ head }) => Date.parse(head.madeAt) <= session.now())
    .sort((left, right) => Date.parse(left.head.madeAt) - Date.parse(right.head.madeAt));
  return joinReports(reports);
}

/** Joins reports, which are sorted from the oldest to the newest. Takes each part of a zone from the newest report that contains this part. */
function joinReports(reports: readonly AuditReport[]) {
  const zones = new Map<string, EarlierZone>();
  for (const { head, data } of reports)
    for (const zone of data.zones) {
      const before = zones.get(zone.id);
      const readAt = {
        scripts: zone.scripts || !before ? head.madeAt : before.readAt.scripts,
        policies: zone.policies || !before ? head.madeAt : before.readAt.policies,
      };
      const scripts = zone.scripts ?? before?.scripts ?? null;
      const policies = zone.policies ?? before?.policies ?? null;
      const settings = zone.settings ?? before?.settings ?? null;
      zones.set(zone.id, { ...zone, scripts, policies, settings, readAt });
    }
  const newest = reports.at(-1);
  const read = [...zones.values()].filter(({ scripts }) => scripts);
  return newest && { head: newest.head, zones: read };
}

function parseReport(file: string, text: string, lines: readonly RunLine[] | undefined): AuditReport {
  const value = parseJson(text);
  const { data: report, error } = reportSchema.safeParse(value);
  const isWhole = report && computeDigest(report) === report.head.digest;
  const isRecorded = (of: AuditReport) =>
    lines?.some(({ digest, when, chain }) => chain && digest === of.head.digest && when === of.head.madeAt);
  if (isWhole && isRecorded(report) !== false) return report;
  const changed = isWhole
    ? "no line in --runs has its digest and time"
    : "its digest does not match its data, so it was edited later";
  const fault = error ? describeFault(value, error) : changed;
  throw new CommandError(
    `Failed to compare with ${forTerminal(file)}: ${fault}. --since expects a report written with --format json.`,
  );
}
