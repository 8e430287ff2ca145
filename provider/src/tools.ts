/**
 * What the command `page-guard` is built with, and nobody else: it may change in any version.
 *
 * @module
 */

export { apiSettings, isOffline } from "./api/api-settings";
export type {
  ConnectionArgs,
  PageGuardClient,
  Policy,
  ResolvedConnection,
  Rule,
  Script,
} from "./api/client-types";
export { sleep, systemClock } from "./api/clock";
export { isLoopback, resolveConnection } from "./api/connection";
export { createClient } from "./api/create-client";
export { sharedAgent } from "./api/http/shared-resources";
export { type HttpAnswer, type Transport, undiciTransport } from "./api/http/transport";
export { withoutToken } from "./api/http/without-token";
export { partialItems } from "./api/paging/items-in-use";
export { documented as documentedLimit } from "./api/rate-limit/rate-headers";
export { lowestNode, lowestSdk, versionProblem } from "./declaration/supported-versions";
export { type CodeOf, findingTable } from "./errors/findings";
export { PageGuardError } from "./errors/page-guard-error";
export { readScripts } from "./functions/read-scripts";
export { readZone, valuesOf, type ZonePart, type ZoneValues } from "./functions/read-zone";
export { providerText } from "./internals/provider-text";
export { checkInputs } from "./lifecycle/check-inputs";
export { CodedError } from "./lifecycle/coded-error";
export { Draft } from "./lifecycle/draft";
export { allInFlight } from "./lifecycle/in-flight";
export type { Kind, PolicyInZone } from "./lifecycle/kind";
export type { Run } from "./lifecycle/run";
export { upgradeState, withoutUndefined, withVersion } from "./lifecycle/state";
export { fieldMeaning, isSameField } from "./model/compare";
export { errorsOf, findingText } from "./model/finding";
export { declaredText } from "./model/policies/declared-policy";
export { reports as reportsViolations } from "./model/policies/log-time";
export type { Properties } from "./model/properties";
export { containsUnknown, isUnknownMark } from "./model/unknown";
export {
  declaredAsIn,
  declaredKind,
  declaredName,
  declaredNameIn,
  isDefaultProvider,
  kindOf,
  pluginTypePrefix,
  typePrefix,
  urnParts,
} from "./model/urn";
export { anyWafRule, fromRule, toRule } from "./model/waf-rules/rule-input";
export { isSameRule } from "./model/waf-rules/rule-match";
export { zoneIdIn, zoneIdOf } from "./model/zone-id";
export { isKindName, type KindName, kinds } from "./resources/kinds";
export { recordedRules, ruleOwners } from "./resources/managed-waf-entrypoint/rule-owners";
export { switches } from "./resources/page-guard-settings/state";
export { toDeclaration } from "./resources/to-declaration";
export { migrationFacts } from "./resources/waf-migration/migration-facts";
export { appliedSchema as appliedMigration } from "./resources/waf-migration/state";
export { canonical, grouped, messageOf } from "./text/data";
export { isSwitchedOn, jsonOf, parseUrl, variableNameProblem } from "./text/from-outside";
export { listed, plural, shown } from "./text/shown";
