import { appendFileSync, closeSync, constants, existsSync, openSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { canonicalize, parseJson } from "pulumi-page-guard/tools";
import type * as z from "zod";
import { type AuditRuns, type RunLine, runSchema } from "../documents/audit/report-data";
import { forTerminal, readReason } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { mostStackBytes, readBytes } from "../shared/read-text";
import type { Session } from "../shared/session";
import { canFollow, chainLine, inspectChain } from "./chain";

export type RecordedRuns = ReturnType<typeof readRuns>;

/**
 * Reads the records of scheduled jobs (the lines of a folder's `.jsonl` files), and checks the chain of seals that links them.
 * `unreadable` lists the lines that are not such records. @throws CommandError if the folder cannot be read.
 */
export function readRuns(session: Session, folder: string, key: string | undefined) {
  let files: string[];
  try {
    files = filesBelow(session, folder).filter((name) => name.endsWith(".jsonl"));
  } catch (error) {
    throw new CommandError(
      `Failed to read the runs in the folder ${forTerminal(folder)}: ${readReason(error)}`,
    );
  }
  const lines: RunLine[] = [];
  const unreadable: AuditRuns["unreadable"] = [];
  for (const file of files.sort()) {
    const text = readBytes(session, join(folder, file), mostStackBytes).toString("utf8");
    for (const [index, line] of text.split("\n").entries()) {
      if (line.trim() === "") continue;
      const value = parseJson(line);
      const { data, error } = runSchema.safeParse(value);
      if (error || isTooMuchByHand(data)) {
        unreadable.push({
          file,
          line: index + 1,
          reason: error ? describeFault(value, error) : tooMuchByHand,
        });
        continue;
      }
      if (isAltered(line, value, data)) unreadable.push({ file, line: index + 1, reason: altered });
      lines.push(data.chain === undefined ? { ...data, when: toUtc(data.when) } : data);
    }
  }
  return { folder, key, files, lines, unreadable, ...inspectChain(lines, key) };
}

/** Converts a time that a person wrote, perhaps with an offset. All times are compared and shown in UTC. */
const toUtc = (when: string): string => (when.endsWith("Z") ? when : new Date(when).toISOString());

const tooMuchByHand = "without a `chain`, a line must have an `alert`, and neither `exit` nor `reason`";

/** Whether a line was written by hand, but not only to add to an alert. A line with `zones` is left to the check of the chain. */
function isTooMuchByHand({ chain, zones, alert, exit, reason }: RunLine): boolean {
  if (chain !== undefined || zones !== undefined) return false;
  return alert === undefined || exit !== undefined || reason !== undefined;
}

const altered =
  "no job writes a line like this: it has an unknown or repeated field, or other white space than a job writes";

/** Whether a chained line contains text that was dropped when it was read. The seal of the line does not cover this text. */
function isAltered(text: string, value: unknown, read: RunLine): boolean {
  if (read.chain === undefined) return false;
  return JSON.stringify(value) !== text.trim() || canonicalize(value) !== canonicalize(read);
}

/** Like `readRuns`, for a job that adds lines. @throws CommandError if a line sealed with `key` would break the chain for good. */
export function readRunsToExtend(session: Session, folder: string, key: string | undefined): RecordedRuns {
  const runs = readRuns(session, folder, key);
  if (canFollow(runs.lines, key)) return runs;
  const why =
    key === undefined
      ? "its lines are chained with a key, but no key is given, or the variable of --key-env is empty"
      : "none of its lines is chained with the key of --key-env";
  throw new CommandError(
    `Failed to add a line to ${forTerminal(folder)}: ${why}. Use the key that the first check used. To change the key, start a new folder.`,
  );
}

/** Returns the paths of all files and symbolic links below a folder, relative to this folder. Follows no links. */
export function filesBelow(session: Session, folder: string): string[] {
  const root = resolve(session.cwd, folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((one) => !one.isDirectory())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

export function describeFault(value: unknown, { issues: [issue] }: z.ZodError): string {
  if (value === undefined) return "it is not JSON";
  return `at ${forTerminal(issue?.path.map(String).join(".") || "the top level")}, ${issue?.message ?? "?"}`;
}

/** Chains a line to the recorded runs, and appends it to the file of its month. Returns its seal. */
export function recordLine(session: Session, { folder, ends, key }: RecordedRuns, line: RunLine): string {
  const made = chainLine(line, ends, key);
  appendLine(session, folder, made);
  return made.chain;
}

/** Chains alert lines to the recorded runs. The command `issue` has no key, so it writes these lines unchained. */
export function recordAlerts(session: Session, from: string, folder: string, key: string | undefined): void {
  const { lines, unreadable } = readRuns(session, from, undefined);
  const isAlert = ({ when: _, what, alert, ...more }: RunLine): boolean =>
    what === "page-guard issue" && alert !== undefined && Object.keys(more).length === 0;
  if (unreadable.length > 0 || !lines.every(isAlert))
    throw new CommandError(
      `Failed to chain ${forTerminal(from)}: it contains lines that page-guard issue did not write.`,
    );
  let runs = readRunsToExtend(session, folder, key);
  for (const line of lines) runs = { ...runs, ends: [recordLine(session, runs, line)] };
}

/** Appends a line to the file of its month. */
export function appendLine(session: Session, folder: string, line: RunLine): void {
  const file = join(resolve(session.cwd, folder), `${line.when.slice(0, 7)}.jsonl`);
  // If a person wrote the last line, it may not end with a line break.
  const isOpen =
    existsSync(file) && ![undefined, 10].includes(readBytes(session, file, mostStackBytes).at(-1));
  const lineBreak = isOpen ? "\n" : "";
  // One short write to the end of the file keeps lines of concurrent jobs apart. Symbolic links are refused, because
  // a link in the branch of the runs could point elsewhere.
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
  const opened = openSync(file, flags, 0o600);
  try {
    appendFileSync(opened, `${lineBreak}${JSON.stringify(line)}\n`);
  } finally {
    closeSync(opened);
  }
}
