import { type Effect, isChanging, type ResourceChange } from "../../model/effect";
import type { Properties } from "../../model/properties";

/**
 * Returns an effect for each migration for which the update may send a request; whether it sends one depends on the zone. Leaves
 * out migrations that are only removed from the state, and those for which the state shows that nothing has to be sent.
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
  const { op, was = {}, becomes, differences } = by;
  if (becomes === undefined || !isChanging(by)) return false;
  // Only the differences show whether a secret value has changed.
  const changed = differences.map(({ path }) => path.replace(/\W.*/, ""));
  return op !== "update" || !isSettled(was, becomes["stage"], changed);
}

/** Whether the state shows that nothing has to be sent. `changed`: names of the inputs that differ. */
export function isSettled(state: Properties, stage: unknown, changed: readonly string[]): boolean {
  if (state["applied"] === undefined || state["reached"] !== stage) return false;
  return stage === "finished" || !isSent(changed);
}

/** Whether a change of these inputs has to be sent to the service. */
export function isSent(inputs: readonly string[]): boolean {
  return inputs.some((input) => ["stage", "ruleOverrides", "configuration"].includes(input));
}
