/** Content Security Policies, as browsers read them: no input or output, nothing of Pulumi. */
export { build, type Directives } from "./build";
export type { KnownDirective, SupportedDirective } from "./directives";
export { equalPolicies, policyMeaning } from "./equal";
export type { Excluded, ExclusionOptions, ExclusionReason } from "./exclusion";
export { type HostSelection, hostsOf } from "./expression";
export { normaliseExpression } from "./expression-tokens";
export type { Finding, Severity } from "./finding";
export type { HostSet } from "./host-set";
export { type Impact, type ImpactGroup, type ImpactOptions, impact, render } from "./impact";
export { lint } from "./lint";
export { LINT_RULES, type LintRuleId } from "./lint-rules";
export {
  type LintLevel,
  type LintOptions,
  type LintRuleName,
  type LintRuleOff,
  type LintSetting,
  lintBy,
  type ToldFinding,
  type UnknownRule,
  unknownRules,
} from "./lint-setting";
export { type CompiledPolicy, compile, matches, type PolicyRequest } from "./matches";
export type { Narrowed } from "./narrowing";
export { onlyAllowsMore } from "./only-allows-more";
export {
  type IgnoredDirective,
  type IgnoredReason,
  type ParsedDirective,
  type ParsedPolicy,
  type Position,
  parse,
  toDirectives,
} from "./parse";
export type { SeenItem } from "./seen-item";
export { type Suggestion, type SuggestOptions, suggest } from "./suggest";
export type { Granularity } from "./suggested-source";
export { type ToldSuggestion, tellSuggestion } from "./tell-suggestion";
export { unseenKinds } from "./unseen-kinds";
