import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { canonical, jsonOf } from "pulumi-page-guard/tools";
import type * as z from "zod";
import { sealOfText } from "../approval/seal";
import { CommandError } from "../command-error";
import { ofStack, readBytes, readText } from "../read-text";
import { digestOf } from "../reports/audit/make-report";
import {
  type AuditReport,
  type AuditRuns,
  type RunLine,
  reportSchema,
  runSchema,
} from "../reports/audit/report-data";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { reasonOf } from "../zones";

/**
 * What scheduled jobs have recorded: the lines of a folder's `.jsonl` files, and the chain of the last one. A line that
 * cannot be read is reported, not passed over. @throws CommandError when the folder cannot be read.
 */
export function readRuns(session: Session, folder: string, key: string | undefined) {
  let files: string[];
  try {
    files = readdirSync(resolve(session.cwd, folder)).filter((name) => name.endsWith(".jsonl"));
  } catch (error) {
    throw new CommandError(`Failed to read the folder ${forTerminal(folder)} of --runs: ${reasonOf(error)}`);
  }
  const lines: RunLine[] = [];
  const unreadable: AuditRuns["unreadable"] = [];
  let [last, chain]: [string, AuditRuns["chain"]] = ["", "none"];
  for (const file of files.sort()) {
    const text = readBytes(session, join(folder, file)).toString("utf8");
    for (const [index, line] of text.split("\n").entries()) {
      if (line.trim() === "") continue;
      const value = jsonOf(line);
      const { data, error } = runSchema.safeParse(value);
      if (error) {
        unreadable.push({ file, line: index + 1, reason: faultOf(value, error) });
        continue;
      }
      lines.push(data);
      if (data.zones === undefined) continue;
      chain = chain === "broken" ? chain : checked(data, last, key);
      last = data.chain ?? "";
    }
  }
  return { files, lines, unreadable, chain, last };
}

function faultOf(value: unknown, { issues: [issue] }: z.ZodError): string {
  if (value === undefined) return "it is not JSON";
  return `at ${forTerminal(issue?.path.map(String).join(".") || "its top")}, ${issue?.message ?? "?"}`;
}

function checked(line: RunLine, last: string, key: string | undefined): AuditRuns["chain"] {
  const isKeyed = line.chain?.startsWith("hmac-") === true;
  if (isKeyed && key === undefined) return "not checked";
  if (line.chain !== chainOf(line, last, isKeyed ? key : undefined)) return "broken";
  // With the key at hand, a line without it was written by someone who does not have it.
  return isKeyed ? "keyed" : key === undefined ? "not keyed" : "broken";
}

/** Of a line and of all before it. */
export function chainOf({ chain: _, ...line }: RunLine, last: string, key: string | undefined): string {
  return sealOfText(`${last}\n${canonical(line)}`, key);
}

/**
 * An earlier report: a file, or of a folder and those in it the newest of each zone.
 * @throws CommandError for what is no JSON report of this command, or not as it was written.
 */
export async function readSince(session: Session, path: string): Promise<AuditReport | undefined> {
  if (!statSync(resolve(session.cwd, path), { throwIfNoEntry: false })?.isDirectory())
    return reportOf(path, await readText(session, path, ofStack));
  const names = readdirSync(resolve(session.cwd, path), { recursive: true, encoding: "utf8" });
  const reports = names
    .filter((name) => /(^|[\\/])report\.json$/.test(name))
    .map((name) => reportOf(join(path, name), readBytes(session, join(path, name)).toString("utf8")))
    .sort((left, right) => Date.parse(left.head.madeAt) - Date.parse(right.head.madeAt));
  const read = reports.flatMap(({ data }) => data.zones.filter(({ scripts }) => scripts));
  const zones = [...new Map(read.map((zone) => [zone.id, zone])).values()];
  const newest = reports.at(-1);
  return newest && { ...newest, data: { ...newest.data, zones } };
}

function reportOf(file: string, text: string): AuditReport {
  const value = jsonOf(text);
  const { data: report, error } = reportSchema.safeParse(value);
  const changed = "its digest is not that of its data, so it was changed since";
  if (report && digestOf(report.data) === report.head.digest) return report;
  throw new CommandError(
    `Failed to compare with ${forTerminal(file)}: ${error ? faultOf(value, error) : changed}. Give --since what --format json has written.`,
  );
}
