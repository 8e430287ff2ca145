/** Checks of the bodies that other processes can send to the control interface. */
import { seededRandom } from "../state/random";
import * as seeds from "../state/seed";
import * as items from "../state/seed-items";
import { type Plan, plans } from "../state/zone";
import * as check from "../wire/checks";
import { boolean, type Check, json, list, number, object, oneOf, string } from "../wire/checks";
import { readEntrypoint, readRule } from "../wire/entrypoint-body";
import { rateHeaderForms, retryAfterForms } from "../wire/rate-limit";
import type { FaultKind, FaultSpec } from "./faults";

type Checks = Readonly<Record<string, Check<unknown>>>;

const choices: Checks = {
  stage: oneOf(["old", "validation", "finishing", "new"]),
  afterFinish: oneOf(["404", "410", "incompatible"]),
  overLimit: oneOf(["refuse", "show"]),
  answer: oneOf(["ruleset", "null"]),
  repeats: oneOf(["refuse", "accept"]),
};
const kinds: Checks = { string, number, boolean, object: json };

/** Returns a check of an object with any members of `example` or `others`. Members of scripts and other items can be null. */
function like<T extends object, O extends Checks = Record<never, never>>(
  example: T,
  others?: O,
): Check<Partial<Omit<T, keyof O>> & { [K in keyof O]?: ReturnType<O[K]> }>;
function like(example: object, others: Checks = {}): Check<object> {
  const isItem = "first_seen_at" in example;
  const members = Object.entries(example).map(([name, sample]): [string, Check<unknown>] => {
    // A member that is null in the example can have any type.
    const kind = Array.isArray(sample) ? list(check.anything) : kinds[sample === null ? "" : typeof sample];
    const member = choices[name] ?? kind ?? check.anything;
    return [name, isItem ? orNull(member) : member];
  });
  return object({ ...Object.fromEntries(members), ...others });
}

function orNull<T>(check: Check<T>): Check<T | null> {
  return (value, at) => (value === null ? null : check(value, at));
}

function countOr<T>(check: Check<T>): Check<number | T> {
  return (value, at) => (typeof value === "number" ? value : check(value, at));
}

const atLeast = (least: number) =>
  check.that(
    number,
    (value) => Number.isInteger(value) && value >= least,
    `must be a whole number of at least ${least}`,
  );

const never = seededRandom(0);
const exampleWaf = seeds.seedWaf(never, {});
export const settings = like(seeds.seedZone("0".repeat(32), {}, 0).settings);
export const policy = like(seeds.seedPolicy(never, {}));
export const waf = like(exampleWaf);
export const script = like(items.seedScript(never, 0));
export const connection = like(items.seedConnection(never, 0));
export const cookie = like(items.seedCookie(never, 0));
const plan: Check<Plan> = oneOf(plans);
export const planned = object({ plan }, ["plan"]);
export const token = object({ token: string }, ["token"]);
export const latency = object({ ms: number }, ["ms"]);
export const spending = object({ requests: number }, ["requests"]);
export const addedRule = object({ rule: readRule, position: number }, ["rule"]);
export const entrypoint = orNull(readEntrypoint);

const firewallRule = object({ expression: string, description: string }, ["expression", "description"]);
const uriOverride = object({
  id: string,
  description: string,
  urls: list(string),
  rules: json,
  groups: json,
  paused: boolean,
  priority: number,
});

export const zoneSeed: Check<seeds.ZoneSeed> = object({
  plan,
  seed: number,
  statuses: list(string),
  settings,
  policies: list(policy),
  policyQuota: number,
  scripts: countOr(list(script)),
  connections: countOr(list(connection)),
  cookies: countOr(list(cookie)),
  entrypoint,
  waf: like(exampleWaf, {
    firewallRules: countOr(list(firewallRule)),
    uriOverrides: countOr(list(uriOverride)),
  }),
});

export const rateLimit = orNull(
  object(
    {
      limit: atLeast(1),
      windowMs: atLeast(1),
      blockMs: atLeast(0),
      counting: oneOf(["sliding", "fixed"]),
      headers: list(oneOf(rateHeaderForms)),
      retryAfter: oneOf(retryAfterForms),
      omitHeaders: list(string),
    },
    ["limit", "windowMs", "blockMs"],
  ),
);

const route = {
  method: string,
  path: string,
  query: string,
  zoneId: string,
  skip: number,
  count: number,
  probability: number,
  seed: number,
};
const when = oneOf(["before", "after"]);
const failure = { code: number, message: string, when };
const refusal = { ...failure, retryAfter: countOr(string) };

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
  "missing-fields": fault("missing-fields", { fields: list(string) }, "fields"),
  shift: fault("shift", { move: oneOf(["insert", "remove", "touch"]) }),
};

function fault<K extends FaultKind, M extends Checks, R extends keyof M & string = never>(
  kind: K,
  members: M,
  ...required: readonly R[]
) {
  return object({ kind: oneOf([kind]), ...route, ...members }, ["kind", ...required]);
}

export const faultSpec: Check<FaultSpec> = (body, at) => {
  const { kind: wanted } = check.record(body, at);
  const [, is] = Object.entries(faults).find(([kind]) => kind === wanted) ?? [];
  if (is === undefined) throw check.invalid("/kind", "is not a kind of fault");
  return is(body, at);
};
