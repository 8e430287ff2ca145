/**
 * The control interface over HTTP, for other processes: everything that `Simulator` offers in process, as JSON.
 * Needs no token: the simulator listens on loopback, and takes nothing from web pages. A body goes with
 * `Content-Type: application/json`. Answers are plain JSON without envelope; a failure is `{"error": "..."}` with status
 * 400, 403 or 404. Requests here are not in the journal and suffer no faults.
 *
 * | Request (after `/__control`) | Body | Does, and answers |
 * |---|---|---|
 * | `GET /` | | `{url, zones, requests, forgotten, faults, latencyMs}` |
 * | `GET /zones` | | zone ids |
 * | `PUT /zones/ID` | `ZoneSeed` | makes or replaces a zone; its snapshot |
 * | `GET /zones/ID` | | its snapshot |
 * | `DELETE /zones/ID` | | takes it away |
 * | `PUT /zones/ID/plan` | `{plan}` | changes the plan |
 * | `PUT /zones/ID/settings` | some of the settings | as somebody else |
 * | `POST /zones/ID/policies` | some of a policy | adds one as somebody else; the policy |
 * | `PUT`, `DELETE /zones/ID/policies/POLICY` | some of a policy | changes, deletes it as somebody else |
 * | `PUT /zones/ID/entrypoint` | `{name?, rules}` or `null` | replaces the list as somebody else; `null`: never configured |
 * | `POST /zones/ID/entrypoint/rules` | `{rule, position?}` | adds a rule as somebody else; the rule |
 * | `PUT`, `DELETE /zones/ID/entrypoint/rules/RULE` | some of a rule | changes, deletes it (by id or ref) as somebody else |
 * | `PUT /zones/ID/waf` | some of `ZoneWaf` | changes the migration's state |
 * | `POST /zones/ID/waf/deploy` | `{}` or `{name?, rules}` | "Deploy" in the dashboard |
 * | `POST /zones/ID/waf/turn-off-previous` | `{}` | "Turn off previous version" in the dashboard |
 * | `POST /zones/ID/scripts`, `/connections`, `/cookies` | some of an item | it is seen; the item |
 * | `DELETE /zones/ID/items/ITEM` | | a script, connection or cookie ages out |
 * | `GET`, `POST`, `DELETE /faults` | `FaultSpec`, `pathPattern` for an expression | lists, adds (`{id}`), clears faults |
 * | `DELETE /faults/FAULT` | | takes one back |
 * | `GET`, `DELETE /journal` | | requests so far (`?method=&path=&zoneId=&changing=true`), empties it |
 * | `PUT /token` | `{token}` | rotates the token |
 * | `PUT /latency` | `{ms}` | what every request takes |
 * | `PUT /rate-limit` | `RateLimitOptions` (`{limit, windowMs, blockMs, counting?, headers?, reset?, retryAfter?, omitHeaders?}`) or `null` | sets the limit, or switches it off |
 * | `POST /rate-limit/spend` | `{requests}` | uses up budget, as another process would |
 *
 * What changes something and has nothing else to say answers `{"ok": true}`.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dashboard } from "../state/dashboard";
import type { Journal, JournalEntry, RequestFilter } from "../state/journal";
import type { ZoneSnapshot } from "../state/zone";
import type { Zones } from "../state/zones";
import { bodyText } from "../wire/body-text";
import { readEntrypoint, readRule } from "../wire/entrypoint-body";
import { Refusal } from "../wire/envelope";
import { Fields } from "../wire/fields";
import { present } from "../wire/present";
import type { RateLimit, RateLimitOptions } from "../wire/rate-limit";
import { urlOf } from "../wire/request";
import * as bodies from "./control-bodies";
import { readFault } from "./control-faults";
import type { Faults } from "./faults";

/** What can be seen and changed from outside. */
export interface Controlled {
  readonly url: string;
  token: string;
  latencyMs: number;
  readonly zones: Zones;
  readonly dashboard: Dashboard;
  readonly faults: Faults;
  readonly journal: Pick<Journal, "length" | "forgotten" | "clear">;
  readonly rateLimit: Pick<RateLimit, "spend"> | undefined;
  setRateLimit(options: RateLimitOptions | undefined): void;
  zone(zoneId: string): ZoneSnapshot;
  requests(filter: RequestFilter): readonly JournalEntry[];
  changing(filter: RequestFilter): readonly JournalEntry[];
}

