import { Progress } from "../progress";
import type { PulumiPreview } from "../pulumi/command-line";
import type { Notes } from "../pulumi/own-folder";
import { runPulumi } from "../pulumi/run-pulumi";
import type { Session } from "../session";
import { findingOf, type PreviewRead } from "./preview-read";
import { readEvents } from "./read-events";

export interface PreviewRun {
  readonly read: PreviewRead;
  readonly exitCode: number;
}

/** Runs the preview and reads its result, also when it fails. */
export async function runPreview(
  session: Session,
  command: PulumiPreview,
  notes: Notes,
  savesPlan: boolean,
): Promise<PreviewRun> {
  const plan = savesPlan ? ["--save-plan", notes.planFile] : [];
  const { code, stdout, output } = await new Progress(session).during("Previewing", () =>
    runPulumi(session, [...command.preview, ...plan], { env: notes.env }),
  );
  const read = readEvents(stdout.split("\n"), notes.findingLines());
  const stack = read.stack ?? (await stackNameOf(session, command));
  return { read: withEnd({ ...read, stack }, code, output), exitCode: code };
}

/** Of a preview that ended before its first event: by its flags, else the selected stack. */
async function stackNameOf(
  session: Session,
  { stack, selected }: PulumiPreview,
): Promise<string | undefined> {
  const name = stack ?? (await runPulumi(session, selected)).stdout.trim();
  // URNs have the name alone, without organisation and project.
  return name === "" ? undefined : name.slice(name.lastIndexOf("/") + 1);
}

/** An engine that ends before its first event says why in words. */
function withEnd(read: PreviewRead, code: number, output: string): PreviewRead {
  if (read.result !== "unfinished" || code === 0) return read;
  const words = output.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("{"));
  const text = words.slice(-20).join("\n") || `The preview exited with ${code}.`;
  return { ...read, result: "failed", findings: [...read.findings, findingOf({ severity: "error", text })] };
}
