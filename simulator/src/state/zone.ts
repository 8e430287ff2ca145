import type { seedConnection, seedCookie, seedScript } from "./seed-items";

/** What travels in a body. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** Decides which fields are shown, what may be set and how many policies fit. */
export type Plan = (typeof plans)[number];
export const plans = ["pro", "business", "enterprise"] as const;

/**
 * Everything that the simulator knows of a zone, as plain data. What the APIs show is kept under the names that
 * they use on the wire; what only the simulator knows (`waf`) is camelCase.
 */
export interface Zone {
  readonly id: string;
  plan: Plan;
  settings: ZoneSettings;
  policies: ZonePolicy[];
  /** How many policies fit. By default 0 on pro, 5 on business, 50 on enterprise. */
  policyQuota: number | null;
  /** `null`: never configured. */
  entrypoint: ZoneEntrypoint | null;
  waf: ZoneWaf;
  scripts: ZoneScript[];
  connections: ZoneConnection[];
  cookies: ZoneCookie[];
}

export interface ZoneSettings {
  enabled: boolean;
  /** Spelled `use_cloudflare_reporting_endpoint` by the public service. */
  use_vendor_reporting_endpoint: boolean;
  use_connection_url_path: boolean;
  updated_at: string;
}

export interface ZonePolicy {
  id: string;
  description: string;
  action: string;
  expression: string;
  /** A string on the wire under `page_guard`. */
  enabled: boolean;
  value: string;
}

export interface ZoneEntrypoint {
  id: string;
  name: string;
  description: string;
  kind: "zone";
  phase: "http_request_firewall_managed";
  version: string;
  last_updated: string;
  rules: ZoneRule[];
}

export interface ZoneRule {
  id: string;
  version: string;
  ref: string;
  action: string;
  expression: string;
  description?: string;
  enabled: boolean;
  last_updated: string;
  action_parameters?: JsonObject;
  logging?: JsonObject;
}

/**
 * The stage of the migration: `old` only the previous version; `validation` both; `finishing`
 * accepted, the switch is under way; `new` only the new one, for good.
 */
export type WafStage = "old" | "validation" | "finishing" | "new";

export interface ZoneWaf {
  stage: WafStage;
  /** Whether the previous version was switched on when the migration began. */
  oldEnabled: boolean;
  /** `false`: `check` says incompatible for a reason of the service's own. */
  eligible: boolean;
  /** Bypass rules of the previous version: each becomes a skip rule. At most 200, 4 KB each. */
  firewallRules: { expression: string; description: string }[];
  /** Page rules: `waf_on` becomes an execute rule, the others skip rules. */
  pageRules: { pattern: string; setting: "disable_security" | "waf_off" | "waf_on" }[];
  /** The previous OWASP ruleset; `null` when it is off. */
  owasp: {
    sensitivity: "high" | "medium" | "low" | "default";
    action: "simulate" | "challenge" | "block";
  } | null;
  /** Rules of the previous version that had been changed: become overrides of the managed ruleset. */
  overrides: { id: string; action?: string; enabled?: boolean }[];
  /** While there is one, the zone is incompatible. */
  uriOverrides: ZoneUriOverride[];

  /** How long after an accepted `pending` the status shows new on and old off, in milliseconds. */
  finishMs: number;
  /** How long after an accepted `validation` the status shows the new one as on, in milliseconds. */
  validationMs: number;
  /** What `check`, `config` and the list of URI overrides answer once the migration is over. */
  afterFinish: "404" | "410" | "incompatible";
  /** What `config` answers when a limit is exceeded: a refusal, or the configuration as it is (the PUT refuses always). */
  overLimit: "refuse" | "show";
  /** `false`: the migration PUT does not check how `id`, `version` and `ref` are sent. */
  strictIds: boolean;
  /** What an accepted migration PUT answers. */
  answer: "ruleset" | "null";
  /** What happens to a `pending` update after one was accepted: refused, or accepted again and counted as such. */
  repeats: "refuse" | "accept";
  /** How long `check` and `status` go on showing the stage before, in milliseconds. */
  lagMs: number;
  /** `true`: `config` and the entry point are as far behind as `check` and `status`. */
  lagsEverywhere: boolean;
  stateNames: { old: string; validation: string; finishing: string; new: string };
  /** How `status` says on and off; their types are not documented. */
  statusValues: { on: string | boolean; off: string | boolean };

  acceptedValidation: number;
  /** The judge of "at most once". */
  acceptedPending: number;
  refusedValidation: number;
  refusedPending: number;
  /** `pending` updates that came after one had been accepted (or after a migration in the dashboard), refused or not. */
  repeatedPending: number;
  /** What `check` and `status` still show, and until when on the simulator's clock. */
  lag: { stage: WafStage; until: number } | null;
  /** The entry point as reads still show it, and until when. */
  listLag: { entrypoint: ZoneEntrypoint | null; until: number } | null;
  /** ISO 8601; when the migration began. */
  created: string | null;
  /** Who began it: `api` or `dashboard`. */
  source: string | null;
  /** Milliseconds on the simulator's clock at which the stage settles; `null` when it has. */
  settlesAt: number | null;
  /** Whether the zone went through validation mode. */
  validated: boolean;
}

export interface ZoneUriOverride {
  id: string;
  description: string;
  urls: string[];
  rules: JsonObject;
  groups: JsonObject;
  paused: boolean;
  priority: number;
}

/** What scripts and connections share; which of it is shown depends on the plan. */
export type Sighting = ReturnType<typeof seedConnection>;
export type ZoneConnection = Sighting;
export type ZoneScript = ReturnType<typeof seedScript>;
export type ZoneCookie = ReturnType<typeof seedCookie>;

/** A zone at one moment, without later changes; plain JSON. */
export interface ZoneSnapshot extends Zone {
  waf: ZoneWaf & {
    /** The answer that `status` would give now. */
    newStatus: boolean;
    oldStatus: boolean;
    migrationState: string;
    compatible: boolean;
  };
}
