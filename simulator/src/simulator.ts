import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import * as bodies from "./control/bodies";
import { Faults } from "./control/faults";
import { Journal, type JournalEntry, matchesFilter, type RequestFilter } from "./state/journal";
import { type Random, seededRandom } from "./state/random";
import type { Zone, ZoneSnapshot } from "./state/zone";
import { Dashboard, Zones } from "./state/zones";
import { record } from "./wire/checks";
import { readEntrypoint, ruleChange } from "./wire/entrypoint-body";
import { basePath, bodyText, exchange, readUrl } from "./wire/exchange";
import { codes, failure, RefusalError } from "./wire/operation";
import { RateLimit, type RateLimitOptions } from "./wire/rate-limit";

export interface SimulatorOptions {
  /** Port to listen on; 0 (default) for any free port. */
  readonly port?: number;
  /** Address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** Host names to accept besides `localhost` and IP addresses, such as the name of a container. None by default. */
  readonly allowedHosts?: readonly string[];
  /** The only token that is accepted; by default a random one. */
  readonly token?: string;
  /** Milliseconds that every request takes; 0 by default. */
  readonly latencyMs?: number;
  /** Seed of everything that is invented: ids, seeded zones, and the requests that faults with a `probability` hit. Default: 1. */
  readonly seed?: number;
  /** Returns the time for timestamps, the migration and the rate limit, in milliseconds since 1970. Default: the machine's. */
  readonly now?: () => number;
  /** Rate limit; none by default. */
  readonly rateLimit?: RateLimitOptions;
}

/** Function that is called for each request. If it returns or resolves to `"drop"`, the connection is cut at that point. */
export type RequestHook = (entry: JournalEntry) => unknown;

/** Starts a simulator, and resolves once it listens. Rejects if the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = new Simulator(options);
  await simulator.listen(options.port ?? 0, options.host ?? "127.0.0.1");
  return simulator;
}

/**
 * The Page Guard API and the WAF migration API in memory, over real sockets. Use `startSimulator` to create a simulator. Every
 * simulator serves both spellings of the service (`page_guard`, `page_shield`).
 */
export class Simulator {
  /** The accepted token; assign another one to rotate it. */
  token: string;
  /** Milliseconds that every request takes; assignable. */
  latencyMs: number;
  /** All API requests so far, oldest first, without those to the control interface. `clear()` empties the journal. */
  readonly journal = new Journal();
  readonly faults: Faults;
  readonly zones: Zones;
  /** Changes zones as another person would, in the dashboard or with another tool. */
  readonly dashboard: Dashboard;
  /** The rate limit; undefined if there is none. */
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

  /** Creates a simulator that does not listen yet: use `startSimulator` instead. */
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
    // This is longer than any client keeps an idle connection, so the server never closes a connection that a client is about to
    // use.
    this.server.keepAliveTimeout = 120_000;
    this.server.requestTimeout = 0;
  }

  /** Base URL for clients: `http://127.0.0.1:PORT/client/v4`. */
  get url(): string {
    return `${this.origin}${basePath}`;
  }

  /** The control interface for other processes: `http://127.0.0.1:PORT/__control`. */
  get controlUrl(): string {
    return `${this.origin}/__control`;
  }

  /** Returns a copy of the zone as it is now, as plain JSON. Throws if there is no such zone. */
  zone(zoneId: string): ZoneSnapshot {
    return this.zones.snapshot(zoneId);
  }

  /** Changes a zone as another person would: `change` mutates it. Throws if there is no such zone. */
  edit(zoneId: string, change: (zone: Zone) => void): ZoneSnapshot {
    change(this.zones.get(zoneId));
    return this.zones.snapshot(zoneId);
  }

  /** Replaces the rate limit and starts to count at zero. With undefined, there is no rate limit. */
  setRateLimit(options: RateLimitOptions | undefined): void {
    this.rateLimit = options && new RateLimit(options, this.now);
  }

  /** Adds a hook that is called when a request has arrived, before it is processed. Returns a function that removes the hook. */
  onRequest(hook: RequestHook): () => void {
    this.requestHooks.add(hook);
    return () => this.requestHooks.delete(hook);
  }

  /** Adds a hook that is called when a request was processed, before the response. Returns a function that removes the hook. */
  onProcessed(hook: RequestHook): () => void {
    this.processedHooks.add(hook);
    return () => this.processedHooks.delete(hook);
  }

  /** Returns the requests that match the filter, oldest first. */
  requests(filter: RequestFilter = {}): JournalEntry[] {
    return this.journal.filter((entry) => matchesFilter(entry, filter));
  }

  /** Returns the matching requests that could change something: all except GET. */
  changing(filter: RequestFilter = {}): JournalEntry[] {
    return this.requests(filter).filter((entry) => entry.method !== "GET");
  }

  /** Cuts all connections and frees the port. A second call does nothing. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }

  /** Starts to listen. Only `startSimulator` calls this. */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, "listening");
    this.hosts.push(host);
    const address = this.server.address();
    if (typeof address !== "object" || address === null) return;
    const authority = host.includes(":") ? `[${host}]` : host;
    this.origin = `http://${authority}:${address.port}`;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client can disconnect at any time; that is not a fault of this process.
    response.on("error", () => undefined);
    request.on("error", () => undefined);
    const reason = whyRefused(request, this.hosts);
    if (reason !== undefined) {
      // Clients of the API and of the control interface can both read this body.
      const body = { error: reason, ...Object(failure(403, codes.authentication, reason).body) };
      response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify(body));
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
    const counted = { seq: this.arrivals, inFlight: this.inFlight };
    await exchange({ sim: this, ...counted, before, after }, request, response);
  }
}

