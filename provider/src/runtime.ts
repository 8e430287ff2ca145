/**
 * What the provider process loads. The text in every resource's state says
 * `require("pulumi-page-guard/runtime").<Name>`: this subpath and these names stay as they are for ever.
 *
 * @module
 */
import type * as pulumi from "@pulumi/pulumi";
import { dynamicProvider } from "./lifecycle/dynamic-provider";
import type { Kind } from "./lifecycle/kind";
import { createRun } from "./lifecycle/process-run";

/** The engine starts one process for each of its operations: one run, one HTTP agent, one rate limit. */
const run = createRun();

/** A kind's lifecycle is loaded when the engine first asks for it. */
function provider<Inputs, State extends object>(
  load: () => Kind<Inputs, State>,
): pulumi.dynamic.ResourceProvider {
  return dynamicProvider(load, run);
}

/** Lifecycle of {@link index.PageGuardSettings}. */
export const PageGuardSettings = provider(
  () =>
    (
      require("./resources/page-guard-settings/lifecycle") as typeof import("./resources/page-guard-settings/lifecycle")
    ).pageGuardSettings,
);
/** Lifecycle of {@link index.CspPolicy}. */
export const CspPolicy = provider(
  () =>
    (require("./resources/csp-policy/lifecycle") as typeof import("./resources/csp-policy/lifecycle"))
      .cspPolicy,
);
/** Lifecycle of {@link index.CspPolicySet}. */
export const CspPolicySet = provider(
  () =>
    (require("./resources/csp-policy-set/lifecycle") as typeof import("./resources/csp-policy-set/lifecycle"))
      .cspPolicySet,
);
/** Lifecycle of {@link index.ManagedWafEntrypoint}. */
export const ManagedWafEntrypoint = provider(
  () =>
    (
      require("./resources/managed-waf-entrypoint/lifecycle") as typeof import("./resources/managed-waf-entrypoint/lifecycle")
    ).managedWafEntrypoint,
);
/** Lifecycle of the child of {@link index.WafMigration}. */
export const WafMigrationStep = provider(
  () =>
    (require("./resources/waf-migration/lifecycle") as typeof import("./resources/waf-migration/lifecycle"))
      .wafMigrationStep,
);
