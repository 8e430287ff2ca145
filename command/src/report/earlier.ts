import { createHash, createHmac } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { canonical, jsonOf } from "pulumi-page-guard/tools";
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

/** What scheduled jobs have recorded: the lines of a folder's `.jsonl` files. */
interface Recorded extends Pick<AuditRuns, "files" | "unreadable" | "chain"> {
  readonly lines: readonly RunLine[];
  /** Of the last line; empty before the first one. */
  readonly last: string;
}

/**
 * Reads them. A line that cannot be read is reported, not passed over; one that says what a zone had and is in no chain does
 * not count. @throws CommandError when the folder cannot be read.
 */
export function readRuns(session: Session, folder: string, key: string | undefined): Recorded {
  const files = listed(session, folder);
  const lines: RunLine[] = [];
  const unreadable: AuditRuns["unreadable"] = [];
  let [last, chain]: [string, AuditRuns["chain"]] = ["", "none"];
  for (const file of files) {
    const text = readBytes(session, join(folder, file)).toString("utf8");
    text.split("\n").forEach((line, index) => {
      if (line.trim() === "") return;
      const parsed = parseLine(line);
      if (typeof parsed === "string") unreadable.push({ file, line: index + 1, reason: parsed });
      else {
        lines.push(parsed);
        if (parsed.zones === undefined) return;
        chain = chain === "broken" ? chain : checked(parsed, last, key);
        last = parsed.chain ?? "";
      }
    });
  }
  return { files: [...files], lines, unreadable, chain, last };
}

function checked(line: RunLine, last: string, key: string | undefined): AuditRuns["chain"] {
  const isKeyed = line.chain?.startsWith(keyed) === true;
  if (isKeyed && key === undefined) return "not checked";
  if (line.chain !== chainOf(line, last, isKeyed ? key : undefined)) return "broken";
  // With the key at hand, a line without it was written by someone who does not have it.
  return isKeyed ? "keyed" : key === undefined ? "not keyed" : "broken";
}

const keyed = "hmac-sha256:";

/** Of a line and of all before it. */
export function chainOf({ chain: _, ...line }: RunLine, last: string, key: string | undefined): string {
  const text = `${last}\n${canonical(line)}`;
  if (key === undefined) return `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return `${keyed}${createHmac("sha256", key).update(text).digest("hex")}`;
}

function listed(session: Session, folder: string): readonly string[] {
  try {
    return readdirSync(resolve(session.cwd, folder))
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  } catch (error) {
    throw new CommandError(`Failed to read the folder ${forTerminal(folder)} of --runs: ${reasonOf(error)}`);
  }
}

function parseLine(line: string): RunLine | string {
  const value = jsonOf(line);
  if (value === undefined) return "It is not JSON.";
  const parsed = runSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.map(String).join(".") ?? "";
  return where === "" ? "It is not an object with when, what and exit." : `${where}: ${issue?.message ?? ""}`;
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
    .sort((left, right) => Date.parse(right.head.madeAt) - Date.parse(left.head.madeAt));
  const [newest] = reports;
  if (newest === undefined) return undefined;
  const zones = new Map<string, AuditReport["data"]["zones"][number]>();
  for (const { data } of reports)
    for (const zone of data.zones) if (zone.scripts && !zones.has(zone.id)) zones.set(zone.id, zone);
  return { ...newest, data: { ...newest.data, zones: [...zones.values()] } };
}

function reportOf(file: string, text: string): AuditReport {
  const refuse = (why: string): CommandError =>
    new CommandError(
      `Failed to compare with ${forTerminal(file)}: ${why}. Give --since what --format json has written.`,
    );
  const value = jsonOf(text);
  if (value === undefined) throw refuse("it is not JSON");
  const parsed = reportSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(
      `at ${forTerminal(issue?.path.map(String).join(".") || "its top")}, ${issue?.message ?? "?"}`,
    );
  }
  if (digestOf(parsed.data.data) !== parsed.data.head.digest)
    throw refuse("its digest is not that of its data, so it was changed since");
  return parsed.data;
}
