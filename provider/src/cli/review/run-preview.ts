import type { Notes } from "../approval/notes";
import { runPulumi } from "../approval/run-pulumi";
import { CommandError } from "../command-error";
import type { Session } from "../session";
import type { PreviewRead } from "./preview-read";
import { readEvents } from "./read-events";
import { stackNameOf } from "./stack-name";

export interface PreviewRun {
  readonly read: PreviewRead;
  readonly exitCode: number;
}

/** What is run where nothing is said after the `--`. */
const usual = ["pulumi", "preview"];
const own = ["--json", "--non-interactive"];

/** The command as it was given, with what makes it tell its events. */
export function previewCommand(given: readonly string[]): readonly string[] {
  const command = given.length === 0 ? usual : given;
  if (command.some((arg) => arg === "up" || arg === "update" || arg === "destroy")) {
    throw new CommandError(
      "A review runs a preview, and this would change something: page-guard review -- pulumi preview …",
    );
  }
  return [...command, ...own.filter((flag) => !command.includes(flag))];
}

/** Runs the preview and reads what it does, also when it fails. */
export async function runPreview(
  session: Session,
  given: readonly string[],
  notes: Notes,
): Promise<PreviewRun> {
  const ended = await runPulumi(session, previewCommand(given), { env: notes.env });
  const read = readEvents(ended.stdout.split("\n"), notes.findingLines());
  const stack = read.stack ?? (await stackNameOf(session, given));
  return { read: withEnd({ ...read, stack }, ended.code, ended.output), exitCode: ended.code };
}

/** An engine that ends before its first event says why in words. */
function withEnd(read: PreviewRead, code: number, output: string): PreviewRead {
  if (read.result !== "unfinished" || code === 0) return read;
  const text = output
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("{"))
    .slice(-20)
    .join("\n");
  const said = {
    severity: "error",
    urn: undefined,
    text: text || `The preview ended with ${code}.`,
    code: undefined,
  } as const;
  return { ...read, result: "failed", diagnostics: [...read.diagnostics, said] };
}
