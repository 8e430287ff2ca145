import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { maliciousBelow } from "page-guard-csp";
import { enumerate, pluralize, runInFlight } from "pulumi-page-guard/tools";
import { readKey } from "../approval/seal";
import { type Attention, collectAttention, severityWords } from "../documents/audit/attention";
import { collectChanges, summariseRuns } from "../documents/audit/cadence";
import { documents, html, markdown } from "../documents/audit/documents";
import { findMaker, makeReport, sha256, zoneRuns } from "../documents/audit/make-report";
import type { AuditReport, AuditZone, RunLine } from "../documents/audit/report-data";
import { forJson, forTerminal, readReason } from "../documents/escape";
import { isDay } from "../inventory/inventory-file";
import { packageVersion } from "../package-version";
import {
  type PageFlags,
  repeatable,
  wholeNumber,
  withConnection,
  withPages,
  withReferences,
  withState,
  withZones,
} from "../shared/options";
import { makeFolder, printAndWrite, replaceFile } from "../shared/output";
import { Progress } from "../shared/progress";
import { type Conclude, type ExitCode, exitCode, type Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { dayMs } from "../shared/values";
import { zonesAtOnce } from "../shared/zones";
import { type EarlierReport, readSince } from "./earlier";
import { type GatherFlags, gather, zonesToRead } from "./gather";
import { type RecordedRuns, readRuns, readRunsToExtend, recordAlerts, recordLine } from "./runs";
import { verifyFolder } from "./verify";
import { readiness, wafFiles } from "./waf";

interface ReportFlags extends GatherFlags, PageFlags {
  readonly format: readonly Format[];
  readonly out: string;
  readonly since?: string;
  readonly runs?: string;
  readonly record?: boolean;
  readonly check?: boolean;
  readonly keyEnv?: string;
  readonly from?: string;
  readonly waf?: boolean;
  readonly verify?: string;
  readonly chain?: string;
}

const formats = ["html", "md", "csv", "json"] as const;
type Format = (typeof formats)[number];

const example = `
Examples:
  page-guard report --zones zones.yaml --inventory inventory --out report
  page-guard report --zone 8f14e45fceea167a5a36dedd4bea2543 --name 8f14e45fceea167a5a36dedd4bea2543=shop \\
    --inventory inventory --stack production --runs runs --since last/report.json --out report

Writes one file per format of --format into the folder of --out: report.html, report.md, report.json and, for csv, three files:
scripts.csv, cookies.csv and policies.csv. With --waf, the files are waf.html, waf.md, waf.json and waf.csv.

Exit codes: 0 written; 1 failed, or something could not be read (the written report says what);
2 with --check: something needs a person to act.`;

export function reportCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("report")
    .description("Write a report on zones for assessors and engineers: scripts, monitoring, policies")
    .option("--format <list>", "html, md, csv, json, separated by commas", parseFormats, ["html", "json"])
    .option("--out <dir>", "folder to write into", "page-guard-report")
    .option("--inventory <dir>", "folder with the inventory of each zone, <name>.yaml")
    .option(
      "--page <url>",
      "a payment page, in addition to those of the inventory; with * at the end, all pages whose URLs begin with it (repeatable)",
      repeatable,
    )
    .option(
      "--since <path>",
      "list what has changed since an earlier report: its JSON file, or a folder of reports (the newest report of each zone is used)",
    )
    .option("--runs <dir>", "folder with results of scheduled checks, as lines of JSON in .jsonl files")
    .option("--record", "append the result of this run to the folder of --runs")
    .option("--key-env <name>", "environment variable with the key that seals the lines of --runs")
    .option(
      "--from <date>",
      "start of the period that the report covers (default: the later of the first recorded run and a year ago; without runs, the time of the earlier report)",
      parseDate,
    )
    .option(
      "--threshold <score>",
      "integrity score below which a script counts as malicious",
      wholeNumber(1, 100),
      maliciousBelow,
    )
    .option("--check", "exit with 2 if something needs a person to act")
    .option(
      "--verify <dir>",
      "write no report; check that the lines and reports below a folder are unchanged since they were recorded (exits with 2 if not)",
    )
    .option(
      "--chain <dir>",
      "write no report; append to the folder of --runs the lines that page-guard issue --record wrote into <dir>",
    )
    .option("--waf", "write only a page that shows which zones are ready for the new WAF managed rules");
  return withConnection(withZones(withState(withReferences(withPages(command)))))
    .addHelpText("after", example)
    .action((flags: ReportFlags) => conclude(runReport(session, flags)));
}

