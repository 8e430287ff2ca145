/**
 * Types and functions for policy packs that check resources of this package. The types and functions work with the resources
 * that `@pulumi/policy` passes to its rules, but do not import `@pulumi/policy`.
 *
 * @module policy
 */
export { holdsClosedSecret, isClosedSecret } from "./policy-packs/closed-secret";
export type {
  CspPolicyProps,
  CspPolicySetProps,
  EntrypointProps,
  JudgementProps,
  PolicyTextProps,
  SettingsProps,
  WafMigrationProps,
  WafRuleProps,
} from "./policy-packs/declared-props";
export { type ApprovedScript, sourcesWithoutApproval } from "./policy-packs/inventory-sources";
export { managedRulesets, type RunRuleset, rulesetsOf } from "./policy-packs/managed-rulesets";
export {
  isCspPolicy,
  isCspPolicySet,
  isManagedWafEntrypoint,
  isOfPageGuard,
  isPageGuardSettings,
  isWafMigration,
  type PackResource,
  stackOf,
  type Typed,
} from "./policy-packs/pack-resource";
export { type PackPolicy, policiesOf } from "./policy-packs/policies";
export { clean as shown, type ShownOptions } from "./text/shown";
