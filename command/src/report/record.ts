import { appendFileSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RunLine } from "../reports/audit/report-data";
import { forTerminal } from "../reports/escape";
import { CommandError } from "../shared/command-error";
import { readBytes } from "../shared/read-text";
import type { Session } from "../shared/session";
import { chainLine } from "./chain";
import { type RecordedRuns, readRuns } from "./runs";

/** Chains a line to the recorded runs, and appends it to the file of its month. Returns its seal. */
export function recordLine(session: Session, { folder, ends, key }: RecordedRuns, line: RunLine): string {
  const made = chainLine(line, ends, key);
  appendLine(session, folder, made);
  return made.chain;
}

/** Chains the alert lines of `page-guard issue` to the recorded runs, because that command does not have the key. */
export function recordAlerts(session: Session, from: string, folder: string, key: string | undefined): void {
  const { lines, unreadable } = readRuns(session, from, undefined);
  const isAlert = ({ when: _, what, alert, ...more }: RunLine): boolean =>
    what === "page-guard issue" && alert !== undefined && Object.keys(more).length === 0;
  if (unreadable.length > 0 || !lines.every(isAlert))
    throw new CommandError(
      `Failed to chain ${forTerminal(from)}: it contains lines that page-guard issue did not write.`,
    );
  let runs = readRuns(session, folder, key);
  for (const line of lines) runs = { ...runs, ends: [recordLine(session, runs, line)] };
}

/** Appends a line to the file of its month. */
export function appendLine(session: Session, folder: string, line: RunLine): void {
  const file = join(resolve(session.cwd, folder), `${line.when.slice(0, 7)}.jsonl`);
  // If a person wrote the last line, it may not end with a line break.
  const isOpen = existsSync(file) && !/(^|\n)$/.test(readBytes(session, file).toString("utf8"));
  // One short write to the end of the file keeps lines of concurrent jobs apart. Symbolic links are refused, because
  // a branch can contain them.
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
  const opened = openSync(file, flags, 0o600);
  try {
    const lineBreak = isOpen ? "\n" : "";
    appendFileSync(opened, `${lineBreak}${JSON.stringify(line)}\n`);
  } finally {
    closeSync(opened);
  }
}