async function runHooks(hooks: ReadonlySet<RequestHook>, entry: JournalEntry): Promise<boolean> {
  let drop = false;
  for (const hook of hooks) if ((await hook(entry)) === "drop") drop = true;
  return drop;
}

/**
 * Returns the reason to refuse a request, as a sentence; undefined if the request is accepted. A web page in a browser on this
 * machine can reach loopback, too. Its requests have an `Origin` header, which other programs do not send. The browser sends no
 * such header with a GET to the page's own host, but then the host is a domain name that points to this machine. So requests to
 * an IP address are safe.
 */
function whyRefused({ headers }: IncomingMessage, hosts: readonly string[]): string | undefined {
  const { host = "", origin } = headers;
  const printable = (text: string) => text.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
  const [, name = ""] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host.toLowerCase()) ?? [];
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  if (!isAddress && name !== "localhost" && !hosts.some((ours) => ours.toLowerCase() === name))
    return `The simulator does not serve the host "${printable(host)}": use its address or localhost, or add that host to allowedHosts (--allow-host).`;
  if (origin !== undefined && origin !== `http://${host}`)
    return `The simulator refuses requests from web pages such as "${printable(origin)}".`;
  return undefined;
}

/** Carries out one request to the control interface. `zone`: the first identifier in the path; `id`: the last one. */
type Verb = (sim: Simulator, body: unknown, zone: string, id: string, query: URLSearchParams) => unknown;

