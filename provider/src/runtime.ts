/**
 * What the provider process loads. The text in every resource's state says
 * `require("pulumi-page-guard/runtime").<Name>`: this subpath and these names stay as they are for ever.
 *
 * @module
 */
import type * as pulumi from "@pulumi/pulumi";
import { dynamicProvider } from "./lifecycle/dynamic-provider";
import { createRun } from "./lifecycle/process-run";
import type { KindName } from "./resources/kind-names";
import { kindOf } from "./resources/kinds";

/** The engine starts one process for each of its operations: one run, one HTTP agent, one rate limit. */
const run = createRun();

const provider = (name: KindName): pulumi.dynamic.ResourceProvider =>
  dynamicProvider(() => kindOf(name), run);

/** Lifecycle of {@link index.PageGuardSettings}. */
export const PageGuardSettings = provider("PageGuardSettings");
/** Lifecycle of {@link index.CspPolicy}. */
export const CspPolicy = provider("CspPolicy");
/** Lifecycle of {@link index.ManagedWafEntrypoint}. */
export const ManagedWafEntrypoint = provider("ManagedWafEntrypoint");
/** Lifecycle of the child of {@link index.WafMigration}. */
export const WafMigrationStep = provider("WafMigrationStep");
