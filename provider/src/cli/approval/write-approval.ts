import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { isOffline } from "../../api/offline";
import { approvedText } from "../../lifecycle/approval/approved-file";
import { approvalKey, newSalt } from "../../lifecycle/approval/keyed-digest";
import { CommandError } from "../command-error";
import { writeText } from "../output";
import type { PreviewRead } from "../review/preview-read";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";
import { type Approving, look } from "./approve";
import type { Notes } from "./notes";
import { planOf } from "./plan";

/**
 * Writes what a preview has shown, with what its zones hold, as what may be applied. Without `notes` nothing is known of
 * secret inputs, and a plan that has some is not written.
 *
 * @throws CommandError when there is nothing that could be approved.
 */
export async function writeApproval(
  approving: Approving,
  file: string,
  read: PreviewRead,
  notes: Notes | undefined,
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
  const { session } = approving;
  const key = keyOf(session.env);
  const salt = notes?.salt ?? newSalt();
  const { content } = await look(approving, plan, notes?.secrets() ?? [], { salt, key });
  writeText(session, file, approvedText(content, key));
}

/**
 * Before the preview: a file of an earlier review must not be left behind by one that fails.
 *
 * @throws CommandError where nothing can be approved in any case.
 */
export function beginApproval(session: Session, file: string): void {
  keyOf(session.env);
  if (file === "-")
    throw new UsageError("--approve takes a file: it is kept until `page-guard apply` needs it.");
  if (isOffline(session.env)) {
    throw new CommandError(
      "PAGE_GUARD_OFFLINE is set: what the zones hold is not looked at, and nothing can be approved that nobody has seen.",
    );
  }
  rmSync(resolve(session.cwd, file), { force: true });
}

function keyOf(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return approvalKey(env);
  } catch (error) {
    throw new CommandError(reasonOf(error));
  }
}
