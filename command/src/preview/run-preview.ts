import { isSelective, type PulumiPreview } from "../pulumi/command-line";
import type { Notes } from "../pulumi/own-folder";
import { runPulumi } from "../pulumi/run-pulumi";
import { Progress } from "../shared/progress";
import type { Session } from "../shared/session";
import { makeFinding, type PreviewRead } from "./preview-read";
import { readEvents } from "./read-events";

/** Runs a preview and reads its result, even if the preview fails. */
export async function runPreview(session: Session, command: PulumiPreview, notes: Notes, savesPlan: boolean) {
  const { preview, stack: flag, selected } = command;
  const plan = savesPlan ? ["--save-plan", notes.planFile] : [];
  const { code, stdout, output } = await new Progress(session).during(
    "Previewing",
    () => runPulumi(session, [...preview, ...plan], { env: notes.env }),
    false,
  );
  const read = withSelection(
    readEvents(stdout.split("\n"), notes.lines("findings.jsonl")),
    isSelective(preview, session.env),
  );
  // A preview that ended before its first event belongs to the stack that the flags name, or else to the selected stack.
  const name = read.stack ?? flag ?? (await runPulumi(session, selected)).stdout.trim();
  // A URN contains the stack's short name, without organisation and project.
  const named: PreviewRead = { ...read, stack: name.slice(name.lastIndexOf("/") + 1) || undefined };
  if (read.result !== "unfinished" || code === 0) return { read: named, exitCode: code };
  // A preview that failed without a result gives the reason in the plain text of its output.
  const words = output.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("{"));
  const text = words.slice(-20).join("\n") || `The preview exited with code ${code}.`;
  const findings = [...read.findings, makeFinding({ severity: "error", text })];
  const failed: PreviewRead = { ...named, result: "failed", findings };
  return { read: failed, exitCode: code };
}

/** If only some resources were selected, marks all unchanged resources as left out, because events do not show the selection. */
function withSelection(read: PreviewRead, isSome: boolean): PreviewRead {
  if (!isSome) return read;
  const steps = read.steps.map((step) => (step.op === "same" ? { ...step, isLeftOut: true } : step));
  return { ...read, steps, isSelective: true };
}
