/**
 * What the command `page-guard` is built with, and nobody else: it may change in any version.
 *
 * @module
 */

export {
  /** Limits and patience of the environment; throws for a variable that cannot be used. */
  apiSettings,
  /** Whether `PAGE_GUARD_OFFLINE` forbids every request. */
  isOffline,
} from "./api/api-settings";
export type {
  /** How a program reaches a zone. */
  ConnectionArgs,
  /** A policy of a zone. */
  Policy,
  /** A client that cannot change a zone. */
  ReadClient,
  /** A rule of an entry point. */
  Rule,
  /** A script that a zone lists. */
  Script,
} from "./api/client-types";
export {
  /** Waits, by a clock that a test can set. */
  sleep,
  /** The clock of this machine. */
  systemClock,
} from "./api/clock";
/** Token, base URL and service: from arguments, the environment and the stack config. */
export { resolveConnection } from "./api/connection";
/** Makes a `ReadClient`. */
export { createReader } from "./api/create-client";
/** One request to a forge, through the same proxies; the token is in no answer. */
export { sendOnce } from "./api/http/send-once";
/** Says what is missing where the service refuses filters. */
export { partialItems } from "./api/paging/items-in-use";
export {
  /** Lowest Node that the package runs on. */
  lowestNode,
  /** Lowest SDK of Pulumi that it runs with. */
  lowestSdk,
  /** What to do about versions that are too old. */
  versionProblem,
} from "./declaration/supported-versions";
export {
  /** The codes of findings and errors of a severity. */
  type CodeOf,
  /** What each finding means, and how urgent it is. */
  findingTable,
} from "./errors/findings";
/** An error of the provider; `code` says which. */
export { PageGuardError } from "./errors/page-guard-error";
/** The scripts of a zone or of pages, with the hidden ones. */
export { readScripts } from "./functions/read-scripts";
export {
  /** Reads parts of a zone, and says why one could not be read. */
  readZone,
  /** What was read, or the error of what is lacking. */
  valuesOf,
  /** The name of a part of a zone. */
  type ZonePart,
  /** Parts of a zone, as far as they were read. */
  type ZoneValues,
} from "./functions/read-zone";
/** The text by which state loads a resource's provider: another one is forged. */
export { providerText } from "./internals/provider-text";
/** A state that cannot be read, with its code. */
export { CodedError } from "./lifecycle/coded-error";
/** Works on a list, so many items at a time. */
export { allInFlight } from "./lifecycle/in-flight";
/** A recorded state in the form of today. */
export { upgradeState } from "./lifecycle/state";
export {
  /** What a field means, however it is spelled. */
  fieldMeaning,
  /** Whether a field means the same on both sides. */
  isSameField,
} from "./model/compare";
/** The text of a declared policy, as far as it is known. */
export { declaredText } from "./model/policies/declared-policy";
/** Whether a value is the engine's mark of one that is not known yet. */
export { isUnknownMark } from "./model/unknown";
export {
  /** `CspPolicy checkout`: a resource as messages name it. */
  declaredAsIn,
  /** Whether a provider is the engine's own, made from the stack's config. */
  isDefaultProvider,
  /** `CspPolicy` for a type of this package. */
  kindOf,
  /** Prefix of the types that the plugin serves. */
  pluginTypePrefix,
  /** Type and names in a URN. */
  urnParts,
} from "./model/urn";
export {
  /** A rule as a program declares it. */
  fromRule,
  /** Rules as a program, a state or an approval has them. */
  rulesIn,
} from "./model/waf-rules/rule-input";
/** Whether two rules do the same. */
export { isSameRule } from "./model/waf-rules/rule-match";
/** The id of a zone in lower case; undefined for anything else. */
export { zoneIdOf } from "./model/zone-id";
export {
  /** What an import records of an object that was read. */
  importedResource,
  /** Why a resource would refuse arguments. */
  refusalOf,
} from "./resources/as-read";
export {
  /** Whether this is the name of a kind. */
  isKindName,
  /** Names of the kinds of resources. */
  type KindName,
  /** The kinds by name: what each changes in its zone, and the policies that it declares. */
  kinds,
} from "./resources/kinds";
export {
  /** The rules that a state has, each with its live one. */
  recordedRules,
  /** Whose each rule of an entry point is, and what an update does with it. */
  ruleOwners,
} from "./resources/managed-waf-entrypoint/rule-owners";
/** What a zone has, as arguments. */
export { toDeclaration } from "./resources/to-declaration";
/** Where a migration is, and what its configuration would do. */
export { migrationFacts } from "./resources/waf-migration/migration-facts";
export {
  /** JSON in one order of fields. */
  canonical,
  /** Items by their key. */
  grouped,
  /** What was thrown, in words. */
  messageOf,
} from "./text/data";
export {
  /** Whether a variable that is a switch is on. */
  isSwitchedOn,
  /** The value of a JSON text; undefined for none. */
  jsonOf,
  /** The URL of a text; undefined for none. */
  parseUrl,
  /** Why a name is none of a variable, without quoting it: it may be a token. */
  variableNameProblem,
} from "./text/from-outside";
export {
  /** The first few of a list, and how many more. */
  listed,
  /** `2 policies`. */
  plural,
  /** Text from outside, safe in a message. */
  shown,
} from "./text/shown";
