/**
 * Pulumi resources for page security: who watches a zone's scripts, which CSP policies it has, which rules its managed
 * WAF runs, and its one-way move to the new WAF.
 *
 * @module
 */
export type { ConnectionArgs, Service, Settings } from "./api/client-types";
export {
  type CspAction,
  CspPolicy,
  type CspPolicyArgs,
  type FindingLevel,
  type PolicyImpact,
} from "./resources/csp-policy";
export {
  type EntrypointOnDestroy,
  type ForeignRules,
  type InitialEntrypoint,
  ManagedWafEntrypoint,
  type ManagedWafEntrypointArgs,
} from "./resources/managed-waf-entrypoint";
export { PageGuardSettings, type PageGuardSettingsArgs, type SettingsOnDestroy } from "./resources/page-guard-settings";
export type {
  ApiValue,
  WafActionParametersArgs,
  WafCategoryOverrideArgs,
  WafOverridesArgs,
  WafRule,
  WafRuleArgs,
  WafRuleOverrideArgs,
} from "./resources/waf-rule";
export {
  type AppliedConfiguration,
  type MigrationConfigurationArgs,
  type MigrationEvidence,
  type MigrationRuleOverrideArgs,
  type MigrationStage,
  WafMigration,
  type WafMigrationArgs,
} from "./resources/waf-migration";
