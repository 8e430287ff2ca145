import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultSpec, Faults, Refusal } from "../control/faults";
import type { Journal, JournalEntry } from "../state/journal";
import { hexadecimal, seededRandom } from "../state/random";
import { type Backend, basePath, carryOut, urlOf } from "./carry-out";
import { type Answer, codes, failure } from "./operation";
import type { RateLimit } from "./rate-limit";

/** What one exchange needs to know of the simulator around it. */
interface Surroundings {
  readonly sim: Backend & {
    readonly journal: Pick<Journal, "record">;
    readonly faults: Pick<Faults, "hit">;
    readonly rateLimit: Pick<RateLimit, "judge"> | undefined;
  };
  readonly latencyMs: number;
  readonly seq: number;
  readonly inFlight: number;
  /** Runs the hooks; `true`: cut the connection now. */
  readonly before: (entry: JournalEntry) => Promise<boolean>;
  readonly after: (entry: JournalEntry) => Promise<boolean>;
}

/** Far more than any request of these APIs holds. */
const mostBodyBytes = 4 * 1024 * 1024;

/** One request from its arrival to its end: journal, hooks, limit, faults, operation, answer. */
export async function exchange(
  surroundings: Surroundings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { sim, latencyMs, before, after } = surroundings;
  const at = sim.now();
  const text = await bodyText(request, mostBodyBytes);
  if (text === "unfinished") return;
  const entry = journalEntry(surroundings, request, text?.sent ?? "", at);
  sim.journal.record(entry);
  response.setHeader("x-request-id", entry.requestId);
  const drop = () => {
    entry.fault = "dropped";
    reset(response);
  };

  if (await before(entry)) {
    drop();
    return;
  }
  const verdict = sim.rateLimit?.judge();
  for (const [name, value] of Object.entries(verdict?.headers ?? {})) response.setHeader(name, value);
  if (verdict?.blocked) entry.fault = "rate-limit";
  if (verdict?.blocked || text === undefined) {
    const refused = verdict?.blocked
      ? failure(429, codes.throttled, "rate limit reached, every request is refused")
      : failure(413, codes.invalid, `a body has at most ${mostBodyBytes} bytes`);
    send(entry, response, refused);
    return;
  }

  const suffered = sim.faults.hit(entry);
  const { shaping, breaking } = suffered;
  const kinds = [...shaping, ...(breaking === undefined ? [] : [breaking])].map(({ kind }) => kind);
  if (kinds.length > 0) entry.fault = kinds.join("+");
  await delay(shaping.reduce((sum, fault) => sum + (fault.kind === "latency" ? fault.ms : 0), latencyMs));
  if (breaking !== undefined && !isAfter(breaking)) {
    fail(entry, response, breaking);
    return;
  }
  const answer = carryOut(sim, request, entry, text.sent, suffered);
  entry.changed = answer.changed;
  if (await after(entry)) drop();
  else if (breaking === undefined) send(entry, response, answer);
  else if (breaking.kind === "truncate") truncate(entry, response, answer);
  else fail(entry, response, breaking);
}

/** Undefined: longer than it may be. `unfinished`: the client went away before its end, and has sent no request. */
export async function bodyText(
  request: IncomingMessage,
  mostBytes: number,
): Promise<{ readonly sent: string } | "unfinished" | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      const part = Buffer.from(chunk);
      length += part.length;
      if (length <= mostBytes) chunks.push(part);
    }
  } catch {
    return "unfinished";
  }
  return length > mostBytes ? undefined : { sent: Buffer.concat(chunks).toString("utf8") };
}

function journalEntry(
  { seq, inFlight }: Surroundings,
  request: IncomingMessage,
  text: string,
  at: number,
): JournalEntry {
  const url = urlOf(request);
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname;
  return {
    at,
    seq,
    method: request.method ?? "",
    path,
    query: Object.fromEntries(url.searchParams),
    zoneId: /^\/zones\/([^/]+)/.exec(path)?.[1]?.toLowerCase(),
    body: text === "" ? undefined : parsed(text),
    userAgent: request.headers["user-agent"],
    inFlight,
    requestId: hexadecimal(seededRandom(seq), 16),
    status: undefined,
    fault: undefined,
    changed: false,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isAfter(fault: FaultSpec): boolean {
  if (fault.kind === "truncate" || fault.kind === "reset-after") return true;
  return "when" in fault && fault.when === "after";
}

function delay(ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms).unref()) : Promise.resolve();
}

const webPage = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>Try later.</body></html>";

/** Answers as a breaking fault wants it; `hang` never does. */
function fail(entry: JournalEntry, response: ServerResponse, fault: FaultSpec): void {
  const refuse = (status: number, { code = codes.internal, message, retryAfter }: Refusal) => {
    if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
    send(entry, response, failure(status, code, message ?? `injected fault: ${entry.fault}`));
  };
  if (fault.kind === "reset-before" || fault.kind === "reset-after") reset(response);
  else if (fault.kind === "html")
    sendText(entry, response, fault.status ?? 200, webPage, "text/html; charset=utf-8");
  else if (fault.kind === "success-false") refuse(200, fault);
  else if (fault.kind === "status") refuse(fault.status, fault);
  else if (fault.kind === "429") refuse(429, { code: codes.throttled, ...fault });
  else if (fault.kind === "500" || fault.kind === "502" || fault.kind === "503")
    refuse(Number(fault.kind), fault);
}

function send(entry: JournalEntry, response: ServerResponse, { status, body }: Answer): void {
  if (body === undefined) sendText(entry, response, status, "");
  else sendText(entry, response, status, JSON.stringify(body), "application/json");
}

function sendText(
  entry: JournalEntry,
  response: ServerResponse,
  status: number,
  text: string,
  type?: string,
): void {
  entry.status = status;
  response.statusCode = status;
  if (type !== undefined) response.setHeader("content-type", type);
  response.end(text);
}

/** Announces the whole body, sends half of it and cuts the connection. */
function truncate(entry: JournalEntry, response: ServerResponse, { status, body }: Answer): void {
  const whole = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  if (whole.length === 0) {
    reset(response);
    return;
  }
  entry.status = status;
  response.writeHead(status, { "content-type": "application/json", "content-length": String(whole.length) });
  response.write(whole.subarray(0, whole.length >> 1), () => response.socket?.destroy());
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
