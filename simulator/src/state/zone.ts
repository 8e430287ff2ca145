import type { seedConnection, seedCookie, seedScript } from "./seed-items";

/** A JSON value in a body. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** Plan of a zone. It determines which fields are shown, what may be set, and how many policies are allowed. */
export type Plan = (typeof plans)[number];
export const plans = ["pro", "business", "enterprise"] as const;

/**
 * Everything that the simulator knows about a zone, as plain data. Fields that the APIs show have the names that the APIs use;
 * names in camel case are the simulator's own.
 */
export interface Zone {
  readonly id: string;
  plan: Plan;
  settings: ZoneSettings;
  policies: ZonePolicy[];
  /** Maximum number of policies. `null` means 0 on pro, 5 on business, 50 on enterprise. */
  policyQuota: number | null;
  /** The managed WAF entry point; `null` if it was never configured. */
  entrypoint: ZoneEntrypoint | null;
  waf: ZoneWaf;
  scripts: ZoneScript[];
  connections: ZoneConnection[];
  cookies: ZoneCookie[];
}

export interface ZoneSettings {
  enabled: boolean;
  /** The public service calls this field `use_cloudflare_reporting_endpoint`. */
  use_vendor_reporting_endpoint: boolean;
  use_connection_url_path: boolean;
  updated_at: string;
}

export interface ZonePolicy {
  id: string;
  description: string;
  action: string;
  expression: string;
  /** Whether the policy is enabled. The service `page_guard` sends a string instead of a boolean. */
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
 * Stage of the migration. `old`: only the previous WAF runs. `validation`: both run. `finishing`: the finish was accepted, and
 * the switch is under way. `new`: only the new WAF runs, for good.
 */
export type WafStage = "old" | "validation" | "finishing" | "new";

export interface ZoneWaf {
  stage: WafStage;
  /** Whether the previous version was switched on when the migration began. */
  oldEnabled: boolean;
  /** Whether the zone may migrate. If false, `check` reports the zone as incompatible, for a reason internal to the service. */
  eligible: boolean;
  /** Bypass rules of the previous version. Each becomes a skip rule. The API migrates up to 200 rules of up to 4 KB each. */
  firewallRules: { expression: string; description: string }[];
  /** Page rules. A rule with `waf_on` becomes an execute rule; all other rules become skip rules. */
  pageRules: { pattern: string; setting: "disable_security" | "waf_off" | "waf_on" }[];
  /** The previous OWASP ruleset; `null` when it is off. */
  owasp: {
    sensitivity: "high" | "medium" | "low" | "default";
    action: "simulate" | "challenge" | "block";
  } | null;
  /** Changed rules of the previous version. They become overrides of the managed ruleset. */
  overrides: { id: string; action?: string; enabled?: boolean }[];
  /** URI-based overrides. As long as there are any, the zone is incompatible. */
  uriOverrides: ZoneUriOverride[];

  /** Time from an accepted `pending` update until the status shows the new WAF on and the old one off, in milliseconds. */
  finishMs: number;
  /** Time from an accepted `validation` update until the status shows the new WAF on, in milliseconds. */
  validationMs: number;
  /** Response of `check`, `config` and the list of URI overrides after the migration. */
  afterFinish: "404" | "410" | "incompatible";
  /** Response of `config` if a limit is exceeded: a refusal, or the configuration as it is (the PUT always refuses). */
  overLimit: "refuse" | "show";
  /** Whether the migration PUT checks how `id`, `version` and `ref` are sent. */
  strictIds: boolean;
  /** Response to an accepted migration PUT. */
  answer: "ruleset" | "null";
  /** Treatment of a `pending` update after an accepted one: it is refused, or it is accepted and counted again. */
  repeats: "refuse" | "accept";
  /** Time for which `check` and `status` still show the previous stage, in milliseconds. */
  lagMs: number;
  /** Whether `config` and the entry point lag behind as `check` and `status` do. */
  lagsEverywhere: boolean;
  stateNames: { old: string; validation: string; finishing: string; new: string };
  /** Values of `status` for on and off; their types are not documented. */
  statusValues: { on: string | boolean; off: string | boolean };

  acceptedValidation: number;
  /** Number of accepted `pending` updates, by which tests judge whether a client migrates at most once. */
  acceptedPending: number;
  refusedValidation: number;
  refusedPending: number;
  /** Number of `pending` updates, refused or not, that came after an accepted one or after a migration in the dashboard. */
  repeatedPending: number;
  /** The previous stage, and the time on the simulator's clock until which `check` and `status` still show it. */
  lag: { stage: WafStage; until: number } | null;
  /** The previous entry point, and the time on the simulator's clock until which reads still show it. */
  listLag: { entrypoint: ZoneEntrypoint | null; until: number } | null;
  /** Time at which the migration began, ISO 8601. */
  created: string | null;
  /** Origin of the migration: `api` or `dashboard`. */
  source: string | null;
  /** Milliseconds on the simulator's clock at which the stage settles; `null` if it has settled. */
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

/** Fields that scripts and connections share. The plan determines which of them are shown. */
export type Sighting = ReturnType<typeof seedConnection>;
export type ZoneConnection = Sighting;
export type ZoneScript = ReturnType<typeof seedScript>;
export type ZoneCookie = ReturnType<typeof seedCookie>;

/** A zone at one moment, without later changes; plain JSON. */
export interface ZoneSnapshot extends Zone {
  waf: ZoneWaf & {
    /** Whether `status` would now show the new WAF as on. */
    newStatus: boolean;
    /** Whether `status` would now show the previous WAF as on. */
    oldStatus: boolean;
    migrationState: string;
    compatible: boolean;
  };
}
