/**
 * Functions for the command `page-guard` only. They may change in any version.
 *
 * @module
 */

export {
  apiSettings, // Reads the rate limit and the timeout from the environment. Throws if a variable is invalid.
  isOffline, // Whether `PAGE_GUARD_OFFLINE` forbids every request.
} from "./api/api-settings";
export type {
  Policy, // A policy of a zone.
  Rule, // A rule of an entry point.
  Script, // A script that a zone lists.
} from "./api/client-types";
export {
  sleep, // Waits. A test can replace the clock.
  systemClock, // The clock of this machine.
} from "./api/clock";
export { resolveConnection } from "./api/connection"; // Finds the token, the base URL and the service in arguments, the environment and the stack config.
export { createReader } from "./api/create-client"; // Creates a client that cannot change a zone.
export { sendOnce } from "./api/http/send-once"; // Sends one request to a forge (GitHub, GitLab, …) through the configured proxies. The token is never in its result.
export { providerText } from "./declaration/internals/provider-text"; // The code in a state that loads the provider of a resource. Any other code there is forged.
export {
  lowest, // The oldest versions of Node and the SDK that the package works with.
  versionProblem, // Returns a message if Node or the SDK is too old; otherwise undefined.
} from "./declaration/supported-versions";
export { CodedError } from "./errors/coded-error"; // An error that has the code of a finding.
export {
  type CodeOf, // The codes of all findings and errors of one severity.
  findingTable, // Severity, group and meaning of each finding.
} from "./errors/findings";
export { PageGuardError } from "./errors/page-guard-error"; // An error of the provider, with a stable `code`.
export { listPageForms, readSeenOn } from "./functions/items-in-use"; // The forms in which the service may list a page; and a function that adds the items seen on single hosts.
export { readScripts } from "./functions/read-scripts"; // Reads the scripts of a zone or of some pages, including those that the service hides by default.
export {
  readZone, // Reads parts of a zone. If a part cannot be read, says why.
  requireValues, // Returns the parts that were read. Throws the error of a part that is missing.
  type ZonePart, // The name of a part of a zone.
  type ZoneValues, // The parts of a zone that were read.
} from "./functions/read-zone";
export { runInFlight } from "./lifecycle/in-flight"; // Works on the items of a list, a limited number at a time.
export { refusalOfRemediation } from "./lifecycle/remediated-inputs"; // Why a resource refuses inputs that a policy pack changed.
export { upgradeState } from "./lifecycle/state"; // Converts a state from an older version of this package to the current format.
export {
  fieldMeaning, // Returns the meaning of a field's value. Different spellings with the same meaning give equal results.
  isSameField, // Whether two values of a field have the same meaning.
} from "./model/compare";
export { isChanging } from "./model/effect"; // Whether an update does anything with a resource.
export {
  engineMarks, // Marks of the engine for values that are secret or not known yet.
  readMark, // Whether a value of the engine stands for a secret or for a value that is not known yet.
} from "./model/engine-marks";
export { isEnforced } from "./model/policies/enforcement"; // Whether a policy is enforced: browsers block everything that it does not allow.
export { recordedPolicies } from "./model/policies/policy-effects"; // The policies in the state of a resource.
export { getAtPath } from "./model/properties"; // The value at a path.
export {
  isDefaultProvider, // Whether a provider is the engine's own, made from the stack's config.
  parseKind, // The resource kind in a type name of this package, such as `CspPolicy`.
  pluginTypePrefix, // Prefix of the types of the plugin's resources.
  readDeclaredAs, // The name of a resource in messages: `CspPolicy checkout`.
  urnParts, // Type and names in a URN.
} from "./model/urn";
export { parseRules } from "./model/waf-rules/rule-input"; // Reads the rules in a program, a state or an approval.
export { isSameRule } from "./model/waf-rules/rule-match"; // Whether a live rule equals a declared one.
export { parseZoneId } from "./model/zone-id"; // Returns a zone id in lower case; undefined for any other value.
export { keepCompiledCode } from "./plugin/compile-cache"; // Lets Node keep the compiled code of the command in a folder that only the user can change.
export {
  explainRefusal, // The reason why a resource would refuse its arguments.
  importedResource, // The resource that an import records for an object that was read.
} from "./resources/import-resource";
export {
  effectsOf, // Computes the effects of an update on the objects of a zone.
  findKind, // The kind of resource with this name.
  toObjectType, // The type of object that a resource of this kind has in its zone.
} from "./resources/kinds";
export { recordedRules } from "./resources/managed-waf-entrypoint/ownership"; // The rules in a state, each with its live rule and the arguments that differ between the two; also all other live rules.
export { toDeclaration } from "./resources/to-declaration"; // The arguments that declare an object of a zone.
export { migrationFacts } from "./resources/waf-migration/migration-facts"; // The position of a zone in its migration, and facts about the proposed configuration.
export {
  canonicalize, // Returns JSON with sorted fields, so that their original order makes no difference.
  groupBy, // Groups items by their key.
  readMessage, // The message of a thrown value.
} from "./text/data";
export {
  parseJson, // Parses JSON; undefined if it is invalid.
  parseUrl, // Parses a URL; undefined if it is invalid.
  switchesOn, // Whether an environment variable that is a switch is on.
  variableNameProblem, // Says what is wrong with the name of a variable, without quoting the name: it may be a token.
} from "./text/from-outside";
export {
  clean, // Makes text from outside safe to show.
  enumerate, // The first items of a list, and the number of the others.
  pluralize, // A number with its noun: `2 policies`.
} from "./text/shown";
