import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { forJson, forTerminal, readReason } from "../documents/escape";
import { junit, type Report, sarif } from "../documents/report";
import { packageVersion } from "../package-version";
import { CommandError } from "./command-error";
import type { OutputFlags } from "./options";
import { type ExitCode, exitCode, type Session } from "./session";

type Documents = readonly (readonly [file: string | undefined, make: () => string])[];

/** The result of a command: a report for machines, a text for people, and the document of `--json`. */
interface Output extends Omit<Report, "version"> {
  /** Text for people. Safe to show. */
  readonly text: string;
  readonly json: object;
  /** Whether the command found something that it looks for, such as drift. If so, it exits with 2. */
  readonly isFound: boolean;
}

/**
 * Writes the files that the flags name. Prints the document that `--json` or a `-` asks for, or else the text.
 *
 * @throws CommandError when a file cannot be written.
 */
export function print(session: Session, flags: OutputFlags, output: Output, more: Documents = []): ExitCode {
  const { text, json, isFound, ...found } = output;
  const report = { ...found, version: packageVersion() };
  printAndWrite(session, flags.json ? forJson(json) : text, [
    [flags.sarif, () => sarif(report)],
    [flags.junit, () => junit(report)],
    ...more,
  ]);
  return isFound ? exitCode.found : exitCode.fine;
}

/** Prints the document whose file is `-`, or else the text. Writes the other documents to files. @throws CommandError */
export function printAndWrite(session: Session, text: string, documents: Documents): void {
  const [, print = () => text] = documents.findLast(([file]) => file === "-") ?? [];
  session.out(print());
  for (const [file, make] of documents)
    if (file !== undefined && file !== "-") writeText(session, file, make());
}

/** Writes a file. Only this user can read a new file, because it may contain data from zones. @throws CommandError */
export function writeText(session: Pick<Session, "cwd">, file: string, text: string): void {
  whileWriting(file, () => {
    const path = resolve(session.cwd, file);
    makeFolder(dirname(path));
    writeFileSync(path, text, { mode: 0o600 });
  });
}

/** Replaces a file in one step, so that no other process ever reads half a file. @throws CommandError */
export function replaceFile({ cwd }: Pick<Session, "cwd">, file: string, text: string): void {
  const path = resolve(cwd, file);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  whileWriting(file, () => {
    try {
      makeFolder(dirname(path));
      // Only this user can read a new file, because it may contain data from zones.
      const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600;
      writeFileSync(draft, text, { flag: "wx", mode });
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true });
}

/** Runs `work`, which writes a file. @throws CommandError that names the file */
export function whileWriting(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`Failed to write ${forTerminal(file)}: ${readReason(error)}`);
  }
}
