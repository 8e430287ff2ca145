import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseJson, readMessage } from "pulumi-page-guard/tools";
import type * as z from "zod";
import { type AuditRuns, type RunLine, runSchema } from "../reports/audit/report-data";
import { forTerminal } from "../reports/escape";
import { CommandError } from "../shared/command-error";
import { readBytes } from "../shared/read-text";
import type { Session } from "../shared/session";
import { inspectChain } from "./chain";

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
      `Failed to read the runs in the folder ${forTerminal(folder)}: ${forTerminal(readMessage(error))}`,
    );
  }
  const lines: RunLine[] = [];
  const unreadable: AuditRuns["unreadable"] = [];
  for (const file of files.sort()) {
    const text = readBytes(session, join(folder, file)).toString("utf8");
    for (const [index, line] of text.split("\n").entries()) {
      if (line.trim() === "") continue;
      const value = parseJson(line);
      const { data, error } = runSchema.safeParse(value);
      if (error) unreadable.push({ file, line: index + 1, reason: describeFault(value, error) });
      else lines.push(data);
    }
  }
  return { folder, key, files, lines, unreadable, ...inspectChain(lines, key) };
}

export type RecordedRuns = ReturnType<typeof readRuns>;

/** Returns the paths of all files and folders below a folder, relative to this folder. */
export function filesBelow(session: Session, folder: string): string[] {
  return readdirSync(resolve(session.cwd, folder), { recursive: true, encoding: "utf8" });
}

export function describeFault(value: unknown, { issues: [issue] }: z.ZodError): string {
  if (value === undefined) return "it is not JSON";
  return `at ${forTerminal(issue?.path.map(String).join(".") || "the top level")}, ${issue?.message ?? "?"}`;
}
