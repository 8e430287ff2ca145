/**
 * Entry point of the provider process. The text in every resource's state says
 * `require("pulumi-page-guard/runtime").<Name>`: this subpath and these names stay as they are for ever.
 *
 * @module runtime
 */
import type * as pulumi from "@pulumi/pulumi";
import { dynamicProvider } from "./lifecycle/dynamic-provider";
import type { Kind } from "./lifecycle/kind";
import { createRun } from "./lifecycle/run";
import { kinds } from "./resources/kinds";

/** The engine starts one process for each of its operations: one run, one HTTP agent, one rate limit. */
const run = createRun();

function provider(load: () => Kind<unknown, object>): pulumi.dynamic.ResourceProvider {
  return dynamicProvider(load, run);
}

/** Lifecycle of {@link index.PageGuardSettings}. */
export const PageGuardSettings = provider(kinds.PageGuardSettings);
/** Lifecycle of {@link index.CspPolicy}. */
export const CspPolicy = provider(kinds.CspPolicy);
/** Lifecycle of {@link index.CspPolicySet}. */
export const CspPolicySet = provider(kinds.CspPolicySet);
/** Lifecycle of {@link index.ManagedWafEntrypoint}. */
export const ManagedWafEntrypoint = provider(kinds.ManagedWafEntrypoint);
/** Lifecycle of the child of {@link index.WafMigration}. */
export const WafMigrationStep = provider(kinds.WafMigrationStep);
