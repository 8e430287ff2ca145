import { runPulumi } from "../approval/run-pulumi";
import type { PulumiPreview } from "../pulumi/command-line";
import type { Session } from "../session";

/** The stack that a preview is about where it ended too early to say so: by its flags, else the selected one. */
export async function stackNameOf(
  session: Session,
  { stack, selected }: PulumiPreview,
): Promise<string | undefined> {
  if (stack !== undefined) return simple(stack);
  const { code, stdout } = await runPulumi(session, selected);
  return code === 0 && stdout.trim() !== "" ? simple(stdout.trim()) : undefined;
}

/** URNs have the name alone, without organisation and project. */
function simple(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
