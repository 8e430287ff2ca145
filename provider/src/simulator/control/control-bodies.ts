/** What other processes may send to the control interface, read strictly. */

import { seededRandom } from "../state/random";
import { seedConnection, seedCookie, seedScript } from "../state/seed-items";
import { seedPolicy, seedWaf, seedZone, type WafSeed, type ZoneSeed } from "../state/seed-zone";
import type {
  Plan,
  ZoneConnection,
  ZoneCookie,
  ZonePolicy,
  ZoneScript,
  ZoneSettings,
  ZoneWaf,
} from "../state/zone";
import { readEntrypoint } from "../wire/entrypoint-body";
import { Fields, invalid } from "../wire/fields";
import { isRecord, present } from "../wire/json";
import { rateHeaderForms, resetForms, retryAfterForms } from "../wire/rate-headers";
import type { RateLimitOptions } from "../wire/rate-limit";

const plans: readonly Plan[] = ["pro", "business", "enterprise"];
const choices: Readonly<Record<string, readonly string[]>> = {
  stage: ["old", "validation", "finishing", "new"],
  afterFinish: ["404", "410", "incompatible"],
  overLimit: ["refuse", "show"],
  answer: ["ruleset", "null"],
  repeats: ["refuse", "accept"],
};
/** Fields that may be null although the examples below are not. */
const nullable = [
  "max_age_attribute",
  "hash",
  "fetched_at",
  "js_integrity_score",
  "obfuscation_score",
  "dataflow_score",
  "cryptomining_score",
  "magecart_score",
  "malware_score",
];

const never = seededRandom(0);
const exampleScript = seedScript(never, 0);
const exampleConnection = seedConnection(never, 0);
const exampleCookie = seedCookie(never, 0);
const examplePolicy = seedPolicy(never, {});
const exampleWaf = seedWaf(never, {});
const exampleSettings = seedZone("0".repeat(32), {}, 0).settings;

export function readPlan(body: unknown): Plan {
  const fields = Fields.of(body, "", ["plan"]);
  return fields.required("plan", fields.oneOf("plan", plans));
}

export const readSettings = (body: unknown): Partial<ZoneSettings> => like(exampleSettings, body, "");
export const readPolicy = (body: unknown): Partial<ZonePolicy> => like(examplePolicy, body, "");
export const readWaf = (body: unknown): Partial<ZoneWaf> => like(exampleWaf, body, "");
export const readScript = (body: unknown): Partial<ZoneScript> => like(exampleScript, body, "");
export const readConnection = (body: unknown): Partial<ZoneConnection> => like(exampleConnection, body, "");
export const readCookie = (body: unknown): Partial<ZoneCookie> => like(exampleCookie, body, "");

export function readZoneSeed(body: unknown): ZoneSeed {
  const fields = Fields.of(body, "", [
    ...["plan", "seed", "scripts", "connections", "cookies", "statuses"],
    ...["settings", "policies", "policyQuota", "entrypoint", "waf"],
  ]);
  const policies = fields.array("policies");
  const settings = fields.value("settings");
  const entrypoint = fields.value("entrypoint");
  const waf = fields.value("waf");
  return present({
    plan: fields.oneOf("plan", plans),
    seed: fields.number("seed"),
    scripts: readItems(fields, "scripts", exampleScript),
    connections: readItems(fields, "connections", exampleConnection),
    cookies: readItems(fields, "cookies", exampleCookie),
    statuses: fields.strings("statuses"),
    settings: settings === undefined ? undefined : like(exampleSettings, settings, "/settings"),
    policies: policies?.map((policy, index) => like(examplePolicy, policy, `/policies/${index}`)),
    policyQuota: fields.number("policyQuota"),
    entrypoint: entrypoint === undefined || entrypoint === null ? undefined : readEntrypoint(entrypoint),
    waf: waf === undefined ? undefined : readWafSeed(waf),
  });
}

function readWafSeed(value: unknown): WafSeed {
  if (!isRecord(value)) throw invalid("/waf", "must be an object");
  const { firewallRules, uriOverrides, owasp, ...rest } = value;
  const lists = present({ firewallRules, uriOverrides, owasp });
  const numbers = Fields.of(lists, "/waf", ["firewallRules", "uriOverrides", "owasp"]);
  const listed = like(
    exampleWaf,
    present({
      firewallRules: typeof firewallRules === "number" ? undefined : firewallRules,
      uriOverrides: typeof uriOverrides === "number" ? undefined : uriOverrides,
      owasp: typeof owasp === "boolean" ? undefined : owasp,
    }),
    "/waf",
  );
  return present({
    ...like(exampleWaf, rest, "/waf"),
    ...listed,
    ...(typeof firewallRules === "number" ? { firewallRules: numbers.number("firewallRules") } : {}),
    ...(typeof uriOverrides === "number" ? { uriOverrides: numbers.number("uriOverrides") } : {}),
    ...(typeof owasp === "boolean" ? { owasp } : {}),
  });
}

export function readRateLimit(body: unknown): RateLimitOptions | undefined {
  if (body === null) return undefined;
  const fields = Fields.of(body, "", [
    ...["limit", "windowMs", "blockMs", "counting", "headers", "reset", "retryAfter", "omitHeaders"],
  ]);
  const atLeast = (least: number, name: string) => {
    const value = fields.required(name, fields.number(name));
    if (!Number.isInteger(value) || value < least) {
      throw invalid(fields.at(name), `must be a whole number of at least ${least}`);
    }
    return value;
  };
  return {
    limit: atLeast(1, "limit"),
    windowMs: atLeast(1, "windowMs"),
    blockMs: atLeast(0, "blockMs"),
    ...present({
      counting: fields.oneOf("counting", ["sliding", "fixed"]),
      headers: fields.allOf("headers", rateHeaderForms),
      reset: fields.oneOf("reset", resetForms),
      retryAfter: fields.oneOf("retryAfter", retryAfterForms),
      omitHeaders: fields.strings("omitHeaders"),
    }),
  };
}

function readItems<T extends object>(
  fields: Fields,
  name: string,
  example: T,
): number | Partial<T>[] | undefined {
  if (typeof fields.value(name) === "number") return fields.number(name);
  return fields.array(name)?.map((item, index) => like(example, item, `/${name}/${index}`));
}

/** Checks each member against the one of the same name in an example. */
function like<T extends object>(example: T, value: unknown, pointer: string): Partial<T> {
  assertLike(example, value, pointer);
  return value;
}

function assertLike<T extends object>(
  example: T,
  value: unknown,
  pointer: string,
): asserts value is Partial<T> {
  if (!isRecord(value)) throw invalid(pointer, "must be an object");
  const wanted = new Map(Object.entries(example));
  for (const [name, member] of Object.entries(value)) {
    const at = `${pointer}/${name}`;
    if (!wanted.has(name)) throw invalid(at, "is not a known field");
    const sample: unknown = wanted.get(name);
    if (sample === null || (member === null && nullable.includes(name))) continue;
    if (kindOf(member) !== kindOf(sample)) throw invalid(at, `must be ${kindOf(sample)}`);
    const allowed = choices[name];
    if (allowed !== undefined && typeof member === "string" && !allowed.includes(member)) {
      throw invalid(at, `must be one of ${allowed.join(", ")}`);
    }
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return value === null ? "null" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