async function runReport(session: Session, flags: ReportFlags): Promise<ExitCode> {
  const alone = [flags.waf, flags.verify, flags.chain].filter((flag) => flag !== undefined).length;
  if (alone > 1 || (alone === 1 && (flags.record || flags.check)))
    throw new UsageError(
      "Give only one of --waf, --verify and --chain. With it, leave out --record and --check, because no report is written.",
    );
  if (flags.waf) return wafReport(session, flags);
  const { runs: folder, keyEnv, verify, chain } = flags;
  const key = keyEnv === undefined ? undefined : readKey(session, keyEnv, "the same in every job");
  if (verify !== undefined) return verifyFolder(session, verify, key);
  if ((flags.record || chain !== undefined) && folder === undefined)
    throw new UsageError("--record and --chain append to the folder of --runs. Give --runs, too.");
  if (chain !== undefined && folder !== undefined) {
    recordAlerts(session, chain, folder, key);
    return exitCode.fine;
  }
  if (Date.parse(flags.from ?? "") > session.now())
    throw new UsageError("--from is in the future, but the period of a report ends now.");
  if (flags.check && flags.inventory === undefined)
    throw new UsageError("--check needs --inventory: without it, no script has an approval to check.");
  if (flags.record && folder !== undefined) makeFolder(resolve(session.cwd, folder));
  const readFolder = flags.record ? readRunsToExtend : readRuns;
  return report(session, flags, folder === undefined ? undefined : readFolder(session, folder, key));
}

/** Makes a report and writes it. With --record, also records this run, even if it fails. */
async function report(
  session: Session,
  flags: ReportFlags,
  recorded: RecordedRuns | undefined,
): Promise<ExitCode> {
  const record = (line: RunLine) => flags.record && recorded && recordLine(session, recorded, line);
  const link = findMaker(session.env)?.run;
  const begun = { what: "page-guard report", ...(link && { link }) };
  const { since, zones } = await readAll(session, flags, recorded).catch((error: unknown) => {
    record({ when: isoNow(session), ...begun, exit: exitCode.failed, reason: readReason(error) });
    throw error;
  });
  const own: RunLine = {
    when: isoNow(session),
    ...begun,
    exit: exitCode.fine,
    threshold: flags.threshold,
    zones: zoneRuns(zones, since?.zones),
    ...(since && { since: since.head.madeAt }),
  };
  const made = makeWithRuns(session, flags, { zones, since, recorded, own });
  const needs = collectAttention(made);
  const files = flags.format.flatMap((format) => Object.entries(documents[format](made)));
  const written = writeAll(session, flags, files);
  const { counts, digest } = made.head;
  const digests = Object.fromEntries(files.map(([name, text]) => [name, sha256(text)]));
  const code = chooseExitCode(flags, needs);
  record({ ...own, exit: code, counts, digest, files: digests });
  const summary = [renderSummary(made, needs), ...written, ""].join("\n");
  printAndWrite(session, flags.json ? forJson(made) : summary, [
    [flags.markdown, () => markdown(made)],
    [flags.html, () => html(made)],
  ]);
  const unread = enumerate(needs.filter(isUnread).map(renderNeed), { separator: "\n" });
  if (unread !== "") session.err(`The report is not complete:\n${unread}\n`);
  return code;
}

async function readAll(session: Session, flags: ReportFlags, recorded: RecordedRuns | undefined) {
  const since =
    flags.since === undefined ? undefined : await readSince(session, flags.since, recorded?.lines);
  return { since, zones: await gather(session, flags, new Progress(session), since?.zones) };
}

function chooseExitCode({ check }: ReportFlags, needs: readonly Attention[]): ExitCode {
  if (needs.some(isUnread)) return exitCode.failed;
  return check && needs.some(({ severity }) => severity === "error") ? exitCode.found : exitCode.fine;
}

/** Whether a need says that something could not be read. The report is then not complete. */
function isUnread({ code }: Attention): boolean {
  return ["report-unread", "report-inventory-faults", "report-runs-unreadable"].includes(code);
}

