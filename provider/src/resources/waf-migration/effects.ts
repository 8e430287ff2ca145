import { type Effect, isChanging, type ResourceChange } from "../../model/effect";

/**
 * What an update may do to the migration of a zone: what the zone shows decides, and the preview asks it. Nothing, where the state
 * has the declared stage and all that would be sent. Forgetting a migration does nothing to its zone.
 */
export function migrationEffects<Resource extends ResourceChange>(
  resources: readonly Resource[],
): readonly Effect<Resource>[] {
  return resources.filter(mayAct).map(
    (by): Effect<Resource> => ({
      object: { kind: "migration", label: by.name },
      fate: "update",
      by,
      before: by.was && { stage: by.was["reached"] },
      after: { stage: by.becomes?.["stage"] },
    }),
  );
}

function mayAct(by: ResourceChange): boolean {
  return by.becomes !== undefined && isChanging(by) && !isSettled(by);
}

/** The declared stage is in the state, with all that would be sent. A secret that changes shows in the differences alone. */
function isSettled({ op, was = {}, becomes = {}, differences }: ResourceChange): boolean {
  if (op !== "update" || was["applied"] === undefined) return false;
  if (was["reached"] === "finished") return becomes["stage"] === "finished";
  const isSent = differences.some(({ path }) => /^(stage|ruleOverrides|configuration)\b/.test(path));
  return was["reached"] === "validation" && becomes["stage"] === "validation" && !isSent;
}
