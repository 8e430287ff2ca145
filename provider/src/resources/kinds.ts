import type { Kind } from "../lifecycle/kind";
import type { KindName } from "./kind-names";

type AnyKind = Kind<unknown, object>;

/** Each kind's lifecycle, loaded when it is first needed. */
const loaders: Readonly<Record<KindName, () => unknown>> = {
  PageGuardSettings: () =>
    (require("./page-guard-settings-lifecycle") as typeof import("./page-guard-settings-lifecycle"))
      .pageGuardSettings,
  CspPolicy: () => (require("./csp-policy-lifecycle") as typeof import("./csp-policy-lifecycle")).cspPolicy,
  ManagedWafEntrypoint: () =>
    (require("./managed-waf-entrypoint-lifecycle") as typeof import("./managed-waf-entrypoint-lifecycle"))
      .managedWafEntrypoint,
  WafMigrationStep: () =>
    (require("./waf-migration-lifecycle") as typeof import("./waf-migration-lifecycle")).wafMigrationStep,
};

export function kindOf(name: KindName): AnyKind {
  return loaders[name]() as AnyKind;
}
