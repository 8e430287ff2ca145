import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import type { BreakingFault, Faults, ShapingFault } from "../control/faults";
import type { Journal, JournalEntry } from "../state/journal";
import { makeHexadecimal, type Random, seededRandom } from "../state/random";
import { isZoneId, type Zones } from "../state/zones";
import { type Answer, codes, failure, RefusalError } from "./operation";
import type { RateLimit } from "./rate-limit";
import { findRoute } from "./routes";
import { normalise, shapeAnswer, shiftItems } from "./shaping";

export const basePath = "/client/v4";

interface Surroundings {
  readonly sim: Readonly<{ token: string; latencyMs: number; now: () => number; random: Random }> &
    Readonly<{ zones: Zones; journal: Journal; faults: Faults; rateLimit: RateLimit | undefined }>;
  readonly seq: number;
  readonly inFlight: number;
  /** Runs the hooks. Returns true if one of them wants the connection to be cut. */
  readonly before: (entry: JournalEntry) => Promise<boolean>;
  readonly after: (entry: JournalEntry) => Promise<boolean>;
}

/** Handles one request from its arrival to its end: journal, hooks, rate limit, faults, operation, response. */
export async function exchange(
  surroundings: Surroundings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { sim, before, after } = surroundings;
  const { latencyMs } = sim;
  const at = sim.now();
  const text = await bodyText(request);
  if (text === undefined) return;
  const entry = journalEntry(surroundings, request, text, at);
  sim.journal.record(entry);
  response.setHeader("x-request-id", entry.requestId);
  const drop = (): void => {
    entry.fault = "dropped";
    reset(response);
  };
  if (await before(entry)) return drop();
  const verdict = sim.rateLimit?.judge();
  for (const [name, value] of Object.entries(verdict?.headers ?? {})) response.setHeader(name, value);
  if (verdict?.blocked) {
    entry.fault = "rate-limit";
    const message = "rate limit reached, every request is refused";
    return send(entry, response, failure(429, codes.throttled, message));
  }
  const { shaping, breaking } = sim.faults.hit(entry);
  entry.fault = [...shaping, ...(breaking ? [breaking] : [])].map(({ kind }) => kind).join("+") || undefined;
  const ms = shaping.reduce((sum, fault) => sum + (fault.kind === "latency" ? fault.ms : 0), latencyMs);
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms).unref());
  if (breaking !== undefined && !isAfter(breaking)) return fail(entry, response, breaking);
  const answer = carryOut(sim, request, entry, text, shaping);
  entry.changed = answer.changed;
  if (await after(entry)) drop();
  else if (breaking === undefined) send(entry, response, answer);
  else if (breaking.kind === "truncate") truncate(entry, response, answer);
  else fail(entry, response, breaking);
}

/** Returns the body of a request as text; undefined if the client disconnected before it had sent the whole body. */
export function bodyText(request: IncomingMessage): Promise<string | undefined> {
  return readText(request).catch(() => undefined);
}

/** Returns the URL of a request. If it is malformed, returns a URL whose path does not exist. */
export function readUrl({ url = "/" }: IncomingMessage): URL {
  try {
    return new URL(url, "http://simulator");
  } catch {
    return new URL("http://simulator/malformed");
  }
}

function journalEntry(
  { seq, inFlight }: Surroundings,
  request: IncomingMessage,
  text: string,
  at: number,
): JournalEntry {
  const url = readUrl(request);
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname;
  return {
    at,
    seq,
    method: request.method ?? "",
    path,
    query: Object.fromEntries(url.searchParams),
    zoneId: /^\/zones\/([^/]+)/.exec(path)?.[1]?.toLowerCase(),
    body: parseBody(text),
    userAgent: request.headers["user-agent"],
    inFlight,
    requestId: makeHexadecimal(seededRandom(seq), 16),
    status: undefined,
    fault: undefined,
    changed: false,
  };
}

