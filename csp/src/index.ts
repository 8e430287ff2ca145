/**
 * Content Security Policies, as browsers read them: no input or output, nothing of Pulumi.
 *
 * @module page-guard-csp
 */

export { CspError } from "./csp-error";
export { expressionFault } from "./expression/expression-fault";
export type { Token } from "./expression/expression-tokens";
export { normaliseExpression } from "./expression/expression-tokens";
export { type HostSelection, type HostSet, hostsOf, hostTest } from "./expression/hosts-of";
export { type Expression, parseExpression } from "./expression/parse-expression";
export { selects } from "./expression/selects";
export type { Finding } from "./finding";
export * from "./impact/impact";
export * from "./impact/impact-lines";
export {
  hostOf,
  type ItemStatus,
  isMalicious,
  maliceOf,
  maliciousBelow,
  pageUrlOf,
  type SeenConnection,
  type SeenItem,
  type SeenScript,
  seenItems,
  selectedBy,
} from "./impact/seen-item";
export { hostOwner, ownedDomain, publishedBy } from "./lint/anyone-publishes";
export * from "./lint/lint";
export { lintPartlyKnown } from "./lint/lint-partly-known";
export { LINT_RULES, type LintRuleId, type Severity } from "./lint/lint-rules";
export { DecidingLists } from "./match/deciding-lists";
export { type Explanation, explain, explainer, type Verdict } from "./match/explain";
export { type CompiledPolicy, compile, matches, type PolicyRequest } from "./match/matches";
export { guesser, nearest } from "./match/nearest";
export type { NearestSource, SourcePart } from "./match/nearest-source";
export { onlyAllowsMore } from "./match/only-allows-more";
export { type ExplainRequest, kindDecidedBy, REQUEST_KINDS, type RequestKind } from "./match/request-kind";
export type { Granularity, Narrowed } from "./suggest/choose-sources";
export type { Excluded, ExclusionOptions, ExclusionReason } from "./suggest/exclusion";
export { fromReports, type ReportedSources, type ReportedUse } from "./suggest/from-reports";
export { isOfOneRelease, lastingName } from "./suggest/stable-path";
export * from "./suggest/suggest";
export {
  remarksOn,
  type SuggestionRemark,
  type ToldSuggestion,
  tellSuggestion,
} from "./suggest/tell-suggestion";
export { unseenKinds } from "./suggest/unseen-kinds";
export { build, type Directives } from "./syntax/build";
export type { KnownDirective, SupportedDirective } from "./syntax/directives";
export { isKnownDirective } from "./syntax/directives";
export { equalPolicies, policyMeaning } from "./syntax/equal";
export {
  type IgnoredDirective,
  type IgnoredReason,
  type ParsedDirective,
  type ParsedPolicy,
  type Position,
  parse,
  toDirectives,
} from "./syntax/parse";
export { toRequestUrl, withScheme } from "./syntax/request-url";
