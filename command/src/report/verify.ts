import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { groupBy, pluralize } from "pulumi-page-guard/tools";
import { sha256 } from "../documents/audit/make-report";
import { chainTexts } from "../documents/audit/monitoring-chapter";
import type { RunLine } from "../documents/audit/report-data";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { mostStackBytes, readBytes } from "../shared/read-text";
import { type ExitCode, exitCode, type Session } from "../shared/session";
import { filesBelow, readRuns } from "./runs";

/** `page-guard report --verify`: checks that lines and reports below a folder are unchanged since they were recorded. */
export function verifyFolder(session: Session, folder: string, key: string | undefined): ExitCode {
  const { lines, chain, unreadable } = readRuns(session, folder, key);
  if (chain === "not checked")
    throw new CommandError(
      `Failed to verify ${forTerminal(folder)}: its lines are chained with a key. Use --key-env to name the environment variable that contains the key.`,
    );
  const isLink = (file: string) => lstatSync(resolve(session.cwd, folder, file)).isSymbolicLink();
  const all = filesBelow(session, folder);
  const links = all.filter(isLink);
  const reports = groupBy(filesOfReports(all.filter((file) => !isLink(file))), (file) => dirname(file));
  const byHand = lines.filter((line) => line.chain === undefined);
  const posing = byHand.filter(({ what }) => /^pageguard/.test(lettersOf(what)));
  const [, ...others] = lines.filter(({ chain, after = [] }) => chain !== undefined && after.length === 0);
  const faults = [
    ...unreadable.map(({ file, line, reason }) => `${file}:${line}: ${reason}.`),
    ...(chain === "broken" ? [chainTexts.broken] : []),
    ...others.map(({ when }) => `The line of ${when} begins another chain: its job saw no earlier line.`),
    ...(chain === "none" ? ["No line was written by a job, so nothing can be verified."] : []),
    ...posing.map(({ when, what }) => `The line of ${when} claims to be from ${what}, but is not chained.`),
    ...links.map((file) => `${file}: it is a symbolic link, so its contents can change.`),
    ...[...reports].flatMap(([report, files]) => {
      const digest = (file: string) => sha256(readBytes(session, join(folder, file), mostStackBytes));
      return findFaults(report, new Map(files.map((file) => [basename(file), digest(file)])), lines);
    }),
  ];
  const counts = `${pluralize(lines.length, "line")} (${byHand.length} by hand), ${pluralize(reports.size, "report")}`;
  const text =
    faults.length === 0 ? [`${counts}: unchanged since they were recorded. ${chainTexts[chain]}`] : faults;
  session.out(text.map((one) => `${forTerminal(one, 600)}\n`).join(""));
  return faults.length === 0 ? exitCode.fine : exitCode.found;
}

/** Returns the files of reports: all except .jsonl files, git's files and `unpacked.txt`, where jobs note the unpacked commit. */
function filesOfReports(files: readonly string[]): string[] {
  return files.filter(
    (file) => !/\.jsonl$|^\.git(?:attributes)?(?:$|[/\\])|(?:^|[/\\])runs[/\\]unpacked\.txt$/.test(file),
  );
}

/** Returns the letters of a text in lower case, to find texts that a reader may mistake for one another. */
function lettersOf(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\P{L}/gu, "");
}

/** Returns the faults of a report. It has none if one run wrote exactly these files, on the date in the names of its folders. */
function findFaults(
  report: string,
  digests: ReadonlyMap<string, string>,
  lines: readonly RunLine[],
): string[] {
  const hasWritten = ({ chain, files }: RunLine, name: string) =>
    chain !== undefined && files?.[name] === digests.get(name);
  const names = [...digests.keys()];
  const run = lines.find((line) => names.every((name) => hasWritten(line, name)));
  if (run === undefined) {
    const unknown = names.filter((name) => !lines.some((line) => hasWritten(line, name)));
    return (unknown.length > 0 ? unknown : names).map(
      (name) =>
        `${join(report, name)}: no recorded run wrote this file with these contents, or git has converted its line ends (core.autocrlf).`,
    );
  }
  const gone = Object.keys(run.files ?? {}).filter((name) => !digests.has(name));
  const faults = gone.map((name) => `${report}: ${name}, which the run wrote, is missing.`);
  const day = run.when.slice(0, 10);
  if (report.split(/[/\\]/).some((name) => namesOther(day, name)))
    faults.push(`${report}: this report was made on ${day}, not on the date in the folder's name.`);
  return faults;
}

/** Whether a folder's name contains a date other than this day, its month, quarter or year. A year alone is a date, too. */
function namesOther(day: string, name: string): boolean {
  const [year, month, date] = day.split("-");
  const quarter = Math.ceil(Number(month) / 3);
  const right = `${year}(?:[-_.]?${month}(?:[-_.]?${date}(?:-\\d{6})?)?|[-_. ]?Q${quarter})?`;
  const rest = name.replace(new RegExp(`(?<!\\d[-_.]?)${right}(?![-_. ]?[\\dQ])`, "gi"), "");
  return /(?<!\d)(?:19|20)\d\d/.test(rest);
}
