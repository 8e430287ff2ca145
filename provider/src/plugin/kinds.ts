import type { Kind } from "../lifecycle/kind";

/** A kind as the plugin serves it: its lifecycle is loaded when the engine first asks for it. */
export interface ServedKind<Inputs, State extends object> {
  readonly name: string;
  readonly load: () => Kind<Inputs, State>;
  /** The input that holds many by name: what is secret in one of them hides nothing of the others. */
  readonly entries?: string;
  /** Outputs that repeat an input under another name: secret when the input is. */
  readonly repeats?: Readonly<Record<string, string>>;
}

function served<Inputs, State extends object>(kind: ServedKind<Inputs, State>) {
  return kind;
}

/** What programs declare of the plugin, but for the migration. Their names are in people's state: they stay as they are for ever. */
export const kinds = {
  PageGuardSettings: served({
    name: "PageGuardSettings",
    load: () =>
      (
        require("../resources/page-guard-settings/lifecycle") as typeof import("../resources/page-guard-settings/lifecycle")
      ).pageGuardSettings,
  }),
  CspPolicy: served({
    name: "CspPolicy",
    load: () =>
      (require("../resources/csp-policy/lifecycle") as typeof import("../resources/csp-policy/lifecycle"))
        .cspPolicy,
    repeats: { value: "directives" },
  }),
  CspPolicySet: served({
    name: "CspPolicySet",
    load: () =>
      (
        require("../resources/csp-policy-set/lifecycle") as typeof import("../resources/csp-policy-set/lifecycle")
      ).cspPolicySet,
    entries: "policies",
  }),
  ManagedWafEntrypoint: served({
    name: "ManagedWafEntrypoint",
    load: () =>
      (
        require("../resources/managed-waf-entrypoint/lifecycle") as typeof import("../resources/managed-waf-entrypoint/lifecycle")
      ).managedWafEntrypoint,
  }),
};

/** The child of the component `WafMigration`, which alone declares it. */
export const wafMigrationStep = served({
  name: "WafMigrationStep",
  load: () =>
    (require("../resources/waf-migration/lifecycle") as typeof import("../resources/waf-migration/lifecycle"))
      .wafMigrationStep,
  repeats: { applied: "configuration" },
});
