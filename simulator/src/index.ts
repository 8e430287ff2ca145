/**
 * Simulates the Page Guard API and the WAF migration API in memory over real sockets, for tests and demonstrations. It is strict,
 * and has plans, migration states, faults and a journal. It needs only Node, and shares no code with the client that it tests.
 * The README has an example.
 *
 * @module page-guard-simulator
 */

export type { FaultKind, FaultRoute, FaultSpec, Faults } from "./control/faults";
export type { RequestHook, SimulatorOptions } from "./simulator";
export { Simulator, startSimulator } from "./simulator";
export type { Journal, JournalEntry, RequestFilter } from "./state/journal";
export type { EntrypointSeed, RuleSeed, WafSeed, ZoneSeed } from "./state/seed";
export { managedRulesetId, owaspRulesetId, owaspScoringRuleId } from "./state/waf-migration";
export type {
  Json,
  JsonObject,
  Plan,
  Sighting,
  WafStage,
  Zone,
  ZoneConnection,
  ZoneCookie,
  ZoneEntrypoint,
  ZonePolicy,
  ZoneRule,
  ZoneScript,
  ZoneSettings,
  ZoneSnapshot,
  ZoneUriOverride,
  ZoneWaf,
} from "./state/zone";
export type { Dashboard, Zones } from "./state/zones";
export type { SentRule } from "./wire/entrypoint-body";
export type { RateHeaderForm, RateLimit, RateLimitOptions, RetryAfterForm, Verdict } from "./wire/rate-limit";
