import type { PulumiPreview } from "../pulumi/command-line";
import { runPulumi } from "../pulumi/run-pulumi";
import type { Session } from "../shared/session";
import { parseResources } from "../state/read-state";
import { makeFinding, type PreviewRead, type PreviewStep } from "./preview-read";

/**
 * Sets `deletedWith` and `isRetained` for deleted and replaced resources whose objects stay in the zone. The engine leaves an
 * object there if the option `deletedWith` names a resource that the update also deletes, or replaces without
 * `deleteBeforeReplace`. Reads `deletedWith` from the state, because events lack it. Warns if the state cannot be read.
 */
export async function withDeletedWith(session: Session, { exported }: PulumiPreview, read: PreviewRead) {
  const isDeleted = ({ op, isDeletedFirst }: PreviewStep) =>
    op === "delete" || (op === "replace" && isDeletedFirst !== true);
  const deleted = new Set(read.steps.filter(isDeleted).map(({ oldUrn }) => oldUrn));
  const isConcerned = ({ isOurs, op }: PreviewStep) => isOurs && (op === "delete" || op === "replace");
  if (deleted.size < 2 && !read.steps.some(({ op }) => op === "replace")) return read;
  const state = parseResources((await runPulumi(session, exported)).stdout);
  if (!state) {
    const text =
      "The state could not be read. The object of a deleted resource that has the option deletedWith may stay in the zone.";
    return { ...read, findings: [...read.findings, makeFinding({ severity: "warning", text })] };
  }
  const owners = new Map(
    state.flatMap(({ urn, deletedWith }) =>
      typeof deletedWith === "string" && deleted.has(deletedWith) ? [[urn, deletedWith] as const] : [],
    ),
  );
  const steps = read.steps.map((step) => {
    const deletedWith = isConcerned(step) ? owners.get(step.oldUrn) : undefined;
    return deletedWith === undefined ? step : { ...step, deletedWith, isRetained: true };
  });
  return { ...read, steps };
}
