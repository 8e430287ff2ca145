import { writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { forJson, forTerminal } from "../reports/escape";
import { junit } from "../reports/junit";
import type { Report } from "../reports/report";
import { sarif } from "../reports/sarif";
import { CommandError } from "./command-error";
import { makeFolder } from "./make-folder";
import type { OutputFlags } from "./options";
import { type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { reasonOf } from "./zones";

/** The result of a command: a report for machines, with its forms for people and for `--json`. */
export interface Output extends Omit<Report, "version"> {
  /** For a person; already safe to show. */
  readonly text: string;
  /** One document. */
  readonly json: object;
  /** The command exits with 2. */
  readonly isFound: boolean;
}

/**
 * Writes the files that the flags name, and prints one document, else the text.
 *
 * @throws CommandError when a file cannot be written.
 */
export function print(session: Session, flags: OutputFlags, output: Output): ExitCode {
  const { text, json, isFound, ...found } = output;
  const report = { ...found, version: packageVersion() };
  let printed = flags.json ? forJson(json) : text;
  for (const [file, format] of [
    [flags.sarif, sarif],
    [flags.junit, junit],
  ] as const) {
    if (file === "-") printed = format(report);
    else if (file !== undefined) writeText(session, file, format(report));
  }
  session.out(printed);
  return isFound ? exitCode.found : exitCode.fine;
}

export function writeText(session: Session, file: string, text: string): void {
  const path = resolve(session.cwd, file);
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(`${forTerminal(file)} cannot be written: ${reasonOf(error)}`);
  }
}