/** A seeded zone with many thousand items is a long body. */
const mostBodyBytes = 16 * 1024 * 1024;

interface ControlRequest {
  readonly sim: Controlled;
  /** The identifiers in the path, in their order. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

type Verb = (request: ControlRequest) => unknown;

const done = { ok: true };

const verbs: Readonly<Record<string, Verb>> = {
  "GET /": ({ sim }) => ({
    url: sim.url,
    zones: sim.zones.ids(),
    requests: sim.journal.length,
    forgotten: sim.journal.forgotten,
    faults: sim.faults.list().length,
    latencyMs: sim.latencyMs,
  }),
  "GET /zones": ({ sim }) => sim.zones.ids(),
  "PUT /zones/:": ({ sim, ids, body }) => sim.zones.seed(id(ids, 0), bodies.readZoneSeed(body)),
  "GET /zones/:": ({ sim, ids }) => sim.zone(id(ids, 0)),
  "DELETE /zones/:": ({ sim, ids }) => {
    sim.zones.get(id(ids, 0));
    sim.zones.remove(id(ids, 0));
  },
  "PUT /zones/:/plan": ({ sim, ids, body }) => sim.dashboard.setPlan(id(ids, 0), bodies.readPlan(body)),
  "PUT /zones/:/settings": ({ sim, ids, body }) =>
    sim.dashboard.setSettings(id(ids, 0), bodies.readSettings(body)),
  "POST /zones/:/policies": ({ sim, ids, body }) =>
    sim.dashboard.putPolicy(id(ids, 0), bodies.readPolicy(body)),
  "PUT /zones/:/policies/:": ({ sim, ids, body }) =>
    sim.dashboard.putPolicy(id(ids, 0), { ...bodies.readPolicy(body), id: id(ids, 1) }),
  "DELETE /zones/:/policies/:": ({ sim, ids }) => sim.dashboard.deletePolicy(id(ids, 0), id(ids, 1)),
  "PUT /zones/:/entrypoint": ({ sim, ids, body }) =>
    sim.dashboard.putEntrypoint(id(ids, 0), body === null ? null : readEntrypoint(body)),
  "POST /zones/:/entrypoint/rules": ({ sim, ids, body }) => {
    const fields = Fields.of(body, "", ["rule", "position"]);
    return sim.dashboard.addRule(
      id(ids, 0),
      readRule(fields.value("rule"), "/rule"),
      fields.number("position"),
    );
  },
  "PUT /zones/:/entrypoint/rules/:": ({ sim, ids, body }) => {
    const names = ["action", "expression", "description", "enabled", "ref", "action_parameters"];
    const change = Fields.of(body, "", names);
    return sim.dashboard.changeRule(id(ids, 0), id(ids, 1), {
      ...present({
        action: change.string("action"),
        expression: change.string("expression"),
        description: change.string("description"),
        ref: change.string("ref"),
        enabled: change.boolean("enabled"),
        action_parameters: change.object("action_parameters"),
      }),
    });
  },
  "DELETE /zones/:/entrypoint/rules/:": ({ sim, ids }) => sim.dashboard.deleteRule(id(ids, 0), id(ids, 1)),
  "PUT /zones/:/waf": ({ sim, ids, body }) => sim.dashboard.setWaf(id(ids, 0), bodies.readWaf(body)),
  "POST /zones/:/waf/deploy": ({ sim, ids, body }) => {
    const derived = !Fields.of(body, "", ["name", "rules"]).has("rules");
    sim.dashboard.deployNewWaf(id(ids, 0), derived ? undefined : readEntrypoint(body));
  },
  "POST /zones/:/waf/turn-off-previous": ({ sim, ids }) => sim.dashboard.turnOffPreviousVersion(id(ids, 0)),
  "POST /zones/:/scripts": ({ sim, ids, body }) =>
    sim.dashboard.addScript(id(ids, 0), bodies.readScript(body)),
  "POST /zones/:/connections": ({ sim, ids, body }) =>
    sim.dashboard.addConnection(id(ids, 0), bodies.readConnection(body)),
  "POST /zones/:/cookies": ({ sim, ids, body }) =>
    sim.dashboard.addCookie(id(ids, 0), bodies.readCookie(body)),
  "DELETE /zones/:/items/:": ({ sim, ids }) => sim.dashboard.forgetItem(id(ids, 0), id(ids, 1)),
  "GET /faults": ({ sim }) =>
    sim.faults.list().map(({ spec, ...fault }) => ({
      ...fault,
      ...spec,
      ...(spec.path instanceof RegExp ? { path: undefined, pathPattern: spec.path.source } : {}),
    })),
  "POST /faults": ({ sim, body }) => ({ id: sim.faults.add(readFault(body)) }),
  "DELETE /faults": ({ sim }) => sim.faults.clear(),
  "DELETE /faults/:": ({ sim, ids }) => {
    if (!sim.faults.remove(id(ids, 0))) throw new Error(`There is no fault ${id(ids, 0)}.`);
  },
  "GET /journal": ({ sim, query }) => {
    const filter = present({
      method: query.get("method") ?? undefined,
      path: query.get("path") ?? undefined,
      zoneId: query.get("zoneId") ?? undefined,
    });
    return query.get("changing") === "true" ? sim.changing(filter) : sim.requests(filter);
  },
  "DELETE /journal": ({ sim }) => sim.journal.clear(),
  "PUT /token": ({ sim, body }) => {
    const fields = Fields.of(body, "", ["token"]);
    sim.token = fields.required("token", fields.string("token"));
  },
  "PUT /latency": ({ sim, body }) => {
    const fields = Fields.of(body, "", ["ms"]);
    sim.latencyMs = fields.required("ms", fields.number("ms"));
  },
  "PUT /rate-limit": ({ sim, body }) => sim.setRateLimit(bodies.readRateLimit(body)),
  "POST /rate-limit/spend": ({ sim, body }) => {
    const fields = Fields.of(body, "", ["requests"]);
    sim.rateLimit?.spend(fields.required("requests", fields.number("requests")));
  },
};

/** Carries out one request to the control interface. */
export async function handleControl(
  sim: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = urlOf(request);
  const path = url.pathname.slice("/__control".length).replace(/\/$/, "") || "/";
  try {
    const body = await readBody(request);
    for (const [target, verb] of Object.entries(verbs)) {
      const ids = matchTarget(target, request.method ?? "", path);
      if (ids === undefined) continue;
      answer(response, 200, verb({ sim, ids, query: url.searchParams, body }) ?? done);
      return;
    }
    answer(response, 404, { error: `The control interface has no ${request.method} ${path}.` });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer(response, error instanceof Refusal ? error.status : 400, { error: message });
  }
}

function matchTarget(target: string, method: string, path: string): string[] | undefined {
  const [wanted, pattern = ""] = target.split(" ");
  if (wanted !== method) return undefined;
  const match = new RegExp(`^${pattern.replaceAll(":", "([^/]+)")}$`).exec(path);
  return match?.slice(1).map(decodeURIComponent);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const sent = await bodyText(request, mostBodyBytes);
  if (sent === "too long") throw new Error(`A body has at most ${mostBodyBytes} bytes.`);
  if (sent === "unfinished") throw new Error("The body was cut off.");
  if (sent.text === "") return {};
  // A web page can send other media types to loopback without asking; not this one.
  if (!request.headers["content-type"]?.startsWith("application/json")) {
    throw new Error("Content-Type must be application/json.");
  }
  return JSON.parse(sent.text);
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function id(ids: readonly string[], index: number): string {
  return ids[index] ?? "";
}
