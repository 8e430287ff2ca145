/** What other processes may send to the control interface. */

import { seededRandom } from "../state/random";
import { seedConnection, seedCookie, seedScript } from "../state/seed-items";
import { seedPolicy, seedWaf, seedZone, type ZoneSeed } from "../state/seed-zone";
import type { Plan } from "../state/zone";
import {
  boolean,
  type Check,
  invalid,
  json,
  listOf,
  number,
  object,
  oneOf,
  string,
  that,
} from "../wire/checks";
import { readEntrypoint, readRule } from "../wire/entrypoint-body";
import { isRecord } from "../wire/json";
import { type RateLimitOptions, rateHeaderForms, retryAfterForms } from "../wire/rate-limit";
import type { FaultKind, FaultSpec } from "./faults";

type Checks = Readonly<Record<string, Check<unknown>>>;

const plans: readonly Plan[] = ["pro", "business", "enterprise"];
const choices: Checks = {
  stage: oneOf(["old", "validation", "finishing", "new"]),
  afterFinish: oneOf(["404", "410", "incompatible"]),
  overLimit: oneOf(["refuse", "show"]),
  answer: oneOf(["ruleset", "null"]),
  repeats: oneOf(["refuse", "accept"]),
};
/** Fields that may be null although the examples below are not. */
const nullable: readonly string[] = [
  ...["max_age_attribute", "hash", "fetched_at", "js_integrity_score", "obfuscation_score"],
  ...["dataflow_score", "cryptomining_score", "magecart_score", "malware_score"],
];

const anything: Check<unknown> = (value) => value;
const kinds: Checks = { string, number, boolean, object: json };

/** As the sample: the same kind of value. A sample of null does not say which. */
function sameKind<T>(sample: T): Check<T>;
function sameKind(sample: unknown): Check<unknown> {
  if (Array.isArray(sample)) return listOf(anything);
  return (sample === null ? undefined : kinds[typeof sample]) ?? anything;
}

/** Some members of an example, and others in place of those. */
function like<T extends object, O extends Checks = Record<never, never>>(
  example: T,
  others?: O,
): Check<Partial<Omit<T, keyof O>> & { [K in keyof O]?: ReturnType<O[K]> }>;
function like(example: object, others: Checks = {}): Check<object> {
  const members = Object.entries(example).map(([name, sample]): [string, Check<unknown>] => {
    const check = choices[name] ?? sameKind(sample);
    return [name, nullable.includes(name) ? orNull(check) : check];
  });
  return object({ ...Object.fromEntries(members), ...others });
}

function orNull<T>(check: Check<T>): Check<T | null> {
  return (value, at) => (value === null ? null : check(value, at));
}

function countOr<T>(check: Check<T>): Check<number | T> {
  return (value, at) => (typeof value === "number" ? value : check(value, at));
}

const never = seededRandom(0);
const exampleWaf = seedWaf(never, {});

export const plan = object({ plan: oneOf(plans) }, ["plan"]);
export const settings = like(seedZone("0".repeat(32), {}, 0).settings);
export const policy = like(seedPolicy(never, {}));
export const waf = like(exampleWaf);
export const script = like(seedScript(never, 0));
export const connection = like(seedConnection(never, 0));
export const cookie = like(seedCookie(never, 0));
export const token = object({ token: string }, ["token"]);
export const latency = object({ ms: number }, ["ms"]);
export const spending = object({ requests: number }, ["requests"]);
export const addedRule = object({ rule: readRule, position: number }, ["rule"]);
export const deployment = object({ name: string, rules: anything });

export const zoneSeed: Check<ZoneSeed> = object({
  plan: oneOf(plans),
  seed: number,
  scripts: countOr(listOf(script)),
  connections: countOr(listOf(connection)),
  cookies: countOr(listOf(cookie)),
  statuses: listOf(string),
  settings,
  policies: listOf(policy),
  policyQuota: number,
  entrypoint: orNull(readEntrypoint),
  waf: like(exampleWaf, {
    firewallRules: countOr(sameKind(exampleWaf.firewallRules)),
    uriOverrides: countOr(sameKind(exampleWaf.uriOverrides)),
  }),
});

function atLeast(least: number): Check<number> {
  const isRight = (value: number) => Number.isInteger(value) && value >= least;
  return that(number, isRight, `must be a whole number of at least ${least}`);
}

const limits = {
  ...{ limit: atLeast(1), windowMs: atLeast(1), blockMs: atLeast(0), counting: oneOf(["sliding", "fixed"]) },
  headers: listOf(oneOf(rateHeaderForms)),
  ...{ retryAfter: oneOf(retryAfterForms), omitHeaders: listOf(string) },
};
export const rateLimit: Check<RateLimitOptions | null> = orNull(
  object(limits, ["limit", "windowMs", "blockMs"]),
);

const route = {
  ...{ method: string, path: string, query: string, zoneId: string },
  ...{ skip: number, count: number, probability: number, seed: number },
};
const when = oneOf(["before", "after"]);
const failure = { code: number, message: string, when };
const refusal = {
  ...failure,
  retryAfter: (value: unknown, at: string): number | string => {
    if (typeof value === "number" || typeof value === "string") return value;
    throw invalid(at, "must be a number of seconds or a string");
  },
};

const faults: Readonly<Record<FaultKind, Check<FaultSpec>>> = {
  "reset-before": fault("reset-before", {}),
  "reset-after": fault("reset-after", {}),
  truncate: fault("truncate", {}),
  normalise: fault("normalise", {}),
  hang: fault("hang", { when }),
  latency: fault("latency", { ms: number }, "ms"),
  "429": fault("429", refusal),
  "500": fault("500", refusal),
  "502": fault("502", refusal),
  "503": fault("503", refusal),
  status: fault("status", { ...refusal, status: number }, "status"),
  html: fault("html", { status: number, when }),
  "success-false": fault("success-false", failure),
  "extra-fields": fault("extra-fields", { fields: json }),
  "missing-fields": fault("missing-fields", { fields: listOf(string) }, "fields"),
  shift: fault("shift", { move: oneOf(["insert", "remove", "touch"]) }),
};

function fault<
  K extends FaultKind,
  M extends Readonly<Record<string, Check<unknown>>>,
  R extends keyof M & string = never,
>(kind: K, members: M, ...required: readonly R[]) {
  return object({ kind: oneOf([kind]), ...route, ...members }, ["kind", ...required]);
}

/** A fault as JSON. */
export function readFault(body: unknown): FaultSpec {
  const wanted = isRecord(body) ? body["kind"] : undefined;
  const check = Object.entries(faults).find(([kind]) => kind === wanted)?.[1];
  if (check === undefined) throw invalid("/kind", "is not a kind of fault");
  return check(body, "");
}
