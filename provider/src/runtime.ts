/**
 * Entry point of the provider process. The state of every resource contains the code
 * `require("pulumi-page-guard/runtime").<Name>`, so this subpath and the names of its exports must never change.
 *
 * @module runtime
 */
import type * as pulumi from "@pulumi/pulumi";
import { dynamicProvider } from "./lifecycle/dynamic-provider";
import type { Kind } from "./lifecycle/kind";
import { createRun } from "./lifecycle/run";
import { kinds } from "./resources/kinds";

/** The run of this process. The engine starts a process for each operation, in which all resources share one rate limit. */
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
