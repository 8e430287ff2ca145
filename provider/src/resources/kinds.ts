import { type Effect, isChanging, type ResourceChange, type ZoneObjects } from "../model/effect";
import { groupBy } from "../text/data";

/**
 * Kinds of resource by name. The names are in users' states, so they must never change. Each lifecycle is loaded on first use.
 * Programs declare `WafMigrationStep` only through its component, `WafMigration`.
 */
export const kinds = {
  PageGuardSettings: () =>
    (require("./page-guard-settings/lifecycle") as typeof import("./page-guard-settings/lifecycle"))
      .pageGuardSettings,
  CspPolicy: () => (require("./csp-policy/lifecycle") as typeof import("./csp-policy/lifecycle")).cspPolicy,
  CspPolicySet: () =>
    (require("./csp-policy-set/lifecycle") as typeof import("./csp-policy-set/lifecycle")).cspPolicySet,
  ManagedWafEntrypoint: () =>
    (require("./managed-waf-entrypoint/lifecycle") as typeof import("./managed-waf-entrypoint/lifecycle"))
      .managedWafEntrypoint,
  WafMigrationStep: () =>
    (require("./waf-migration/lifecycle") as typeof import("./waf-migration/lifecycle")).wafMigrationStep,
};

export type KindName = keyof typeof kinds;

function isKindName(name: unknown): name is KindName {
  return typeof name === "string" && Object.hasOwn(kinds, name);
}

/** Returns a kind by its name; undefined for a kind that is not in this package. */
export function findKind(name: unknown) {
  return isKindName(name) ? kinds[name]() : undefined;
}

/** Returns the type of object that a kind of resource manages in its zone; undefined for a kind that is not in this package. */
export function toObjectType(kind: unknown) {
  return findKind(kind)?.inZone.object;
}

/**
 * Splits a replacement that an option or flag asks for (`replacementTrigger`, `--replace`) into a creation and a deletion. In
 * such a replacement, the engine passes no state to the provider, so the successor starts as if the objects had no owner.
 */
function splitIfForced<Resource extends ResourceChange>(one: Resource): readonly Resource[] {
  const { op, was, becomes, differences, isDeletedFirst } = one;
  const isForced = op === "replace" && differences.length === 0 && was?.["incomplete"] !== true;
  const isUndone = isDeletedFirst === true && was?.["onDestroy"] !== "keep";
  if (!isForced || isUndone || !was || !becomes) return [one];
  return [
    { ...one, op: "create", was: undefined },
    { ...one, op: "delete", becomes: undefined },
  ];
}

/** Computes the effects of an update on the objects in one zone. `zone`: the parts of the zone that were read. */
export function effectsOf<Resource extends ResourceChange>(
  given: readonly Resource[],
  zone: ZoneObjects,
): readonly Effect<Resource>[] {
  const resources = given.flatMap(splitIfForced);
  const all = groupBy(resources, ({ kind }) => findKind(kind)?.inZone.effects);
  const isMigrating = resources.some((one) => {
    return toObjectType(one.kind) === "migration" && one.becomes !== undefined && isChanging(one);
  });
  return [...all].flatMap(([effects, some]) => effects?.(some, zone, isMigrating) ?? []);
}
