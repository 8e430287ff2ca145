import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultSpec, Faults } from "../control/faults";
import type { Journal, JournalEntry } from "../state/journal";
import { hexadecimal, seededRandom } from "../state/random";
import { fail, reset, send, truncate } from "./answering";
import { bodyText, mostBodyBytes } from "./body-text";
import { type Backend, basePath, carryOut } from "./carry-out";
import { codes, failure } from "./envelope";
import type { RateLimit } from "./rate-limit";
import { urlOf } from "./request";

/** What one exchange needs to know of the simulator around it. */
export interface Surroundings {
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

/** One request from its arrival to its end: journal, hooks, limit, faults, operation, answer. */
export async function exchange(
  surroundings: Surroundings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { sim, latencyMs, before, after } = surroundings;
  const at = sim.now();
  const body = await bodyText(request);
  if (body === "unfinished") return;
  const text = body === "too long" ? "" : body.text;
  const entry = journalEntry(surroundings, request, text, at);
  sim.journal.record(entry, text.length);
  response.setHeader("x-request-id", entry.requestId);

  if (await before(entry)) {
    entry.fault = "dropped";
    reset(response);
    return;
  }
  const verdict = sim.rateLimit?.judge();
  for (const [name, value] of Object.entries(verdict?.headers ?? {})) response.setHeader(name, value);
  if (verdict?.blocked) {
    entry.fault = "rate-limit";
    send(entry, response, failure(429, codes.throttled, "rate limit reached, every request is refused"));
    return;
  }

  if (body === "too long") {
    send(entry, response, failure(413, codes.invalid, `a body has at most ${mostBodyBytes} bytes`));
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
  const answer = carryOut(sim, request, entry, text, suffered);
  entry.changed = answer.changed;
  if (await after(entry)) {
    entry.fault = "dropped";
    reset(response);
  } else if (breaking === undefined) {
    send(entry, response, answer);
  } else if (breaking.kind === "truncate") {
    truncate(entry, response, answer);
  } else {
    fail(entry, response, breaking);
  }
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
