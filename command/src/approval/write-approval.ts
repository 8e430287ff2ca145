import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { isOffline, listed } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import { resourceName } from "../labels";
import { isError, type PreviewRead } from "../preview/preview-read";
import type { PulumiPreview } from "../pulumi/command-line";
import type { Reading } from "../review/read-zones";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import { approvedFormat, writeApproved } from "./approved-file";
import { readEnginePlan } from "./engine-plan";
import { planOf } from "./plan";
import { approvalKeyOf } from "./seal";
import { readPlanned } from "./zone-contents";

/** Before the preview: if it fails, no file of an earlier review may be left. @throws CommandError */
export function beginApproval(session: Session, file: string, command: PulumiPreview): void {
  if (command.preview.some((flag) => /^--save-plan(=|$)/.test(flag)))
    throw new UsageError("Leave out --save-plan: the approved file contains the plan.");
  if (file === "-") throw new UsageError("--approve takes a file, which `page-guard apply` reads later.");
  if (isOffline(session.env))
    throw new CommandError(
      "Failed to approve: PAGE_GUARD_OFFLINE is set, so the zones are not read. Unset it.",
    );
  approvalKeyOf(session);
  rmSync(resolve(session.cwd, file), { force: true });
}

/**
 * Writes what a preview showed and what its zones hold. `planFile`: the engine's plan of the same preview.
 *
 * @throws CommandError if that cannot be approved.
 */
export async function writeApproval(
  reading: Reading,
  file: string,
  read: PreviewRead,
  planFile: string,
): Promise<void> {
  const refuse = (why: string) => new CommandError(`Failed to approve: ${why}. No file was written.`);
  const forged = read.findings.filter(({ code }) => code === "provider-forged");
  const names = listed(forged.map(({ urn = "" }) => resourceName(urn)));
  if (forged.length > 0)
    throw refuse(
      `the type of ${names} is of this package, but its provider is the program's own and runs with the token`,
    );
  if (read.result !== "succeeded" || read.findings.some(isError)) throw refuse("the preview did not succeed");
  if (read.stack === undefined) throw refuse("these are not events of a preview");
  const { zones: planned, ...plan } = planOf(read);
  const madeAt = new Date(reading.session.now()).toISOString();
  writeApproved(reading.session, file, {
    ...{ ...approvedFormat, madeAt, ...plan },
    findings: plan.findings.map(({ text: _text, ...finding }) => finding),
    zones: await readPlanned(reading, planned, { madeAt, zones: [] }),
    plan: readEnginePlan(planFile, plan),
  });
}
