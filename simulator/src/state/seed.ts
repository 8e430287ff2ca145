import { readEntrypoint, type SentRule } from "../wire/entrypoint-body";
import { saveEntrypoint } from "./entrypoint";
import { computeHash, makeHexadecimal, type Random, seededRandom } from "./random";
import { asWished, seedConnection, seedCookie, seedScript } from "./seed-items";
import type * as zone from "./zone";

/** Initial content of a zone. Every field is optional. Invented values depend on `seed` and the id of the zone. */
export interface ZoneSeed {
  /** Plan of the zone; `enterprise` by default. */
  readonly plan?: zone.Plan;
  /** Seed of the invented values; by default the simulator's own. */
  readonly seed?: number;
  /** Number of invented items (10 by default), or the items themselves; omitted fields are invented. */
  readonly scripts?: number | readonly Partial<zone.ZoneScript>[];
  /** Connections, given like `scripts`; 6 by default. */
  readonly connections?: number | readonly Partial<zone.ZoneConnection>[];
  /** Cookies, given like `scripts`; 5 by default. */
  readonly cookies?: number | readonly Partial<zone.ZoneCookie>[];
  /** Statuses that invented items get in turn. By default, one in ten is infrequent, one inactive, and the rest are active. */
  readonly statuses?: readonly string[];
  /** Settings of the zone. Default: Page Guard off, the vendor's endpoint on, connection paths off. */
  readonly settings?: Partial<zone.ZoneSettings>;
  readonly policies?: readonly Partial<zone.ZonePolicy>[];
  /** Maximum number of policies. By default 0 on pro, 5 on business, 50 on enterprise. */
  readonly policyQuota?: number;
  /** Entry point as in the body of its PUT; `null` (default) if it was never configured. */
  readonly entrypoint?: EntrypointSeed | null;
  /** If given, even as `{}`, the zone is on the previous WAF unless `stage` says otherwise. If absent, it is on the new WAF. */
  readonly waf?: WafSeed;
}

/** Initial entry point of a zone. A rule needs an action and an expression; the rest is invented. */
export interface EntrypointSeed {
  readonly name?: string;
  readonly description?: string;
  readonly rules: readonly RuleSeed[];
}

export type RuleSeed = Partial<SentRule> & Pick<SentRule, "action" | "expression">;

/** Any fields of `ZoneWaf`. Two of the lists may also be given as the number of entries to invent. */
export type WafSeed = Partial<Omit<zone.ZoneWaf, "firewallRules" | "uriOverrides" | "owasp">> & {
  readonly firewallRules?: number | zone.ZoneWaf["firewallRules"];
  readonly uriOverrides?: number | readonly Partial<zone.ZoneUriOverride>[];
  /** The previous OWASP ruleset. `true` switches it on with the default sensitivity and the action `block`. */
  readonly owasp?: zone.ZoneWaf["owasp"] | boolean;
};

/** Time of the last change of seeded objects: 2024-01-01T00:00:00.000Z. */
const seededAt = Date.UTC(2024, 0, 1);

/** Creates a zone. The same id, seed and wishes give the same zone. */
export function seedZone(id: string, wishes: ZoneSeed, simulatorSeed: number): zone.Zone {
  const { statuses } = wishes;
  const random = seededRandom(computeHash(id) ^ (wishes.seed ?? simulatorSeed));
  const zone: zone.Zone = {
    id,
    plan: wishes.plan ?? "enterprise",
    settings: {
      enabled: false,
      use_vendor_reporting_endpoint: true,
      use_connection_url_path: false,
      updated_at: new Date(seededAt).toISOString(),
      ...wishes.settings,
    },
    policies: (wishes.policies ?? []).map((policy) => seedPolicy(random, policy)),
    policyQuota: wishes.policyQuota ?? null,
    entrypoint: null,
    waf: seedWaf(random, wishes.waf),
    scripts: items(wishes.scripts ?? 10, (index) => seedScript(random, index, statuses), asWished),
    connections: items(wishes.connections ?? 6, (index) => seedConnection(random, index, statuses), asWished),
    cookies: items(wishes.cookies ?? 5, (index) => seedCookie(random, index, statuses)),
  };
  if (wishes.entrypoint) {
    const body = structuredClone(wishes.entrypoint);
    const ids = body.rules.map(({ id }) => id);
    // Uses the given ids in order: `saveEntrypoint` asks for the ids of the rules first, and for the id of the entry point last.
    const mint = () => ids.shift() ?? makeHexadecimal(random, 32);
    saveEntrypoint(zone, readEntrypoint(body), { now: seededAt, mint });
  }
  return zone;
}

export function seedPolicy(random: Random, wishes: Partial<zone.ZonePolicy>): zone.ZonePolicy {
  return {
    id: makeHexadecimal(random, 32),
    description: "created by another person",
    action: "log",
    expression: 'http.host eq "example.com"',
    enabled: true,
    value: "script-src 'self'",
    ...wishes,
  };
}

/** Returns the migration state of a zone. Without wishes, the migration is finished. */
export function seedWaf(random: Random, wishes: WafSeed | undefined): zone.ZoneWaf {
  const { firewallRules, uriOverrides, owasp, ...given } = wishes ?? {};
  return {
    stage: wishes === undefined ? "new" : "old",
    oldEnabled: true,
    eligible: true,
    firewallRules: items(firewallRules ?? 0, (index) => ({
      expression: `ip.src eq 192.0.2.${index % 256}`,
      description: `bypass ${index + 1}`,
    })),
    pageRules: [],
    owasp: owasp === true ? { sensitivity: "default", action: "block" } : owasp || null,
    overrides: [
      { id: makeHexadecimal(random, 32), action: "log", enabled: true },
      { id: makeHexadecimal(random, 32), enabled: false },
    ],
    uriOverrides: items(uriOverrides ?? 0, (index) => ({
      id: makeHexadecimal(random, 32),
      description: `override ${index + 1}`,
      rules: {},
      groups: {},
      urls: [`example.com/path-${index + 1}/*`],
      paused: false,
      priority: index + 1,
    })),
    finishMs: 0,
    validationMs: 0,
    lagMs: 0,
    afterFinish: "incompatible",
    overLimit: "refuse",
    strictIds: true,
    answer: "ruleset",
    repeats: "refuse",
    lagsEverywhere: false,
    listLag: null,
    stateNames: { old: "start", validation: "validation", finishing: "pending", new: "done" },
    statusValues: { on: "enabled", off: "disabled" },
    acceptedValidation: 0,
    acceptedPending: 0,
    refusedValidation: 0,
    refusedPending: 0,
    repeatedPending: 0,
    lag: null,
    created: null,
    source: null,
    settlesAt: null,
    validated: given.stage === "validation",
    ...given,
  };
}

function items<T>(
  wished: number | readonly Partial<T>[],
  make: (index: number) => T,
  join = (made: T, given: Partial<T>): T => ({ ...made, ...structuredClone(given) }),
): T[] {
  if (typeof wished === "number") return Array.from({ length: wished }, (_, index) => make(index));
  return wished.map((given, index) => join(make(index), given));
}
