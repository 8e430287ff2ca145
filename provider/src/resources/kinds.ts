import type { Effect, ResourceChange, ZoneObjects } from "../model/effect";
import { grouped } from "../text/data";

/**
 * The one list of all kinds of resource, by the name that it has in people's state: it stays as it is for ever. A lifecycle is loaded when it
 * is first asked for. `WafMigrationStep` is the child of the component `WafMigration`, which alone declares it.
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

export function isKindName(name: unknown): name is KindName {
  return typeof name === "string" && Object.hasOwn(kinds, name);
}

/** What a resource has in its zone; undefined for one of no kind of this package. */
export function objectOf(kind: unknown) {
  return isKindName(kind) ? kinds[kind]().inZone.object : undefined;
}

/** What an update does to the objects of one zone: by its resources, and by what the zone holds as far as it was read. */
export function effectsOf<Resource extends ResourceChange>(
  resources: readonly Resource[],
  zone: ZoneObjects,
): readonly Effect<Resource>[] {
  const all = grouped(resources, ({ kind }) => (isKindName(kind) ? kinds[kind]().inZone.effects : undefined));
  return [...all].flatMap(([effects, some]) => effects?.(some, zone, resources) ?? []);
}
