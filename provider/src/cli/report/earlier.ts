import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { alertsOf, seriesOf } from "../../reports/audit/cadence";
import {
  type AuditReport,
  type AuditRuns,
  type RunLine,
  reportSchema,
  runSchema,
} from "../../reports/audit/report-data";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import { ofStack, readBytes, readText } from "../read-text";
import type { Session } from "../session";
import { reasonOf } from "../zones";

/**
 * What scheduled jobs have recorded: the lines of a folder's `.jsonl` files. A line that cannot be read is reported, not
 * passed over. @throws CommandError when the folder cannot be read.
 */
export function readRuns(session: Session, folder: string) {
  const files = listed(session, folder);
  const lines: RunLine[] = [];
  const unreadable: AuditRuns["unreadable"] = [];
  for (const file of files) {
    const text = readBytes(session, join(folder, file)).toString("utf8");
    text.split("\n").forEach((line, index) => {
      if (line.trim() === "") return;
      const parsed = parseLine(line);
      if (typeof parsed === "string") unreadable.push({ file, line: index + 1, reason: parsed });
      else lines.push(parsed);
    });
  }
  return { files, lines, unreadable };
}

export function auditRuns(
  { files, lines, unreadable }: ReturnType<typeof readRuns>,
  period: AuditReport["head"]["period"],
): AuditRuns {
  return { files: [...files], unreadable, series: seriesOf(lines, period), alerts: alertsOf(lines) };
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

/** @throws CommandError for what is no JSON report of this command. */
export async function readSince(session: Session, file: string): Promise<AuditReport> {
  const text = await readText(session, file, ofStack);
  const refuse = (why: string): CommandError =>
    new CommandError(
      `Failed to compare with ${forTerminal(file)}: ${why}. Give --since what --format json has written.`,
    );
  const value = jsonOf(text);
  if (value === undefined) throw refuse("it is not JSON");
  const parsed = reportSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(`at ${forTerminal(issue?.path.map(String).join(".") || "its top")}, ${issue?.message ?? "?"}`);
}
