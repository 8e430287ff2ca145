/** Content Security Policies, as browsers read them: no input or output, nothing of Pulumi. */
export { build, type Directives } from "./build";
export type { KnownDirective, SupportedDirective } from "./directives";
export { equalPolicies, policyMeaning } from "./equal";
export type { Excluded, ExclusionOptions, ExclusionReason } from "./exclusion";
export { type ExplainRequest, type Explanation, explain, type Verdict } from "./explain";
export { type HostSelection, hostsOf } from "./expression";
export { normaliseExpression } from "./expression-tokens";
export type { Finding, Severity } from "./finding";
export type { HostSet } from "./host-set";
export {
  type Impact,
  type ImpactGroup,
  type ImpactOptions,
  type ItemCounts,
  impact,
  type LetIn,
} from "./impact";
export { nothingSeen, type RenderOptions, render, renderLetIn } from "./impact-lines";
export type { Granularity } from "./levels";
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
export type { Merged } from "./merged-hosts";
export type { Narrowed } from "./narrowing";
export type { NearestSource, SourcePart } from "./nearest-source";
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
export { REQUEST_KINDS, type RequestKind } from "./request-kind";
export { type SeenItem, seenItems } from "./seen-item";
export { selectedBy } from "./selected-items";
export { BASE_DIRECTIVES, type Suggestion, type SuggestOptions, suggest } from "./suggest";
export { remarksOn, type SuggestionRemark, type ToldSuggestion, tellSuggestion } from "./tell-suggestion";
export { unseenKinds } from "./unseen-kinds";
export type { DocumentedSources } from "./vendors";
