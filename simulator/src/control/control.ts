import type { IncomingMessage, ServerResponse } from "node:http";
import type { Simulator } from "../simulator";
import type { RequestFilter } from "../state/journal";
import { seededRandom } from "../state/random";
import { seedConnection, seedCookie, seedScript } from "../state/seed-items";
import { seedPolicy, seedWaf, seedZone, type ZoneSeed } from "../state/seed-zone";
import { type Plan, plans } from "../state/zone";
import * as check from "../wire/checks";
import { boolean, type Check, json, listOf, number, object, oneOf, string } from "../wire/checks";
import { readEntrypoint, readRule, ruleChange } from "../wire/entrypoint-body";
import { bodyText, urlOf } from "../wire/exchange";
import { RefusalError } from "../wire/operation";
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

/** Some members of an example, of the same kind, and `others` in place of those. What an item does not know is null. */
function like<T extends object, O extends Checks = Record<never, never>>(
  example: T,
  others?: O,
): Check<Partial<Omit<T, keyof O>> & { [K in keyof O]?: ReturnType<O[K]> }>;
function like(example: object, others: Checks = {}): Check<object> {
  const isItem = "first_seen_at" in example;
  const members = Object.entries(example).map(([name, sample]): [string, Check<unknown>] => {
    // A sample of null does not say what it may be.
    const kind = Array.isArray(sample) ? listOf(check.anything) : kinds[sample === null ? "" : typeof sample];
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
const exampleWaf = seedWaf(never, {});
const settings = like(seedZone("0".repeat(32), {}, 0).settings);
const policy = like(seedPolicy(never, {}));
const waf = like(exampleWaf);
const script = like(seedScript(never, 0));
const connection = like(seedConnection(never, 0));
const cookie = like(seedCookie(never, 0));
const plan: Check<Plan> = oneOf(plans);

const uriOverride = object({
  ...{ id: string, description: string, urls: listOf(string), rules: json, groups: json },
  ...{ paused: boolean, priority: number },
});

const zoneSeed: Check<ZoneSeed> = object({
  ...{
    plan,
    seed: number,
    statuses: listOf(string),
    settings,
    policies: listOf(policy),
    policyQuota: number,
  },
  scripts: countOr(listOf(script)),
  connections: countOr(listOf(connection)),
  cookies: countOr(listOf(cookie)),
  entrypoint: orNull(readEntrypoint),
  waf: like(exampleWaf, {
    firewallRules: countOr(
      listOf(object({ expression: string, description: string }, ["expression", "description"])),
    ),
    uriOverrides: countOr(listOf(uriOverride)),
  }),
});

const rateLimit = orNull(
  object(
    {
      ...{ limit: atLeast(1), windowMs: atLeast(1), blockMs: atLeast(0) },
      ...{ counting: oneOf(["sliding", "fixed"]), headers: listOf(oneOf(rateHeaderForms)) },
      ...{ retryAfter: oneOf(retryAfterForms), omitHeaders: listOf(string) },
    },
    ["limit", "windowMs", "blockMs"],
  ),
);

const route = {
  ...{ method: string, path: string, query: string, zoneId: string },
  ...{ skip: number, count: number, probability: number, seed: number },
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
  "missing-fields": fault("missing-fields", { fields: listOf(string) }, "fields"),
  shift: fault("shift", { move: oneOf(["insert", "remove", "touch"]) }),
};

function fault<K extends FaultKind, M extends Checks, R extends keyof M & string = never>(
  kind: K,
  members: M,
  ...required: readonly R[]
) {
  return object({ kind: oneOf([kind]), ...route, ...members }, ["kind", ...required]);
}

const faultSpec: Check<FaultSpec> = (body, at) => {
  const { kind: wanted } = check.record(body, at);
  const [, is] = Object.entries(faults).find(([kind]) => kind === wanted) ?? [];
  if (is === undefined) throw check.invalid("/kind", "is not a kind of fault");
  return is(body, at);
};

interface ControlRequest {
  readonly sim: Simulator;
  /** The first identifier in the path. */
  readonly zoneId: string;
  /** The last one. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** What is changed without another answer is answered with `{"ok": true}`. */
const verbs: Readonly<Record<string, (request: ControlRequest) => unknown>> = {
  "GET /": ({ sim }) => ({
    ...{
      url: sim.url,
      zones: sim.zones.ids(),
      requests: sim.journal.length,
      forgotten: sim.journal.forgotten,
    },
    ...{ faults: sim.faults.list().length, latencyMs: sim.latencyMs },
  }),
  "GET /zones": ({ sim }) => sim.zones.ids(),
  "PUT /zones/:": ({ sim, zoneId, body }) => sim.zones.seed(zoneId, zoneSeed(body, "")),
  "GET /zones/:": ({ sim, zoneId }) => sim.zone(zoneId),
  "DELETE /zones/:": ({ sim, zoneId }) => void (sim.zones.get(zoneId) && sim.zones.remove(zoneId)),
  "PUT /zones/:/plan": ({ sim, zoneId, body }) =>
    sim.dashboard.setPlan(zoneId, object({ plan }, ["plan"])(body, "").plan),
  "PUT /zones/:/settings": ({ sim, zoneId, body }) => sim.dashboard.setSettings(zoneId, settings(body, "")),
  "POST /zones/:/policies": ({ sim, zoneId, body }) => sim.dashboard.putPolicy(zoneId, policy(body, "")),
  "PUT /zones/:/policies/:": ({ sim, zoneId, id, body }) =>
    sim.dashboard.putPolicy(zoneId, { ...policy(body, ""), id }),
  "DELETE /zones/:/policies/:": ({ sim, zoneId, id }) => sim.dashboard.deletePolicy(zoneId, id),
  "PUT /zones/:/entrypoint": ({ sim, zoneId, body }) =>
    sim.dashboard.putEntrypoint(zoneId, orNull(readEntrypoint)(body, "")),
  "POST /zones/:/entrypoint/rules": ({ sim, zoneId, body }) => {
    const { rule, position } = object({ rule: readRule, position: number }, ["rule"])(body, "");
    return sim.dashboard.addRule(zoneId, rule, position);
  },
  "PUT /zones/:/entrypoint/rules/:": ({ sim, zoneId, id, body }) =>
    sim.dashboard.changeRule(zoneId, id, ruleChange(body, "")),
  "DELETE /zones/:/entrypoint/rules/:": ({ sim, zoneId, id }) => sim.dashboard.deleteRule(zoneId, id),
  "PUT /zones/:/waf": ({ sim, zoneId, body }) => sim.dashboard.setWaf(zoneId, waf(body, "")),
  "POST /zones/:/waf/deploy": ({ sim, zoneId, body }) =>
    sim.dashboard.deployNewWaf(zoneId, "rules" in check.record(body, "") ? readEntrypoint(body) : undefined),
  "POST /zones/:/waf/turn-off-previous": ({ sim, zoneId }) => sim.dashboard.turnOffPreviousVersion(zoneId),
  "POST /zones/:/scripts": ({ sim, zoneId, body }) => sim.dashboard.addScript(zoneId, script(body, "")),
  "POST /zones/:/connections": ({ sim, zoneId, body }) =>
    sim.dashboard.addConnection(zoneId, connection(body, "")),
  "POST /zones/:/cookies": ({ sim, zoneId, body }) => sim.dashboard.addCookie(zoneId, cookie(body, "")),
  "DELETE /zones/:/items/:": ({ sim, zoneId, id }) => sim.dashboard.forgetItem(zoneId, id),
  "GET /faults": ({ sim }) => sim.faults.list().map(({ spec, ...fault }) => ({ ...fault, ...spec })),
  "POST /faults": ({ sim, body }) => ({ id: sim.faults.add(faultSpec(body, "")) }),
  "DELETE /faults": ({ sim }) => sim.faults.clear(),
  "DELETE /faults/:": ({ sim, id }) => {
    if (!sim.faults.remove(id)) throw new Error(`There is no fault ${id}.`);
  },
  "GET /journal": ({ sim, query }) => {
    const wanted = [...query].filter(([name]) => ["method", "path", "zoneId"].includes(name));
    const filter: RequestFilter = Object.fromEntries(wanted);
    return query.get("changing") === "true" ? sim.changing(filter) : sim.requests(filter);
  },
  "DELETE /journal": ({ sim }) => sim.journal.clear(),
  "PUT /token": ({ sim, body }) => {
    sim.token = object({ token: string }, ["token"])(body, "").token;
  },
  "PUT /latency": ({ sim, body }) => {
    sim.latencyMs = object({ ms: number }, ["ms"])(body, "").ms;
  },
  "PUT /rate-limit": ({ sim, body }) => sim.setRateLimit(rateLimit(body, "") ?? undefined),
  "POST /rate-limit/spend": ({ sim, body }) =>
    sim.rateLimit?.spend(object({ requests: number }, ["requests"])(body, "").requests),
};

/**
 * One request to the control interface, for other processes: everything that `Simulator` offers in process, as JSON.
 * Needs no token: the simulator listens on loopback, and refuses web pages. A body needs
 * `Content-Type: application/json`. Answers are plain JSON without envelope; a failure is `{"error": "..."}` with status
 * 400, 403 or 404. Requests here are not in the journal and suffer no faults.
 * `page-guard-simulator --help` shows the bodies.
 */
export async function handleControl(
  sim: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams: query } = urlOf(request);
  const asked = `${request.method} ${pathname.slice("/__control".length).replace(/\/$/, "") || "/"}`;
  const answer = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  try {
    const body = await readBody(request);
    for (const [target, verb] of Object.entries(verbs)) {
      const ids = new RegExp(`^${target.replaceAll(":", "([^/]+)")}$`).exec(asked)?.slice(1);
      if (ids === undefined) continue;
      const [zoneId = "", id = zoneId] = ids.map(decodeURIComponent);
      answer(200, verb({ sim, zoneId, id, query, body }) ?? { ok: true });
      return;
    }
    answer(404, { error: `The control interface has no ${asked}.` });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer(error instanceof RefusalError ? error.status : 400, { error: message });
  }
}

/** A seeded zone with many thousand items is a long body. */
const mostBodyBytes = 16 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<unknown> {
  const body = await bodyText(request, mostBodyBytes);
  if (body === undefined) throw new Error(`A body has at most ${mostBodyBytes} bytes.`);
  if (body === "unfinished") throw new Error("The body was cut off.");
  if (body.sent === "") return {};
  // A web page can send other media types to loopback without asking; not this one.
  if (!request.headers["content-type"]?.startsWith("application/json"))
    throw new Error("Content-Type must be application/json.");
  return JSON.parse(body.sent);
}
