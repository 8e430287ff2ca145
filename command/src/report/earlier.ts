import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { jsonOf } from "pulumi-page-guard/tools";
import { digestOf } from "../reports/audit/make-report";
import { type AuditReport, type RunLine, reportSchema } from "../reports/audit/report-data";
import { forTerminal } from "../reports/escape";
import { CommandError } from "../shared/command-error";
import { ofStack, readBytes, readText } from "../shared/read-text";
import type { Session } from "../shared/session";
import { faultOf, filesBelow } from "./runs";

/**
 * Reads an earlier report from a file. From a folder, reads the newest report of each zone, except reports dated in the future.
 *
 * @throws CommandError if a file is not a JSON report of this command, or differs from what a run of `lines` recorded.
 */
export async function readSince(
  session: Session,
  path: string,
  lines: readonly RunLine[] | undefined,
): Promise<AuditReport | undefined> {
  if (!statSync(resolve(session.cwd, path), { throwIfNoEntry: false })?.isDirectory())
    return reportOf(path, await readText(session, path, ofStack), lines);
  const reports = filesBelow(session, path)
    .filter((name) => basename(name) === "report.json")
    .map((name) => join(path, name))
    .map((file) => reportOf(file, readBytes(session, file).toString("utf8"), lines))
    .filter(({ head }) => Date.parse(head.madeAt) <= session.now())
    .sort((left, right) => Date.parse(left.head.madeAt) - Date.parse(right.head.madeAt));
  const read = reports.flatMap(({ data }) => data.zones.filter(({ scripts }) => scripts));
  const zones = [...new Map(read.map((zone) => [zone.id, zone])).values()];
  const newest = reports.at(-1);
  return newest && { ...newest, data: { ...newest.data, zones } };
}

function reportOf(file: string, text: string, lines: readonly RunLine[] | undefined): AuditReport {
  const value = jsonOf(text);
  const { data: report, error } = reportSchema.safeParse(value);
  const isWhole = report && digestOf(report) === report.head.digest;
  const isRecorded = (of: AuditReport) =>
    lines?.some(({ digest, when, chain }) => chain && digest === of.head.digest && when === of.head.madeAt);
  if (isWhole && isRecorded(report) !== false) return report;
  const changed = isWhole
    ? "no line of --runs has its digest and its time"
    : "its digest does not match its data, so it was edited later";
  throw new CommandError(
    `Failed to compare with ${forTerminal(file)}: ${error ? faultOf(value, error) : changed}. --since expects a report that --format json has written.`,
  );
}
