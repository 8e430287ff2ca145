/**
 * Library that reads Content Security Policies as browsers do. It does no I/O and does not need Pulumi.
 *
 * @module page-guard-csp
 */

export { type HostSelection, hostsOf, selects } from "./expression/hosts-of";
export { impossibleHosts } from "./expression/impossible-hosts";
export {
  type Comparison,
  type Expression,
  expressionFault,
  parseExpression,
} from "./expression/parse-expression";
export { normaliseExpression, type Token } from "./expression/tokens";
export { findUnselected } from "./expression/unselected-page";
export { hostOwner, ownedDomain, publishedBy } from "./hosts/anyone-publishes";
export { type Company, findCompany, nameCompany } from "./hosts/find-company";
export * from "./impact/impact";
export * from "./impact/impact-lines";
export * from "./impact/seen-item";
export * from "./lint/lint";
export { type Finding, LINT_RULES, type LintRuleId, type Severity } from "./lint/lint-rules";
export { equalPolicies, onlyAllowsMore, policyMeaning } from "./match/equal";
export * from "./match/explain";
export { type CompiledPolicy, compile, matches, type PolicyRequest } from "./match/matches";
export { guesser, nearest } from "./match/nearest";
export { type ExplainRequest, kindDecidedBy, REQUEST_KINDS, type RequestKind } from "./match/request-kind";
export type { Granularity, Narrowed, Wider } from "./suggest/choose-sources";
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
export * from "./syntax/build";
export {
  isKnownDirective,
  type KnownDirective,
  type SupportedDirective,
  upgradesRequests,
  withUpgrade,
} from "./syntax/directives";
export * from "./syntax/parse";
export { requestUrl, toRequestUrl, withScheme } from "./syntax/request-url";
