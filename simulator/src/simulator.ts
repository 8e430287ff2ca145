import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import * as bodies from "./control/control-bodies";
import { Faults } from "./control/faults";
import { Journal, type JournalEntry, matchesFilter, type RequestFilter } from "./state/journal";
import { type Random, seededRandom } from "./state/random";
import type { Zone, ZoneSnapshot } from "./state/zone";
import { Dashboard, Zones } from "./state/zones";
import { turnAway, whyRefused } from "./wire/caller";
import { basePath, urlOf } from "./wire/carry-out";
import { readEntrypoint, ruleChange } from "./wire/entrypoint-body";
import { bodyText, exchange } from "./wire/exchange";
import { RefusalError } from "./wire/operation";
import { RateLimit, type RateLimitOptions } from "./wire/rate-limit";

export interface SimulatorOptions {
  /** 0 (default): any free port. */
  readonly port?: number;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** Host names it accepts besides `localhost` and addresses: that of a container, for example. None by default. */
  readonly allowedHosts?: readonly string[];
  /** The only token that is accepted. By default a random one. */
  readonly token?: string;
  /** Milliseconds that every request takes. 0 by default. */
  readonly latencyMs?: number;
  /** Decides everything that is invented: ids, seeded zones, faults with a probability. 1 by default. */
  readonly seed?: number;
  /** The clock, in milliseconds since 1970; for timestamps, the migration and the rate limit. The machine's by default. */
  readonly now?: () => number;
  /** Off by default. */
  readonly rateLimit?: RateLimitOptions;
}

/** Called for each request. `"drop"` cuts the connection at that point. A promise is waited for. */
export type RequestHook = (entry: JournalEntry) => unknown;

/** Starts a simulator; it listens when the promise resolves. Rejects when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = new Simulator(options);
  await simulator.listen(options.port ?? 0, options.host ?? "127.0.0.1");
  return simulator;
}

/**
 * Both APIs in memory, over real sockets: strict, with plans, migration states, faults and a journal.
 * Created by `startSimulator`. Both spellings of the service (`page_guard`, `page_shield`) are always served.
 */
export class Simulator {
  /** The accepted token; assign another one to rotate it. */
  token: string;
  /** Milliseconds that every request takes; assignable. */
  latencyMs: number;
  /** Every API request so far, oldest first; `clear()` empties it. Requests to the control interface are not in it. */
  readonly journal = new Journal();
  readonly faults: Faults;
  readonly zones: Zones;
  /** Acts as another person would, in the dashboard or with another tool. */
  readonly dashboard: Dashboard;
  /** Undefined: no limit. */
  rateLimit: RateLimit | undefined;
  readonly now: () => number;
  readonly random: Random;

  private readonly server: Server;
  private readonly hosts: string[];
  private readonly requestHooks = new Set<RequestHook>();
  private readonly processedHooks = new Set<RequestHook>();
  private inFlight = 0;
  private arrivals = 0;
  private origin = "";

  /** Does not listen yet: use `startSimulator`. */
  constructor(options: SimulatorOptions = {}) {
    const seed = options.seed ?? 1;
    this.token = options.token ?? randomBytes(20).toString("hex");
    this.latencyMs = options.latencyMs ?? 0;
    this.now = options.now ?? Date.now;
    this.random = seededRandom(seed);
    this.faults = new Faults(seed);
    this.zones = new Zones(seed, this.now);
    this.dashboard = new Dashboard(this.zones, this.random, this.now);
    this.hosts = [...(options.allowedHosts ?? [])];
    this.setRateLimit(options.rateLimit);
    this.server = createServer((request, response) => void this.handle(request, response));
    // Longer than any client keeps an idle connection: the server never closes one that is about to be used.
    this.server.keepAliveTimeout = 120_000;
    this.server.requestTimeout = 0;
  }

  /** What a client takes as base URL: `http://127.0.0.1:PORT/client/v4`. */
  get url(): string {
    return `${this.origin}${basePath}`;
  }

  /** The control interface for other processes: `http://127.0.0.1:PORT/__control`. */
  get controlUrl(): string {
    return `${this.origin}/__control`;
  }

