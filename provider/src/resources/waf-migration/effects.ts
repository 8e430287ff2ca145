import { type Effect, isChanging, type ResourceChange } from "../../model/effect";
import type { Properties } from "../../model/properties";

/**
 * Returns an effect for each migration for which an update might send a request. Whether the update sends a request depends on
 * the zone. Omits migrations that are only removed from the state, and migrations for which the state shows that there is nothing
 * to send.
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

/** Whether the state shows that there is nothing to send. `changed`: names of the inputs that differ. */
export function isSettled(state: Properties, stage: unknown, changed: readonly string[]): boolean {
  if (state["applied"] === undefined || state["reached"] !== stage) return false;
  return stage === "finished" || !isSent(changed);
}

/** Whether one of these inputs is sent to the service. */
export function isSent(inputs: readonly string[]): boolean {
  return inputs.some((input) => ["stage", "ruleOverrides", "configuration"].includes(input));
}
