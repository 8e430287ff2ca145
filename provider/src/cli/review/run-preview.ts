import type { Notes } from "../approval/notes";
import { runPulumi } from "../approval/run-pulumi";
import { pulumiPreview } from "../pulumi/command-line";
import type { Session } from "../session";
import type { PreviewRead } from "./preview-read";
import { readEvents } from "./read-events";
import { stackNameOf } from "./stack-name";

export interface PreviewRun {
  readonly read: PreviewRead;
  readonly exitCode: number;
}

/** Runs the preview and reads what it does, also when it fails. */
export async function runPreview(
  session: Session,
  given: readonly string[],
  notes: Notes,
  more: readonly string[] = [],
): Promise<PreviewRun> {
  const command = pulumiPreview(given);
  const ended = await runPulumi(session, [...command.preview, ...more], { env: notes.env });
  const read = readEvents(ended.stdout.split("\n"), notes.findingLines());
  const stack = read.stack ?? (await stackNameOf(session, command));
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
