import { AsyncResource } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { type ApiErrorFacts, abortedRequest, refusedRequest } from "../../errors/api-error";
import { sleep } from "../clock";
import type { Permit, RateLimiter } from "../rate-limit/rate-limiter";
import type { ResultInfo } from "../wire/envelope";
import {
  type ApiRequest,
  type AttemptOptions,
  attempt,
  authenticationCode,
  type Failed,
  isRetryable,
} from "./attempt";

export interface ApiAnswer {
  readonly result: unknown;
  readonly info: ResultInfo | undefined;
  /** Facts about the request, for errors about fields in its response. */
  readonly facts: ApiErrorFacts;
}

export interface SendOptions extends AttemptOptions {
  readonly limiter: RateLimiter;
  /** Returns a random number of at least 0 and less than 1, for the jitter of waits. */
  readonly random: () => number;
  readonly attemptMs: number;
  /**
   * Called if a request has to wait ten seconds or more because of the rate limit, but at most once a minute for all requests
   * together. Runs in the asynchronous context of one of the waiting calls.
   */
  readonly onRateWait?: ((text: string) => void) | undefined;
  /** Ends waits for the rate limit and before retries, except those of GET requests. Does not end requests in flight. */
  readonly waitSignal?: AbortSignal | undefined;
  /** Resolves to true if nobody is left to record the outcome of a change. Called before each change that had to wait. */
  readonly isAbandoned?: (() => Promise<boolean>) | undefined;
}

export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

/** Longest wait, in milliseconds, after which earlier readings are still treated as current. */
const freshMs = 2000;
const mostAttempts = 4;
/** Rate-limit refusals say nothing about the service's health, so they have a maximum of their own. */
const mostRefusals = 10;
/** Maximum total time for all attempts and the waits between them. Longer than a block by the service (five minutes). */
const patienceMs = 600_000;
/** Minimum time for one attempt: a shorter attempt would only leave the outcome unknown. */
const leastAttemptMs = 1000;
const faultBaseMs = 500;
const faultCapMs = 20_000;

/** State of one request: the attempts so far, their results, and the time spent. */
interface Course {
  facts: ApiErrorFacts;
  attempts: number;
  /** Attempts that were refused because of the rate limit. */
  refusals: number;
  /** The last refusal because of the rate limit. */
  refused?: Failed;
  spentMs: number;
}

/**
 * Creates the function that sends the requests of one connection. The function waits for the rate limiter, limits the total time,
 * and repeats a request if `repeat` allows that. On failure it rejects with an `ApiError` whose `outcome` covers all attempts.
 */