/** Returns the parsed body of a request; undefined if the body is empty, and the unparsed string if it is not JSON. */
function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Checks the request and carries it out. */
function carryOut(
  { token, zones: known, now: clock, random }: Surroundings["sim"],
  request: IncomingMessage,
  entry: JournalEntry,
  text: string,
  shaping: readonly ShapingFault[],
): Answer {
  try {
    if (request.headers.authorization !== `Bearer ${token}`)
      throw new RefusalError(403, codes.authentication, "Authentication error");
    const url = readUrl(request);
    const [, zones, zoneId = "", ...rest] = entry.path.split("/");
    const zone = zones === "zones" && isZoneId(zoneId) ? known.find(zoneId) : undefined;
    const found = zone && findRoute(entry.method, rest.join("/"));
    if (zone === undefined || found === undefined || !url.pathname.startsWith(`${basePath}/`)) {
      const message = `Could not route to ${entry.path}, perhaps your object identifier is invalid?`;
      throw new RefusalError(404, codes.noRoute, message);
    }
    if (found === "other-method")
      throw new RefusalError(405, codes.methodNotAllowed, `${entry.method} is not allowed here`);
    const query = readQuery(url, found.route.query);
    const now = clock();
    for (const fault of shaping)
      if (fault.kind === "shift") shiftItems({ zone, query, now }, entry.path, fault, random);
    let body = readBody(request, text);
    if (shaping.some((fault) => fault.kind === "normalise")) body = normalise(body);
    const { service, params } = found;
    const mint = () => makeHexadecimal(random, 32);
    const answer = found.route.operation({ zone, service, params, query, body, now, mint });
    return { ...answer, body: shapeAnswer(answer.body, shaping) };
  } catch (error) {
    if (error instanceof RefusalError) return failure(error.status, error.code, error.message, error.pointer);
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return failure(500, codes.internal, `a fault of the simulator itself: ${reason}`);
  }
}

function readQuery(url: URL, known: readonly string[]): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    const fault = !known.includes(name)
      ? "is not a known parameter here"
      : query.has(name) && "is given twice";
    if (fault) throw new RefusalError(400, codes.invalid, `?${name} ${fault}`, `?${name}`);
    query.set(name, value);
  }
  return query;
}

function readBody({ method = "", headers }: IncomingMessage, text: string): unknown {
  if (!["PUT", "POST", "PATCH"].includes(method)) {
    if (text === "") return undefined;
    throw new RefusalError(400, codes.invalid, `${method} takes no body`, "");
  }
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
    throw new RefusalError(415, codes.mediaType, "Content-Type must be application/json");
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusalError(400, codes.invalid, "the body is not JSON", "");
  }
}

function isAfter(fault: BreakingFault): boolean {
  if (fault.kind === "truncate" || fault.kind === "reset-after") return true;
  return "when" in fault && fault.when === "after";
}

const webPage = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>Try later.</body></html>";

/** Ends a request as its breaking fault demands. For the fault `hang`, sends nothing. */
function fail(entry: JournalEntry, response: ServerResponse, fault: BreakingFault): void {
  switch (fault.kind) {
    case "hang":
    case "truncate":
      return;
    case "reset-before":
    case "reset-after":
      reset(response);
      return;
    case "html":
      entry.status = fault.status ?? 200;
      response.writeHead(entry.status, { "content-type": "text/html; charset=utf-8" }).end(webPage);
      return;
    default: {
      const { kind, code = kind === "429" ? codes.throttled : codes.internal, message } = fault;
      const status = kind === "success-false" ? 200 : kind === "status" ? fault.status : Number(kind);
      const retryAfter = "retryAfter" in fault ? fault.retryAfter : undefined;
      if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
      send(entry, response, failure(status, code, message ?? `injected fault: ${entry.fault}`));
    }
  }
}

function send(entry: JournalEntry, response: ServerResponse, { status, body }: Answer): void {
  entry.status = status;
  response.statusCode = status;
  if (body !== undefined) response.setHeader("content-type", "application/json");
  response.end(body === undefined ? "" : JSON.stringify(body));
}

/** Announces the whole body, sends half of it and cuts the connection. */
function truncate(entry: JournalEntry, response: ServerResponse, { status, body }: Answer): void {
  const whole = Buffer.from(JSON.stringify(body ?? null));
  entry.status = status;
  response.writeHead(status, { "content-type": "application/json", "content-length": String(whole.length) });
  response.write(whole.subarray(0, whole.length >> 1), () => response.socket?.destroy());
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
