/**
 * Pulumi resources for page security: the monitoring of a zone's scripts, its CSP policies, the rules of its managed WAF,
 * and its one-way migration to the new WAF.
 *
 * @module index
 */

export type { KnownDirective, LintOptions, LintRuleId, LintRuleName, LintRuleOff } from "page-guard-csp";
export type {
  ActionParameters,
  Compatibility,
  Connection,
  ConnectionArgs,
  Cookie,
  DetectedItem,
  Entrypoint,
  Extra,
  ItemStatus,
  Overrides,
  Policy,
  Rule,
  RuleOverride,
  Script,
  ScriptVersion,
  Service,
  Settings,
  WafConfiguration,
  WafStatus,
} from "./api/client-types";
export type { GetOptions } from "./declaration/page-guard-resource";
export { ApiError, ItemGoneError, NotFoundError, type Outcome } from "./errors/api-error";
export { type ErrorFacts, type Explanation, InputError, PageGuardError } from "./errors/page-guard-error";
export type { CallOptions, ZoneArgs } from "./functions/call";
export * from "./functions/reads";
export { csp } from "./lazy-csp";
export type * from "./model/waf-rules/waf-rule";
export * from "./resources/csp-policy/csp-policy";
export type { PolicyDeclaration } from "./resources/csp-policy/to-declaration";
export * from "./resources/csp-policy-set/csp-policy-set";
export * from "./resources/managed-waf-entrypoint/managed-waf-entrypoint";
export type { EntrypointDeclaration } from "./resources/managed-waf-entrypoint/to-declaration";
export * from "./resources/page-guard-settings/page-guard-settings";
export type { SettingsDeclaration } from "./resources/page-guard-settings/to-declaration";
export { toDeclaration } from "./resources/to-declaration";
export * from "./resources/waf-migration/waf-migration";