export function createSend(options: SendOptions): Send {
  const { limiter, clock, random, signal, waitSignal, onRateWait, attemptMs, isAbandoned } = options;
  // Each waiting request listens to the signal, and Node reports more than ten listeners as a leak.
  for (const one of [signal, waitSignal]) if (one !== undefined) setMaxListeners(0, one);
  // True until the service has accepted the token once, or has refused it for too long.
  let tokenMayBeFresh = true;

  /** Returns the signal that ends a wait. A read keeps waiting, because the caller may need its result to explain a failure. */
  function endOfWait(method: ApiRequest["method"]): AbortSignal | undefined {
    return method === "GET" ? undefined : waitSignal;
  }

  /** Waits until the request may be sent, and checks that it still should be. */
  async function turn({ method, isUrgent, beforeSend }: ApiRequest, course: Course): Promise<Permit> {
    const began = clock.now();
    const permit = await waitForLimit(course, isUrgent, endOfWait(method));
    const isLate = clock.now() - began > freshMs;
    try {
      if (method !== "GET" && isLate && (await isAbandoned?.())) throw abortedRequest(course.facts);
      await beforeSend?.(isLate);
      return permit;
    } catch (error) {
      permit();
      throw error;
    }
  }

  async function waitForLimit(
    course: Course,
    isUrgent: boolean | undefined,
    waitSignal: AbortSignal | undefined,
  ): Promise<Permit> {
    const onLongWait = onRateWait && AsyncResource.bind(onRateWait);
    const isAgain = course.refusals > 0;
    const began = clock.now();
    const leftMs = patienceMs - course.spentMs;
    const signals = { signal, waitSignal };
    const permit = await limiter.acquire({ ...signals, isAgain, isUrgent, patienceMs: leftMs, onLongWait });
    if (isAgain) course.spentMs += clock.now() - began;
    if (typeof permit === "function") return permit;
    if (permit.denied === "aborted") throw abortedRequest(course.facts);
    if (course.refused !== undefined) throw makeError(course.refused, course);
    const { retryAfterMs } = permit;
    throw refusedRequest("PG_RATE_LIMITED", course.facts, { retryAfterMs, patienceMs });
  }

  /** Waits until the request may be sent again. Returns false if the request has failed for good. */
  async function pause(request: ApiRequest, result: Failed, course: Course): Promise<boolean> {
    const faults = course.attempts - course.refusals;
    if (!isRetryable(request, result, tokenMayBeFresh && faults <= 2)) return false;
    if (result.rate?.isRefusal) {
      if (course.refusals >= mostRefusals) return false;
      // The limiter makes the request wait at the head of the queue.
      course.refusals += 1;
      course.refused = result;
      return true;
    }
    if (faults >= mostAttempts) return false;
    const waitMs = waitAfter(result, faults);
    // The wait is never shortened: if the service asks for time, an earlier attempt would fail as well.
    if (waitMs >= patienceMs - course.spentMs) return false;
    course.spentMs += waitMs;
    const ends = [signal, endOfWait(request.method)].filter((one) => one !== undefined);
    if (!(await sleep(clock, waitMs, AbortSignal.any(ends)))) throw abortedRequest(course.facts);
    return true;
  }

  function waitAfter({ rate, trace }: Failed, faults: number): number {
    if (rate?.retryAfterMs !== undefined) return rate.retryAfterMs + random() * faultBaseMs;
    // All machines of the service know a new token within seconds.
    if (trace.apiCode === authenticationCode) return 1000 * (1 + random());
    // Full jitter: clients that failed at the same time must not all retry at the same time.
    return random() * Math.min(faultCapMs, faultBaseMs * 2 ** (faults - 1));
  }

  function makeError({ toError, trace, rate }: Failed, { facts, attempts }: Course): Error {
    if (trace.apiCode === authenticationCode) tokenMayBeFresh = false;
    return toError({ facts, attempts, attemptMs, patienceMs, retryAfterMs: rate?.retryAfterMs });
  }

  return async function send(request) {
    const known = { operation: request.operation, zoneId: request.zoneId, reading: request.method === "GET" };
    const course: Course = { facts: { ...known, outcome: "unsent" }, attempts: 0, refusals: 0, spentMs: 0 };
    for (;;) {
      const endTurn = await turn(request, course);
      const started = clock.now();
      course.attempts += 1;
      const leftMs = Math.max(leastAttemptMs, patienceMs - course.spentMs);
      const result = await attempt(request, Math.min(attemptMs, leftMs), options);
      course.spentMs += clock.now() - started;
      // Reports every result: after a refusal, the limiter makes all requests wait, even if this request is not sent again.
      endTurn(result.rate);
      if (result.kind === "succeeded") {
        tokenMayBeFresh = false;
        const facts: ApiErrorFacts = { ...known, ...result.trace, outcome: "unknown" };
        return { result: result.result, info: result.info, facts };
      }
      // If an earlier attempt may have been carried out, the outcome stays unknown, even if the service refused this attempt.
      const outcome = course.facts.outcome === "unknown" ? "unknown" : result.outcome;
      course.facts = { ...known, ...result.trace, outcome };
      if (signal?.aborted) throw abortedRequest(course.facts);
      if (!(await pause(request, result, course))) throw makeError(result, course);
    }
  };
}
