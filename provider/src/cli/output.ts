import { writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { forJson, forTerminal } from "../reports/escape";
import { junit } from "../reports/junit";
import type { Report } from "../reports/report";
import { sarif } from "../reports/sarif";
import { CommandError } from "./command-error";
import { makeFolder } from "./make-folder";
import type { OutputFlags } from "./options";
import type { Session } from "./session";
import { UsageError } from "./usage-error";
import { reasonOf } from "./zones";

/** What a command has to say, in all the forms that somebody may ask for. */
export interface Output {
  /** For a person; already safe to show. */
  readonly text: string;
  /** For `--json`: one document. */
  readonly json: object;
  readonly report: Report;
}

/**
 * Prints the text, or one document of what the flags ask for, and writes the files.
 *
 * @throws CommandError when two documents are to go to standard output, or a file cannot be written.
 */
export function print(session: Session, flags: OutputFlags, output: Output): void {
  const documents: string[] = [];
  if (flags.json) documents.push(forJson(output.json));
  for (const [file, format] of [
    [flags.sarif, sarif],
    [flags.junit, junit],
  ] as const) {
    if (file === "-") documents.push(format(output.report));
    else if (file !== undefined) writeText(session, file, format(output.report));
  }
  session.out(documents[0] ?? output.text);
}

/** Before any work: two documents cannot share standard output. */
export function checkOutput({ json, sarif: sarifFile, junit: junitFile }: OutputFlags): void {
  const wanted = [
    json && "--json",
    sarifFile === "-" && "--sarif -",
    junitFile === "-" && "--junit -",
  ].filter((flag) => flag);
  if (wanted.length < 2) return;
  throw new UsageError(
    `${wanted.join(" and ")} would both print to standard output. Give one of them a file.`,
  );
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
