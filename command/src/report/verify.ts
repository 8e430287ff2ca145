import { basename, dirname, join } from "node:path";
import { grouped, plural } from "pulumi-page-guard/tools";
import { sha256 } from "../reports/audit/make-report";
import { chainTexts } from "../reports/audit/monitoring-chapter";
import type { RunLine } from "../reports/audit/report-data";
import { forTerminal } from "../reports/escape";
import { CommandError } from "../shared/command-error";
import { readBytes } from "../shared/read-text";
import { type ExitCode, exitCode, type Session } from "../shared/session";
import { filesBelow, readRuns } from "./runs";

/** `page-guard report --verify`: checks that the lines and reports below a folder are as the runs recorded them. */
export function verifyFolder(session: Session, folder: string, key: string | undefined): ExitCode {
  const { lines, chain, unreadable } = readRuns(session, folder, key);
  if (chain === "not checked")
    throw new CommandError(
      `Failed to verify ${forTerminal(folder)}: its lines are chained with a key. Name the variable that contains the key with --key-env.`,
    );
  const files = filesBelow(session, folder).filter((name) =>
    /^report\.|\.(?:csv|html?|pdf)$/i.test(basename(name)),
  );
  const reports = grouped(files, (name) => dirname(name));
  // A line without a seal was written by hand, and must not claim to be from a job.
  const posing = lines.filter((line) => line.chain === undefined && line.what.startsWith("page-guard "));
  const faults = [
    ...unreadable.map(({ file, line, reason }) => `${file}:${line}: ${reason}.`),
    ...(chain === "broken" ? [chainTexts.broken] : []),
    ...(chain === "none" ? ["There is no line of a job, so nothing can be verified."] : []),
    ...posing.map(({ when, what }) => `The line of ${when} claims to be from ${what}, but is not chained.`),
    ...[...reports].flatMap(([name, own]) => faultsOf(session, folder, { name, files: own }, lines)),
  ];
  const byHand = lines.filter((line) => line.chain === undefined).length;
  const counts = `${plural(lines.length, "line")} (${byHand} by hand), ${plural(reports.size, "report")}`;
  const text = faults.length === 0 ? [`${counts}: as they were recorded. ${chainTexts[chain]}`] : faults;
  session.out(text.map((one) => `${forTerminal(one, 600)}\n`).join(""));
  return faults.length === 0 ? exitCode.fine : exitCode.found;
}

/** Returns the faults of a report. If one run wrote exactly these files on the day in the folder's name, there are none. */
function faultsOf(
  session: Session,
  folder: string,
  report: { readonly name: string; readonly files: readonly string[] },
  lines: readonly RunLine[],
): string[] {
  const digests = report.files.map((file) => [file, sha256(readBytes(session, join(folder, file)))] as const);
  const wrote = (line: RunLine, file: string, digest: string) =>
    line.chain !== undefined && line.files?.[basename(file)] === digest;
  const run = lines.find((line) => digests.every(([file, digest]) => wrote(line, file, digest)));
  const isHere = (name: string) => report.files.some((file) => basename(file) === name);
  const day = /^\d{4}-\d\d-\d\d/.exec(basename(report.name))?.[0];
  if (run === undefined) {
    const made = digests.filter(([file, digest]) => !lines.some((line) => wrote(line, file, digest)));
    const names = made.length > 0 ? made.map(([file]) => file) : report.files;
    return names.map((file) => `${file}: no recorded run wrote this file with these contents.`);
  }
  const gone = Object.keys(run.files ?? {}).filter((name) => !isHere(name));
  return [
    ...gone.map((name) => `${report.name}: ${name}, which the run wrote, is missing.`),
    ...(day === undefined || run.when.startsWith(day)
      ? []
      : [`${report.name}: this report was made on ${run.when.slice(0, 10)}.`]),
  ];
}
