import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { isOffline } from "../../api/offline";
import { approvedText } from "../../lifecycle/approval/approved-file";
import { approvalKey, digestKey, newSalt } from "../../lifecycle/approval/keyed-digest";
import { declaredNameIn } from "../../lifecycle/urn";
import { forTerminal } from "../../reports/escape";
import { listed } from "../../text/listed";
import { CommandError } from "../command-error";
import { writeText } from "../output";
import { pulumiPreview } from "../pulumi/command-line";
import type { PreviewRead } from "../review/preview-read";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";
import { type Approving, look } from "./approve";
import { readEnginePlan, refuseShownSecrets } from "./engine-plan";
import type { Notes } from "./notes";
import { planOf } from "./plan";

/** Files of the preview that is approved. */
export interface PreviewFiles {
  /** The engine's plan. */
  readonly plan: string;
  /** Without them nothing is known of secret inputs, and a preview that has some cannot be approved. */
  readonly notes: Notes | undefined;
}

/**
 * Writes what a preview has shown, with what its zones hold, as what may be applied.
 *
 * @throws CommandError when there is nothing that could be approved.
 */
export async function writeApproval(
  approving: Approving,
  file: string,
  read: PreviewRead,
  { plan: planFile, notes }: PreviewFiles,
): Promise<void> {
  if (read.result !== "succeeded" || read.diagnostics.some(({ severity }) => severity === "error")) {
    throw new CommandError(
      "The preview did not succeed: there is nothing to approve, and no file was written.",
    );
  }
  const plan = planOf(read);
  if (plan.stack === "") {
    throw new CommandError(
      "These are no events of a preview: there is nothing to approve, and no file was written.",
    );
  }
  if (plan.hasSecrets && !notes) {
    throw new CommandError(
      "The stack has secret inputs, which events do not show. Let the command run the preview itself: page-guard review --approve FILE -- pulumi preview …",
    );
  }
  if (plan.forged.length > 0) {
    const names = listed(plan.forged.map((urn) => forTerminal(declaredNameIn(urn), 80)));
    throw new CommandError(
      `${names}: of a type of this package, but with a provider of the program's own, which runs with the token. It is not approved, and no file was written.`,
    );
  }
  const { session } = approving;
  const enginePlan = readEnginePlan(planFile, plan);
  const key = approvalKeyOf(session);
  const evidence = { notes, enginePlan, key: notes?.digestKey ?? digestKey(newSalt(), key) };
  const { content } = await look(approving, plan, evidence);
  writeText(session, file, approvedText(content, key));
}

/**
 * Before the preview: a file of an earlier review must not be left behind by one that fails.
 *
 * @throws CommandError where nothing can be approved in any case.
 */
export function beginApproval(session: Session, file: string, given: readonly string[]): void {
  const command = pulumiPreview(given);
  refuseShownSecrets(command);
  if (command.given.has("save-plan")) {
    throw new UsageError("Leave out --save-plan: the approved file has the plan in it.");
  }
  if (file === "-")
    throw new UsageError("--approve takes a file: it is kept until `page-guard apply` needs it.");
  if (isOffline(session.env)) {
    throw new CommandError(
      "PAGE_GUARD_OFFLINE is set: what the zones hold is not looked at, and nothing can be approved that nobody has seen.",
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
