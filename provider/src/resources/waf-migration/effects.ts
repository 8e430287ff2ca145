import { type Effect, isChanging, type ResourceChange } from "../../model/effect";

/**
 * Returns the migrations that an update may change. Only the zone decides whether it does, and the preview reads it. A migration
 * is left out if the state has the declared stage and everything that would be sent, or if it is only forgotten.
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

/** Whether the state has the declared stage and everything that would be sent. Only `differences` show a changed secret. */
function isSettled({ op, was = {}, becomes = {}, differences }: ResourceChange): boolean {
  if (op !== "update" || was["applied"] === undefined) return false;
  if (was["reached"] === "finished") return becomes["stage"] === "finished";
  const isSent = differences.some(({ path }) => /^(stage|ruleOverrides|configuration)\b/.test(path));
  return was["reached"] === "validation" && becomes["stage"] === "validation" && !isSent;
}
