import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { isOffline, listed } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import { isError, type PreviewRead } from "../preview/preview-read";
import type { PulumiPreview } from "../pulumi/command-line";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import { type ApprovedContent, approvedFormat, writeApproved } from "./approved-file";
import { readEnginePlan } from "./engine-plan";
import { type PreviewPlan, planOf } from "./plan";
import { type Approving, readZones } from "./read-zones";
import { resourceName } from "./resource-text";
import { approvalKeyOf } from "./seal";
import { type ApprovedZone, readZoneContents, sealed } from "./zone-contents";

/** Before the preview: if it fails, no file of an earlier review may be left. @throws CommandError */
export function beginApproval(session: Session, file: string, command: PulumiPreview): void {
  if (command.preview.some((flag) => /^--save-plan(=|$)/.test(flag))) {
    throw new UsageError("Leave out --save-plan: the approved file contains the plan.");
  }
  if (file === "-") throw new UsageError("--approve takes a file, which `page-guard apply` reads later.");
  if (isOffline(session.env)) {
    throw new CommandError(
      "Failed to approve: PAGE_GUARD_OFFLINE is set, so the zones are not read. Unset it.",
    );
  }
  approvalKeyOf(session);
  rmSync(resolve(session.cwd, file), { force: true });
}

/**
 * Writes what a preview showed and what its zones hold. `planFile`: the engine's plan of the same preview.
 *
 * @throws CommandError if that cannot be approved.
 */
export async function writeApproval(
  approving: Approving,
  file: string,
  read: PreviewRead,
  planFile: string,
): Promise<void> {
  const forged = read.findings.filter(({ code }) => code === "provider-forged");
  if (forged.length > 0) {
    const names = listed(forged.map(({ urn = "" }) => resourceName(urn)));
    throw new CommandError(
      `Failed to approve: the type of ${names} is of this package, but its provider is the program's own and runs with the token. No file was written.`,
    );
  }
  if (read.result !== "succeeded" || read.findings.some(isError)) {
    throw new CommandError("Failed to approve: the preview did not succeed. No file was written.");
  }
  const plan = planOf(read);
  if (plan.stack === "") {
    throw new CommandError("Failed to approve: these are not events of a preview. No file was written.");
  }
  const { session } = approving;
  const { project, stack, steps, findings, unknownZones } = plan;
  const madeAt = new Date(session.now()).toISOString();
  const content: ApprovedContent = {
    ...{ ...approvedFormat, madeAt, project, stack, steps, unknownZones },
    findings: findings.map(({ text: _text, ...finding }) => finding),
    zones: await readPlanned(approving, plan, { madeAt, zones: [] }),
    plan: readEnginePlan(planFile, plan),
  };
  writeApproved(session, file, content);
}

/** Reads the zones of a plan, as an approval has them. What was approved of a zone has to be readable. */
export function readPlanned(
  approving: Approving,
  plan: PreviewPlan,
  approved: Pick<ApprovedContent, "madeAt" | "zones">,
): Promise<ApprovedZone[]> {
  const key = approvalKeyOf(approving.session);
  return readZones(approving, plan.zones, async (client, { zoneId, needed, isClosed }) => {
    const before = approved.zones.find((one) => one.zoneId === zoneId);
    const parts = new Set([...needed, ...(before?.parts ?? [])]);
    const zone = await readZoneContents(client, zoneId, parts, !before);
    return isClosed ? sealed(zone, approved.madeAt, key) : zone;
  });
}
