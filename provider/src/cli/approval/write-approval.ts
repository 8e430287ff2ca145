import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { isOffline } from "../../api/offline";
import { approvedText } from "../../lifecycle/approval/approved-file";
import { approvalKey, digestKey, newSalt } from "../../lifecycle/approval/keyed-digest";
import { listed } from "../../text/listed";
import { CommandError } from "../command-error";
import { writeText } from "../output";
import type { PulumiPreview } from "../pulumi/command-line";
import type { PreviewRead } from "../review/preview-read";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";
import { readEnginePlan, refuseShownSecrets } from "./engine-plan";
import type { Notes } from "./notes";
import { planOf } from "./plan";
import { type Approving, readPlanned } from "./read-planned";
import { resourceName } from "./resource-text";

/**
 * Writes what a preview showed and what its zones hold. `plan`: the file of the engine's plan; without notes a preview with
 * secret inputs cannot be approved. @throws CommandError if that cannot be approved.
 */
export async function writeApproval(
  approving: Approving,
  file: string,
  read: PreviewRead,
  { plan: planFile, notes }: { plan: string; notes: Notes | undefined },
): Promise<void> {
  if (read.result !== "succeeded" || read.diagnostics.some(({ severity }) => severity === "error")) {
    throw new CommandError("Failed to approve: the preview did not succeed. No file was written.");
  }
  const plan = planOf(read);
  if (plan.stack === "") {
    throw new CommandError("Failed to approve: these are not events of a preview. No file was written.");
  }
  if (plan.hasSecrets && !notes) {
    throw new CommandError(
      "Failed to approve: the stack has secret inputs, which events do not show. Let the command run the preview itself: page-guard review --approve FILE -- pulumi preview …",
    );
  }
  if (plan.forged.length > 0) {
    const names = listed(plan.forged.map(resourceName));
    throw new CommandError(
      `Failed to approve: the type of ${names} is of this package, but its provider is the program's own and runs with the token. No file was written.`,
    );
  }
  const { session } = approving;
  const enginePlan = readEnginePlan(planFile, plan);
  const key = approvalKeyOf(session);
  const evidence = { notes, enginePlan, key: notes?.digestKey ?? digestKey(newSalt(), key) };
  const { content } = await readPlanned(approving, plan, evidence);
  writeText(session, file, approvedText(content, key));
}

/** Before the preview: if it fails, no file of an earlier review may be left. @throws CommandError */
export function beginApproval(session: Session, file: string, command: PulumiPreview): void {
  refuseShownSecrets(command);
  if (command.given.has("save-plan")) {
    throw new UsageError("Leave out --save-plan: the approved file contains the plan.");
  }
  if (file === "-") throw new UsageError("--approve takes a file, which `page-guard apply` reads later.");
  if (isOffline(session.env)) {
    throw new CommandError(
      "Failed to approve: PAGE_GUARD_OFFLINE is set, so the zones are not read. Unset it.",
    );
  }
  rmSync(resolve(session.cwd, file), { force: true });
}

/** @throws CommandError for a key that is too short. */
export function approvalKeyOf({ env }: Session): string | undefined {
  try {
    return approvalKey(env);
  } catch (error) {
    throw new CommandError(reasonOf(error));
  }
}
