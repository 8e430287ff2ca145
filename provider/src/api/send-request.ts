import { AsyncResource } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import type { ApiErrorFacts } from "../errors/api-error";
import { RateLimitedError } from "../errors/rate-limited-error";
import { RequestAbortedError } from "../errors/request-aborted-error";
import { type ApiRequest, type AttemptOptions, attempt, type Failed, type Succeeded } from "./attempt";
import { backoff } from "./backoff";
import { sleep } from "./clock";
import type { ResultInfo } from "./envelope";
import { AUTHENTICATION_CODE, isRetryable, isThrottled } from "./is-retryable";
import type { RateLimiter, Ticket } from "./rate-limiter";
import type { RateWait } from "./rate-wait";

export interface ApiAnswer {
  readonly result: unknown;
  readonly info: ResultInfo | undefined;
  /** Where the answer came from, for an error about its fields. */
  readonly facts: ApiErrorFacts;
}

export interface SendOptions extends AttemptOptions {
  readonly limiter: RateLimiter;
  readonly random: () => number;
  /** Time for one attempt in milliseconds. */
  readonly attemptMs: number;
  /** Told about a wait of over ten seconds for the rate limit, in the asynchronous context of the call that waits. */
  readonly onRateWait?: ((wait: RateWait) => void) | undefined;
}

export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

const MAX_ATTEMPTS = 4;
/** Refusals for the rate limit tell nothing about the service's health, and are not counted among them; but not for ever. */
const MAX_REFUSALS = 10;
/** For all attempts and the waits between them; longer than the five minutes that a block lasts. */
const PATIENCE_MS = 600_000;
/** An attempt that ends sooner only makes it unknown what became of the request. */
const LEAST_ATTEMPT_MS = 1000;

/** What a request has been through. */
interface Course {
  facts: ApiErrorFacts;
  attempts: number;
  /** Attempts that were refused for the limit: they tell nothing about the service's health. */
  refusals: number;
  spentMs: number;
}

/**
 * Sends the requests of one connection: waits for the limiter, bounds the time, repeats what may be repeated.
 * Rejects with an `ApiError` whose `outcome` covers all attempts.
 */
export function createSend(options: SendOptions): Send {
  const { connection, limiter, clock, random, signal, onRateWait } = options;
  // Each request that waits listens to it, and Node takes more than ten for a leak.
  if (signal !== undefined) setMaxListeners(0, signal);
  // Until the service has accepted it once, or has refused it for too long.
  let tokenMayBeFresh = true;

  async function turn({ facts, refusals }: Course): Promise<Ticket> {
    const onLongWait = onRateWait && AsyncResource.bind(onRateWait);
    const ticket = await limiter.acquire({ signal, isAgain: refusals > 0, onLongWait });
    if (ticket.denied === undefined) return ticket;
    if (ticket.denied === "aborted") throw new RequestAbortedError(facts);
    const { retryAfterSeconds, patienceMs } = ticket;
    throw new RateLimitedError(facts, { retryAfterSeconds, patienceSeconds: patienceMs / 1000 });
  }

  /** Waits until the request may be sent again; false: it may not. */
  async function pause(
    request: ApiRequest,
    result: Failed,
    ticket: Ticket,
    course: Course,
  ): Promise<boolean> {
    const { failure, retryAfterMs } = result;
    const isRefusal = isThrottledAnswer(result);
    // Everybody waits, also when this request is not sent again.
    const blockMs = isRefusal ? ticket.refused(retryAfterMs, result.rate?.resetMs) : undefined;
    if (!isRefusal) ticket.done(result.rate);
    const faults = course.attempts - course.refusals;
    const { method, repeat } = request;
    const isFresh = tokenMayBeFresh && faults <= 2;
    if (!isRetryable({ method, repeat, failure, tokenMayBeFresh: isFresh })) return false;
    const remainingMs = PATIENCE_MS - course.spentMs;
    if (isRefusal) {
      if (blockMs === undefined || blockMs >= remainingMs || course.refusals >= MAX_REFUSALS) return false;
      // The limiter holds it back, before all others.
      course.refusals += 1;
      course.spentMs += blockMs;
      return true;
    }
    if (faults >= MAX_ATTEMPTS) return false;
    const cause = isAuthentication(result) ? "fresh-token" : "fault";
    const waitMs = backoff({ attempt: faults, cause, retryAfterMs, remainingMs, random });
    if (waitMs === undefined) return false;
    course.spentMs += waitMs;
    if (!(await sleep(clock, waitMs, signal))) throw new RequestAbortedError(course.facts);
    return true;
  }

  function errorOf({ toError, trace, retryAfterMs }: Failed, { facts, attempts }: Course): Error {
    if (trace.apiCode === AUTHENTICATION_CODE) tokenMayBeFresh = false;
    return toError({
      facts,
      token: connection.token,
      tokenSource: connection.tokenSource ?? "the connection",
      host: new URL(connection.baseUrl).host,
      attempts,
      attemptMs: options.attemptMs,
      patienceMs: PATIENCE_MS,
      retryAfterSeconds: retryAfterMs === undefined ? undefined : retryAfterMs / 1000,
    });
  }

  return async function send(request) {
    const known = { operation: request.operation, zoneId: request.zoneId, reading: request.method === "GET" };
    const course: Course = { facts: { ...known, outcome: "unsent" }, attempts: 0, refusals: 0, spentMs: 0 };
    for (;;) {
      const ticket = await turn(course);
      const started = clock.now();
      course.attempts += 1;
      const leftMs = Math.max(LEAST_ATTEMPT_MS, PATIENCE_MS - course.spentMs);
      const timeoutMs = Math.min(options.attemptMs, leftMs);
      const result: Succeeded | Failed = await attempt(request, timeoutMs, options);
      course.spentMs += clock.now() - started;
      if (result.kind === "succeeded") {
        ticket.done(result.rate);
        tokenMayBeFresh = false;
        const facts: ApiErrorFacts = { ...known, ...result.trace, outcome: "unknown" };
        return { result: result.result, info: result.info, facts };
      }
      // Once an attempt may have been carried out, a later refusal does not change that.
      const outcome = course.facts.outcome === "unknown" ? "unknown" : result.outcome;
      course.facts = { ...known, ...result.trace, outcome };
      if (signal?.aborted) {
        ticket.done(result.rate);
        throw new RequestAbortedError(course.facts);
      }
      if (!(await pause(request, result, ticket, course))) throw errorOf(result, course);
    }
  };
}

function isThrottledAnswer({ failure }: Failed): boolean {
  return failure.kind === "answer" && isThrottled(failure.status, failure.apiCode);
}

function isAuthentication({ failure }: Failed): boolean {
  return failure.kind === "answer" && failure.apiCode === AUTHENTICATION_CODE;
}
