/**
 * Types and functions for policy packs that check resources of this package. They accept the resources that `@pulumi/policy`
 * passes to its rules, but do not import `@pulumi/policy`.
 *
 * @module policy
 */
export { holdsClosedSecret, isClosedSecret } from "./policy-packs/closed-secret";
export type * from "./policy-packs/declared-props";
export * from "./policy-packs/inventory-sources";
export * from "./policy-packs/managed-rulesets";
export * from "./policy-packs/pack-resource";
export * from "./policy-packs/policies";
export { clean as shown, type ShownOptions } from "./text/shown";
