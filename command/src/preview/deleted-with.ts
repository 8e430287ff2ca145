import type { PulumiPreview } from "../pulumi/command-line";
import { runPulumi } from "../pulumi/run-pulumi";
import type { Session } from "../shared/session";
import { resourcesIn } from "../state/read-state";
import { findingOf, type PreviewRead, type PreviewStep } from "./preview-read";

/**
 * Adds the effect of the option `deletedWith` in the state, which events do not show: if the engine deletes the resource that
 * the option names, it does not delete the object of the resource with the option. Warns if the state cannot be read.
 */
export async function withDeletedWith(
  session: Session,
  { exported }: Pick<PulumiPreview, "exported">,
  read: PreviewRead,
): Promise<PreviewRead> {
  const deleted = new Set(read.steps.filter(({ op }) => op === "delete").map(({ urn }) => urn));
  const isConcerned = ({ isOurs, op }: PreviewStep) => isOurs && (op === "delete" || op === "replace");
  if (deleted.size < 2 && !read.steps.some(({ op }) => op === "replace")) return read;
  const state = resourcesIn((await runPulumi(session, exported)).stdout);
  if (!state) {
    const text =
      "The state could not be read. The object of a deleted resource that has the option deletedWith may stay in the zone.";
    return { ...read, findings: [...read.findings, findingOf({ severity: "warning", text })] };
  }
  const owners = new Map(
    state.flatMap(({ urn, deletedWith }) =>
      typeof deletedWith === "string" && deleted.has(deletedWith) ? [[urn, deletedWith] as const] : [],
    ),
  );
  const steps = read.steps.map((step) => {
    const deletedWith = isConcerned(step) ? owners.get(step.urn) : undefined;
    return deletedWith === undefined ? step : { ...step, deletedWith, isRetained: true };
  });
  return { ...read, steps };
}
