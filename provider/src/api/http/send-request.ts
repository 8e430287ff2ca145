import { AsyncResource } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { type ApiErrorFacts, RateLimitedError } from "../../errors/api-error";
import { RequestAbortedError } from "../../errors/network-error";
import { sleep } from "../clock";
import type { Permit, RateLimiter } from "../rate-limit/rate-limiter";
import type { ResultInfo } from "../wire/envelope";
import { type ApiRequest, type AttemptOptions, attempt, type Failed, type Succeeded } from "./attempt";
import { authenticationCode, backoff, isRetryable } from "./retry";

export interface ApiAnswer {
  readonly result: unknown;
  readonly info: ResultInfo | undefined;
  /** Where the answer came from, for an error about its fields. */
  readonly facts: ApiErrorFacts;
}

interface SendOptions extends AttemptOptions {
  readonly limiter: RateLimiter;
  readonly random: () => number;
  /** Time for one attempt in milliseconds. */
  readonly attemptMs: number;
  /** Called for a wait of over ten seconds for the rate limit, in the asynchronous context of the waiting call. */
  readonly onRateWait?: ((text: string) => void) | undefined;
}

export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

const mostAttempts = 4;
/** Refusals for the rate limit say nothing about the service's health, so they have a limit of their own. */
const mostRefusals = 10;
/** For all attempts and the waits between them; longer than the five minutes that a block lasts. */
const mostPatienceMs = 600_000;
/** A shorter attempt would only leave the outcome unknown. */
const leastAttemptMs = 1000;

/** The attempts of a request so far. */
interface Course {
  facts: ApiErrorFacts;
  attempts: number;
  /** Attempts that were refused for the rate limit. */
  refusals: number;
  /** The last refusal for the limit. */
  refused?: Failed;
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

  async function turn(course: Course): Promise<Permit> {
    const onLongWait = onRateWait && AsyncResource.bind(onRateWait);
    const isAgain = course.refusals > 0;
    const began = clock.now();
    const patienceMs = mostPatienceMs - course.spentMs;
    const permit = await limiter.acquire({ signal, isAgain, patienceMs, onLongWait });
    if (isAgain) course.spentMs += clock.now() - began;
    if (permit.denied === undefined) return permit;
    if (permit.denied === "aborted") throw new RequestAbortedError(course.facts);
    if (course.refused !== undefined) throw errorOf(course.refused, course);
    const retryAfterSeconds = permit.retryAfterMs === undefined ? undefined : permit.retryAfterMs / 1000;
    throw new RateLimitedError(course.facts, { retryAfterSeconds, patienceSeconds: mostPatienceMs / 1000 });
  }

  /** Waits until the request may be sent again; false: it may not. */
  async function pause(
    request: ApiRequest,
    result: Failed,
    permit: Permit,
    course: Course,
  ): Promise<boolean> {
    const { failure, rate } = result;
    // After a refusal all requests wait, even when this one is not sent again.
    permit.end(rate);
    const faults = course.attempts - course.refusals;
    const { method, repeat } = request;
    const isFresh = tokenMayBeFresh && faults <= 2;
    if (!isRetryable({ method, repeat, failure, tokenMayBeFresh: isFresh })) return false;
    if (rate?.isRefusal) {
      if (course.refusals >= mostRefusals) return false;
      // The limiter holds it back, before all others.
      course.refusals += 1;
      course.refused = result;
      return true;
    }
    if (faults >= mostAttempts) return false;
    const cause = result.trace.apiCode === authenticationCode ? "fresh-token" : "fault";
    const remainingMs = mostPatienceMs - course.spentMs;
    const retryAfterMs = rate?.retryAfterMs;
    const waitMs = backoff({ attempt: faults, cause, retryAfterMs, remainingMs, random });
    if (waitMs === undefined) return false;
    course.spentMs += waitMs;
    if (!(await sleep(clock, waitMs, signal))) throw new RequestAbortedError(course.facts);
    return true;
  }

  function errorOf({ toError, trace, rate }: Failed, { facts, attempts }: Course): Error {
    const retryAfterMs = rate?.retryAfterMs;
    if (trace.apiCode === authenticationCode) tokenMayBeFresh = false;
    return toError({
      facts,
      token: connection.token,
      tokenSource: connection.tokenSource ?? "the connection",
      host: new URL(connection.baseUrl).host,
      attempts,
      attemptMs: options.attemptMs,
      patienceMs: mostPatienceMs,
      retryAfterSeconds: retryAfterMs === undefined ? undefined : retryAfterMs / 1000,
    });
  }

  return async function send(request) {
    const known = { operation: request.operation, zoneId: request.zoneId, reading: request.method === "GET" };
    const course: Course = { facts: { ...known, outcome: "unsent" }, attempts: 0, refusals: 0, spentMs: 0 };
    for (;;) {
      const permit = await turn(course);
      const started = clock.now();
      course.attempts += 1;
      const leftMs = Math.max(leastAttemptMs, mostPatienceMs - course.spentMs);
      const timeoutMs = Math.min(options.attemptMs, leftMs);
      const result: Succeeded | Failed = await attempt(request, timeoutMs, options);
      course.spentMs += clock.now() - started;
      if (result.kind === "succeeded") {
        permit.end(result.rate);
        tokenMayBeFresh = false;
        const facts: ApiErrorFacts = { ...known, ...result.trace, outcome: "unknown" };
        return { result: result.result, info: result.info, facts };
      }
      // Once an attempt may have been carried out, a later refusal does not change that.
      const outcome = course.facts.outcome === "unknown" ? "unknown" : result.outcome;
      course.facts = { ...known, ...result.trace, outcome };
      if (signal?.aborted) {
        permit.end(result.rate);
        throw new RequestAbortedError(course.facts);
      }
      if (!(await pause(request, result, permit, course))) throw errorOf(result, course);
    }
  };
}
