/**
 * Functions for the command `page-guard` only. They may change in any version.
 *
 * @module
 */

export {
  apiSettings, // Limits and patience of the environment; throws for a variable that cannot be used.
  isOffline, // Whether `PAGE_GUARD_OFFLINE` forbids every request.
} from "./api/api-settings";
export type {
  ConnectionArgs, // How a program reaches a zone.
  Policy, // A policy of a zone.
  Rule, // A rule of an entry point.
  Script, // A script that a zone lists.
} from "./api/client-types";
export {
  sleep, // Waits, by a clock that a test can set.
  systemClock, // The clock of this machine.
} from "./api/clock";
export { resolveConnection } from "./api/connection"; // Token, base URL and service: from arguments, the environment and the stack config.
export {
  createReader, // Makes a `ReadClient`.
  type ReadClient, // A client that cannot change a zone.
} from "./api/create-client";
export { sendOnce } from "./api/http/send-once"; // One request to a forge, through the same proxies; the token is in no answer.
export { partialItems } from "./api/paging/items-in-use"; // Says what is missing where the service refuses filters.
export { providerText } from "./declaration/internals/provider-text"; // The text by which state loads a resource's provider: another one is forged.
export {
  lowest, // The oldest Node and SDK that the package works with.
  versionProblem, // What to do about versions that are too old.
} from "./declaration/supported-versions";
export {
  type CodeOf, // The codes of findings and errors of a severity.
  findingTable, // What each finding means, and how urgent it is.
} from "./errors/findings";
export { PageGuardError } from "./errors/page-guard-error"; // An error of the provider; `code` says which.
export { readScripts } from "./functions/read-scripts"; // The scripts of a zone or of pages, with the hidden ones.
export {
  readZone, // Reads parts of a zone, and says why one could not be read.
  valuesOf, // What was read, or the error of what is lacking.
  type ZonePart, // The name of a part of a zone.
  type ZoneValues, // Parts of a zone, as far as they were read.
} from "./functions/read-zone";
export { CodedError } from "./lifecycle/coded-error"; // A state that cannot be read, with its code.
export { allInFlight } from "./lifecycle/in-flight"; // Works on a list, so many items at a time.
export { upgradeState } from "./lifecycle/state"; // A recorded state in the form of today.
export {
  fieldMeaning, // What a field means, however it is spelled.
  isSameField, // Whether a field means the same on both sides.
} from "./model/compare";
export { recordedPolicies } from "./model/policies/policy-effects"; // The policies that the state of a resource has.
export {
  isUnknownMark, // Whether a value is the engine's mark of one that is not known yet.
  unknownValue as unknownMark, // That mark.
} from "./model/unknown";
export {
  declaredAsIn, // `CspPolicy checkout`: a resource as messages name it.
  isDefaultProvider, // Whether a provider is the engine's own, made from the stack's config.
  kindOf, // `CspPolicy` for a type of this package.
  pluginTypePrefix, // Prefix of the types that the plugin serves.
  urnParts, // Type and names in a URN.
} from "./model/urn";
export {
  fromRule, // A rule as a program declares it.
  rulesIn, // Rules as a program, a state or an approval has them.
} from "./model/waf-rules/rule-input";
export { isSameRule } from "./model/waf-rules/rule-match"; // Whether two rules do the same.
export { zoneIdOf } from "./model/zone-id"; // The id of a zone in lower case; undefined for anything else.
export { keepCompiledCode } from "./plugin/compile-cache"; // Lets Node keep the compiled code of the command, in a folder of the user's own.
export {
  importedResource, // What an import records of an object that was read.
  refusalOf, // Why a resource would refuse arguments.
} from "./resources/as-read";
export {
  effectsOf, // What an update does to each object of a zone.
  isKindName, // Whether this is the name of a kind.
  kinds, // The kinds by name: what each changes in its zone, and the policies that it declares.
  objectOf, // What a resource of a kind has in its zone.
} from "./resources/kinds";
export { recordedRules } from "./resources/managed-waf-entrypoint/rule-owners"; // The rules that a state has, each with its live one.
export { toDeclaration } from "./resources/to-declaration"; // What a zone has, as arguments.
export { migrationFacts } from "./resources/waf-migration/migration-facts"; // Where a migration is, and what its configuration would do.
export {
  canonical, // JSON in one order of fields.
  grouped, // Items by their key.
  messageOf, // What was thrown, in words.
} from "./text/data";
export {
  isSwitchedOn, // Whether a variable that is a switch is on.
  jsonOf, // The value of a JSON text; undefined for none.
  parseUrl, // The URL of a text; undefined for none.
  variableNameProblem, // Why a name is none of a variable, without quoting it: it may be a token.
} from "./text/from-outside";
export {
  listed, // The first few of a list, and how many more.
  plural, // `2 policies`.
  shown, // Text from outside, safe in a message.
} from "./text/shown";
