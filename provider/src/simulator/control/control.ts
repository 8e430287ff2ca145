/**
 * The control interface over HTTP, for other processes: everything that `Simulator` offers in process, as JSON.
 * Needs no token: the simulator listens on loopback, and refuses web pages. A body needs
 * `Content-Type: application/json`. Answers are plain JSON without envelope; a failure is `{"error": "..."}` with status
 * 400, 403 or 404. Requests here are not in the journal and suffer no faults.
 * `page-guard simulator --help` shows the bodies. A change without another answer answers `{"ok": true}`.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dashboard } from "../state/dashboard";
import type { Journal, JournalEntry, RequestFilter } from "../state/journal";
import type { ZoneSnapshot } from "../state/zone";
import type { Zones } from "../state/zones";
import { bodyText } from "../wire/body-text";
import { readEntrypoint, ruleChange } from "../wire/entrypoint-body";
import { RefusalError } from "../wire/envelope";
import type { RateLimit, RateLimitOptions } from "../wire/rate-limit";
import { urlOf } from "../wire/request";
import * as bodies from "./control-bodies";
import type { Faults } from "./faults";

/** What can be read and changed from outside. */
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
  /** The first identifier in the path. */
  readonly zoneId: string;
  /** The last one. */
  readonly id: string;
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
  "PUT /zones/:": ({ sim, zoneId, body }) => sim.zones.seed(zoneId, bodies.zoneSeed(body, "")),
  "GET /zones/:": ({ sim, zoneId }) => sim.zone(zoneId),
  "DELETE /zones/:": ({ sim, zoneId }) => {
    sim.zones.get(zoneId);
    sim.zones.remove(zoneId);
  },
  "PUT /zones/:/plan": ({ sim, zoneId, body }) => sim.dashboard.setPlan(zoneId, bodies.plan(body, "").plan),
  "PUT /zones/:/settings": ({ sim, zoneId, body }) =>
    sim.dashboard.setSettings(zoneId, bodies.settings(body, "")),
  "POST /zones/:/policies": ({ sim, zoneId, body }) =>
    sim.dashboard.putPolicy(zoneId, bodies.policy(body, "")),
  "PUT /zones/:/policies/:": ({ sim, zoneId, id, body }) =>
    sim.dashboard.putPolicy(zoneId, { ...bodies.policy(body, ""), id }),
  "DELETE /zones/:/policies/:": ({ sim, zoneId, id }) => sim.dashboard.deletePolicy(zoneId, id),
  "PUT /zones/:/entrypoint": ({ sim, zoneId, body }) =>
    sim.dashboard.putEntrypoint(zoneId, body === null ? null : readEntrypoint(body)),
  "POST /zones/:/entrypoint/rules": ({ sim, zoneId, body }) => {
    const { rule, position } = bodies.addedRule(body, "");
    return sim.dashboard.addRule(zoneId, rule, position);
  },
  "PUT /zones/:/entrypoint/rules/:": ({ sim, zoneId, id, body }) =>
    sim.dashboard.changeRule(zoneId, id, ruleChange(body, "")),
  "DELETE /zones/:/entrypoint/rules/:": ({ sim, zoneId, id }) => sim.dashboard.deleteRule(zoneId, id),
  "PUT /zones/:/waf": ({ sim, zoneId, body }) => sim.dashboard.setWaf(zoneId, bodies.waf(body, "")),
  "POST /zones/:/waf/deploy": ({ sim, zoneId, body }) => {
    const isDerived = !("rules" in bodies.deployment(body, ""));
    sim.dashboard.deployNewWaf(zoneId, isDerived ? undefined : readEntrypoint(body));
  },
  "POST /zones/:/waf/turn-off-previous": ({ sim, zoneId }) => sim.dashboard.turnOffPreviousVersion(zoneId),
  "POST /zones/:/scripts": ({ sim, zoneId, body }) =>
    sim.dashboard.addScript(zoneId, bodies.script(body, "")),
  "POST /zones/:/connections": ({ sim, zoneId, body }) =>
    sim.dashboard.addConnection(zoneId, bodies.connection(body, "")),
  "POST /zones/:/cookies": ({ sim, zoneId, body }) =>
    sim.dashboard.addCookie(zoneId, bodies.cookie(body, "")),
  "DELETE /zones/:/items/:": ({ sim, zoneId, id }) => sim.dashboard.forgetItem(zoneId, id),
  "GET /faults": ({ sim }) =>
    sim.faults.list().map(({ spec, ...fault }) => ({
      ...fault,
      ...spec,
      ...(spec.path instanceof RegExp ? { path: undefined, pathPattern: spec.path.source } : {}),
    })),
  "POST /faults": ({ sim, body }) => ({ id: sim.faults.add(bodies.readFault(body)) }),
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
    sim.token = bodies.token(body, "").token;
  },
  "PUT /latency": ({ sim, body }) => {
    sim.latencyMs = bodies.latency(body, "").ms;
  },
  "PUT /rate-limit": ({ sim, body }) => sim.setRateLimit(bodies.rateLimit(body, "") ?? undefined),
  "POST /rate-limit/spend": ({ sim, body }) => {
    sim.rateLimit?.spend(bodies.spending(body, "").requests);
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
      const [zoneId = "", id = zoneId] = ids;
      answer(response, 200, verb({ sim, zoneId, id, query: url.searchParams, body }) ?? done);
      return;
    }
    answer(response, 404, { error: `The control interface has no ${request.method} ${path}.` });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer(response, error instanceof RefusalError ? error.status : 400, { error: message });
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