  /** A copy of the zone as it is now, as plain JSON. Throws when there is no such zone. */
  zone(zoneId: string): ZoneSnapshot {
    return this.zones.snapshot(zoneId);
  }

  /** Changes a zone from outside, as another person would: `change` mutates it. Throws when there is no such zone. */
  edit(zoneId: string, change: (zone: Zone) => void): ZoneSnapshot {
    change(this.zones.get(zoneId));
    return this.zones.snapshot(zoneId);
  }

  /** Sets another rate limit, with an empty count; undefined switches it off. */
  setRateLimit(options: RateLimitOptions | undefined): void {
    this.rateLimit = options && new RateLimit(options, this.now);
  }

  /** Called when a request has arrived, before it is judged or processed. Gives a function that takes the hook back. */
  onRequest(hook: RequestHook): () => void {
    this.requestHooks.add(hook);
    return () => this.requestHooks.delete(hook);
  }

  /** Called when a request was processed, before the answer is sent. Gives a function that takes the hook back. */
  onProcessed(hook: RequestHook): () => void {
    this.processedHooks.add(hook);
    return () => this.processedHooks.delete(hook);
  }

  /** The requests that match, oldest first. */
  requests(filter: RequestFilter = {}): JournalEntry[] {
    return this.journal.filter((entry) => matchesFilter(entry, filter));
  }

  /** Requests that changed something, or attempted to: all but GET. */
  changing(filter: RequestFilter = {}): JournalEntry[] {
    return this.requests(filter).filter((entry) => entry.method !== "GET");
  }

  /** Cuts all connections and frees the port. Harmless when repeated. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }

  /** Used by `startSimulator`. */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, "listening");
    this.hosts.push(host);
    const address = this.server.address();
    if (typeof address !== "object" || address === null) return;
    this.origin = `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client may disconnect at any time; that is not a fault of this process.
    response.on("error", () => undefined);
    request.on("error", () => undefined);
    const reason = whyRefused(request, this.hosts);
    if (reason !== undefined) {
      turnAway(response, reason);
      return;
    }
    if (request.url?.startsWith("/__control")) return handleControl(this, request, response);
    this.inFlight += 1;
    this.arrivals += 1;
    response.on("close", () => {
      this.inFlight -= 1;
    });
    const before = (entry: JournalEntry) => runHooks(this.requestHooks, entry);
    const after = (entry: JournalEntry) => runHooks(this.processedHooks, entry);
    const counted = { latencyMs: this.latencyMs, seq: this.arrivals, inFlight: this.inFlight };
    await exchange({ sim: this, ...counted, before, after }, request, response);
  }
}

async function runHooks(hooks: ReadonlySet<RequestHook>, entry: JournalEntry): Promise<boolean> {
  let drop = false;
  for (const hook of hooks) {
    if ((await hook(entry)) === "drop") drop = true;
  }
  return drop;
}

/** A seeded zone with many thousand items is a long body. */
const mostBodyBytes = 16 * 1024 * 1024;

interface ControlRequest {
  readonly sim: Simulator;
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
  "GET /faults": ({ sim }) => sim.faults.list().map(({ spec, ...fault }) => ({ ...fault, ...spec })),
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

/**
 * One request to the control interface, for other processes: everything that `Simulator` offers in process, as JSON.
 * Needs no token: the simulator listens on loopback, and refuses web pages. A body needs
 * `Content-Type: application/json`. Answers are plain JSON without envelope; a failure is `{"error": "..."}` with status
 * 400, 403 or 404. Requests here are not in the journal and suffer no faults.
 * `page-guard-simulator --help` shows the bodies. A change without another answer answers `{"ok": true}`.
 */
async function handleControl(
  sim: Simulator,
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
  const body = await bodyText(request, mostBodyBytes);
  if (body === undefined) throw new Error(`A body has at most ${mostBodyBytes} bytes.`);
  if (body === "unfinished") throw new Error("The body was cut off.");
  if (body.sent === "") return {};
  // A web page can send other media types to loopback without asking; not this one.
  if (!request.headers["content-type"]?.startsWith("application/json")) {
    throw new Error("Content-Type must be application/json.");
  }
  return JSON.parse(body.sent);
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
