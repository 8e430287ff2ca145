/**
 * Both APIs in memory over real sockets, for tests and demonstrations: strict, with plans, migration states,
 * faults and a journal. Needs nothing but Node, and shares no code with the client it tests.
 *
 * ```ts
 * import { startSimulator } from "pulumi-page-guard/simulator";
 *
 * const sim = await startSimulator({ latencyMs: 20 });
 * sim.zones.seed("0123456789abcdef0123456789abcdef", { plan: "enterprise" });
 * sim.faults.add({ method: "POST", path: "/policies", kind: "reset-after", count: 1 });
 * // ... point a client at sim.url with sim.token ...
 * console.log(sim.changing().length, sim.zone("0123456789abcdef0123456789abcdef").policies);
 * await sim.stop();
 * ```
 *
 * @module
 */

export type { Dashboard } from "./dashboard";
export type { SentRule } from "./entrypoint-body";
export type { FaultKind, FaultRoute, FaultSpec, Faults } from "./faults";
export type { Journal, JournalEntry, RequestFilter } from "./journal";
export type { Json, JsonObject } from "./json";
export type { RateHeaderForm, ResetForm, RetryAfterForm } from "./rate-headers";
export type { RateLimit, RateLimitOptions, Verdict } from "./rate-limit";
export type { EntrypointSeed, RuleSeed, WafSeed, ZoneSeed } from "./seed-zone";
export type { RequestHook, SimulatorOptions } from "./simulator";
export { Simulator, startSimulator } from "./simulator";
export { managedRulesetId, owaspRulesetId, owaspScoringRuleId } from "./waf-configuration";
export type {
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
} from "./zone";
export type { Zones } from "./zones";