/** Verbs of the control interface. If a verb returns nothing, the response is `{"ok": true}`. */
const verbs: Readonly<Record<string, Verb>> = {
  "GET /": ({ url, zones, journal, faults, latencyMs }) => {
    return { url, zones: zones.ids(), requests: journal.length, faults: faults.list().length, latencyMs };
  },
  "GET /zones": (sim) => sim.zones.ids(),
  "PUT /zones/:": (sim, body, zone) => sim.zones.seed(zone, bodies.zoneSeed(body, "")),
  "GET /zones/:": (sim, _, zone) => sim.zone(zone),
  "DELETE /zones/:": (sim, _, zone) => void sim.zones.remove(sim.zones.get(zone).id),
  "PUT /zones/:/plan": ({ dashboard }, body, zone) => dashboard.setPlan(zone, bodies.planned(body, "").plan),
  "PUT /zones/:/settings": ({ dashboard }, body, zone) =>
    dashboard.setSettings(zone, bodies.settings(body, "")),
  "POST /zones/:/policies": ({ dashboard }, body, zone) => dashboard.putPolicy(zone, bodies.policy(body, "")),
  "PUT /zones/:/policies/:": ({ dashboard }, body, zone, id) =>
    dashboard.putPolicy(zone, { ...bodies.policy(body, ""), id }),
  "DELETE /zones/:/policies/:": ({ dashboard }, _, zone, id) => dashboard.deletePolicy(zone, id),
  "PUT /zones/:/entrypoint": ({ dashboard }, body, zone) =>
    dashboard.putEntrypoint(zone, bodies.entrypoint(body, "")),
  "POST /zones/:/entrypoint/rules": ({ dashboard }, body, zone) => {
    const { rule, position } = bodies.addedRule(body, "");
    return dashboard.addRule(zone, rule, position);
  },
  "PUT /zones/:/entrypoint/rules/:": ({ dashboard }, body, zone, id) =>
    dashboard.changeRule(zone, id, ruleChange(body, "")),
  "DELETE /zones/:/entrypoint/rules/:": ({ dashboard }, _, zone, id) => dashboard.deleteRule(zone, id),
  "PUT /zones/:/waf": ({ dashboard }, body, zone) => dashboard.setWaf(zone, bodies.waf(body, "")),
  "POST /zones/:/waf/deploy": ({ dashboard }, body, zone) =>
    dashboard.deployNewWaf(zone, "rules" in record(body, "") ? readEntrypoint(body) : undefined),
  "POST /zones/:/waf/turn-off-previous": ({ dashboard }, _, zone) => dashboard.turnOffPreviousVersion(zone),
  "POST /zones/:/scripts": ({ dashboard }, body, zone) => dashboard.addScript(zone, bodies.script(body, "")),
  "POST /zones/:/connections": ({ dashboard }, body, zone) =>
    dashboard.addConnection(zone, bodies.connection(body, "")),
  "POST /zones/:/cookies": ({ dashboard }, body, zone) => dashboard.addCookie(zone, bodies.cookie(body, "")),
  "DELETE /zones/:/items/:": ({ dashboard }, _, zone, id) => dashboard.forgetItem(zone, id),
  "GET /faults": ({ faults }) => faults.list().map(({ spec, ...fault }) => ({ ...fault, ...spec })),
  "POST /faults": ({ faults }, body) => ({ id: faults.add(bodies.faultSpec(body, "")) }),
  "DELETE /faults": ({ faults }) => faults.clear(),
  "DELETE /faults/:": ({ faults }, _body, _zone, id) => {
    if (!faults.remove(id)) throw new Error(`There is no fault ${id}.`);
  },
  "GET /journal": (sim, _body, _zone, _id, query) => {
    const wanted = [...query].filter(([name]) => ["method", "path", "zoneId"].includes(name));
    const filter: RequestFilter = Object.fromEntries(wanted);
    return query.get("changing") === "true" ? sim.changing(filter) : sim.requests(filter);
  },
  "DELETE /journal": ({ journal }) => journal.clear(),
  "PUT /token": (sim, body) => void Object.assign(sim, bodies.token(body, "")),
  "PUT /latency": (sim, body) => void Object.assign(sim, { latencyMs: bodies.latency(body, "").ms }),
  "PUT /rate-limit": (sim, body) => sim.setRateLimit(bodies.rateLimit(body, "") ?? undefined),
  "POST /rate-limit/spend": ({ rateLimit }, body) => rateLimit?.spend(bodies.spending(body, "").requests),
};

/**
 * Handles one request to the control interface, by which other processes control the simulator. The interface offers everything
 * that `Simulator` offers in process, except hooks and `edit`. It needs no token, because the simulator refuses web pages and, by
 * default, listens only on loopback. Bodies are JSON with `Content-Type: application/json`. Responses are JSON without an
 * envelope; a failure is `{"error": "..."}` with status 400, 403 or 404. Requests to the control interface are not in the
 * journal, and no fault hits them. `page-guard-simulator --help` shows the bodies.
 */
async function handleControl(
  sim: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams: query } = readUrl(request);
  const asked = `${request.method} ${pathname.slice("/__control".length).replace(/\/$/, "") || "/"}`;
  const answer = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  try {
    const body = await readBody(request);
    for (const [target, verb] of Object.entries(verbs)) {
      const ids = new RegExp(`^${target.replaceAll(":", "([^/]+)")}$`).exec(asked)?.slice(1);
      if (ids === undefined) continue;
      const [zoneId = "", id = zoneId] = ids.map(decodeURIComponent);
      answer(200, verb(sim, body, zoneId, id, query) ?? { ok: true });
      return;
    }
    answer(404, { error: `The control interface has no ${asked}.` });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer(error instanceof RefusalError ? error.status : 400, { error: message });
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const body = await bodyText(request);
  if (body === undefined) throw new Error("The body was cut off.");
  if (body === "") return {};
  // A web page cannot send this media type to loopback without a preflight request.
  if (!request.headers["content-type"]?.startsWith("application/json"))
    throw new Error("Content-Type must be application/json.");
  return JSON.parse(body);
}
