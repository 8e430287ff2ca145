/**
 * What the command `page-guard` is built with, and nobody else: it may change in any version.
 *
 * @module
 */

export { apiSettings, isOffline, limitName } from "./api/api-settings";
export type {
  ConnectionArgs,
  ListQuery,
  PageGuardClient,
  Policy,
  ResolvedConnection,
  Rule,
  Script,
  Service,
} from "./api/client-types";
export { type Clock, sleep, systemClock } from "./api/clock";
export { isLoopback, resolveConnection } from "./api/connection";
export { createClient } from "./api/create-client";
export { sharedAgent } from "./api/http/shared-resources";
export { type HttpAnswer, type Transport, undiciTransport } from "./api/http/transport";
export { withoutToken } from "./api/http/without-token";
export { type ItemsInUse, partialItems } from "./api/paging/items-in-use";
export { documented as documentedLimit } from "./api/rate-limit/rate-headers";
export { lowestNode, lowestSdk, versionProblem } from "./declaration/supported-versions";
export { ApiError, ItemGoneError, isApiError, NotFoundError } from "./errors/api-error";
export {
  type CodeOf,
  type Concern,
  type FindingMeaning,
  findingTable,
  type NamedFinding,
} from "./errors/findings";
export { InputError, PageGuardError } from "./errors/page-guard-error";
export { readScripts } from "./functions/read-scripts";
export {
  migrationParts,
  readZone,
  type Unread,
  valuesOf,
  type ZonePart,
  type ZoneRead,
  type ZoneReader,
  type ZoneValues,
} from "./functions/read-zone";
export { providerText } from "./internals/provider-text";
export { checkInputs } from "./lifecycle/check-inputs";
export { CodedError } from "./lifecycle/coded-error";
export { Draft } from "./lifecycle/draft";
export { allInFlight, inFlight } from "./lifecycle/in-flight";
export type { Kind, PolicyInZone } from "./lifecycle/kind";
export type { Run } from "./lifecycle/run";
export { upgradeState, withoutUndefined, withVersion } from "./lifecycle/state";
export { changedFields, fieldMeaning, isSameField, paired } from "./model/compare";
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
export { type MigrationFacts, migrationFacts } from "./resources/waf-migration/migration-facts";
export { appliedSchema as appliedMigration } from "./resources/waf-migration/state";
export { canonical, compareTexts, dayMs, grouped, messageOf } from "./text/data";
export {
  isSwitchedOn,
  jsonOf,
  parseUrl,
  readRegularFile,
  tooLarge,
  variableNameProblem,
} from "./text/from-outside";
export { capped, counted, listed, plural, shown } from "./text/shown";