interface Gathered {
  readonly zones: AuditZone[];
  readonly since: EarlierReport | undefined;
  readonly recorded: RecordedRuns | undefined;
  readonly own: RunLine;
}

/** Makes a report from the zones and the recorded runs. With --record, the report also counts this run, whose line is `own`. */
function makeWithRuns(session: Session, flags: ReportFlags, { zones, since, recorded, own }: Gathered) {
  const earlier = recorded?.lines ?? [];
  // The period begins with the first recorded run, but at most a year ago.
  const starts = earlier.flatMap(({ alert, when }) => (alert === undefined ? [Date.parse(when)] : []));
  const [first] = starts.sort((left, right) => left - right);
  const yearAgo = session.now() - 366 * dayMs;
  const begin = first === undefined ? since?.head.madeAt : new Date(Math.max(first, yearAgo)).toISOString();
  const period = { from: flags.from ?? begin ?? null, to: own.when };
  const isFirst = flags.record && recorded?.chain === "none";
  const runs = recorded && {
    files: recorded.files,
    unreadable: recorded.unreadable,
    chain: isFirst ? (recorded.key === undefined ? "not keyed" : "keyed") : recorded.chain,
    ...summariseRuns(flags.record ? [...earlier, own] : earlier, period, zones),
  };
  const head = {
    madeAt: own.when,
    period,
    version: packageVersion(),
    madeBy: findMaker(session.env),
    threshold: flags.threshold,
    since: since ? { madeAt: since.head.madeAt, digest: since.head.digest } : null,
  };
  return makeReport({ zones, runs: runs ?? null }, head, collectChanges([...earlier, own], period, zones));
}

/** Writes a page about the migrations of the zones. The page is separate, because assessors of scripts do not need it. */
async function wafReport(session: Session, flags: ReportFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const zones = await zonesToRead(session, flags, progress);
  const read = await progress.during("Reading zones", () =>
    runInFlight(zonesAtOnce, zones, ({ client, zone }) => readiness(client, zone)),
  );
  const made = wafFiles(read, isoNow(session));
  const files = flags.format.map((format) => [`waf.${format}`, made[format]()] as const);
  const ready = read.filter(({ mayBegin }) => mayBegin === "yes").length;
  const summary = `${pluralize(read.length, "zone")}: the migration may begin in ${ready}.`;
  const text = [summary, ...writeAll(session, flags, files), ""].join("\n");
  printAndWrite(session, flags.json ? made.json() : text, [
    [flags.markdown, made.md],
    [flags.html, made.html],
  ]);
  const unread = read.flatMap(({ zone, unread: parts }) => parts.map((one) => `${zone}: ${one}`));
  for (const one of unread) session.err(`${forTerminal(one, 600)}\n`);
  return unread.length > 0 ? exitCode.failed : exitCode.fine;
}

function isoNow({ now }: Session): string {
  return new Date(now()).toISOString();
}

function writeAll(
  session: Session,
  { out }: ReportFlags,
  files: readonly (readonly [name: string, text: string])[],
): readonly string[] {
  for (const [name, text] of files) replaceFile(session, join(out, name), text);
  return files.map(([name]) => `Written: ${forTerminal(join(out, name))}`);
}

function renderSummary({ head }: AuditReport, needs: readonly Attention[]): string {
  const { zones = 0, scripts = 0, approved, policies = 0, enforced } = head.counts;
  const counts = `${pluralize(zones, "zone")}, ${pluralize(scripts, "script")} (${approved} approved), ${pluralize(policies, "policy", "policies")} (${enforced} enforced).`;
  const lines = needs.map((need) => `${severityWords[need.severity].padEnd(5)}  ${renderNeed(need)}`);
  return [counts, ...(lines.length > 0 ? [enumerate(lines, { separator: "\n" })] : [])].join("\n");
}

function renderNeed({ text, zones }: Attention): string {
  const where = zones.length === 0 ? "" : ` (${enumerate(zones, { most: 3, separator: ", " })})`;
  return `${forTerminal(text, 600)}${where}`;
}

function parseFormats(text: string): readonly Format[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !formats.some((format) => format === name));
  if (unknown.length > 0) throw new InvalidArgumentError(`Expected ${formats.join(", ")}.`);
  return formats.filter((format) => names.includes(format));
}

function parseDate(text: string): string {
  const time = isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError("Expected a date such as 2026-11-23.");
  return new Date(time).toISOString();
}
