import type { ApiErrorFacts } from "../errors/api-error";
import { RateLimitedError } from "../errors/rate-limited-error";
import { RequestAbortedError } from "../errors/request-aborted-error";
import { type ApiRequest, type AttemptOptions, attempt, type Failed } from "./attempt";
import { type BackoffQuestion, backoff } from "./backoff";
import { sleep } from "./clock";
import type { ResultInfo } from "./envelope";
import { AUTHENTICATION_CODE, isRetryable, isThrottled } from "./is-retryable";
import type { RateLimiter, Ticket } from "./rate-limiter";

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
}

export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

const MAX_ATTEMPTS = 4;
/** For all attempts and the waits between them; longer than the five minutes that a block lasts. */
const PATIENCE_MS = 600_000;

/**
 * Sends the requests of one connection: waits for the limiter, bounds the time, repeats what may be repeated.
 * Rejects with an `ApiError` whose `outcome` covers all attempts.
 */
export function createSend(options: SendOptions): Send {
  const { connection, limiter, clock, random, signal } = options;
  // Until the service has accepted it once, or has refused it for too long.
  let tokenMayBeFresh = true;

  async function turn(facts: ApiErrorFacts): Promise<Ticket> {
    const ticket = await limiter.acquire(signal);
    if (ticket.denied === undefined) return ticket;
    if (ticket.denied === "aborted") throw new RequestAbortedError(facts);
    const { retryAfterSeconds, patienceMs } = ticket;
    throw new RateLimitedError(facts, { retryAfterSeconds, patienceSeconds: patienceMs / 1000 });
  }

  /** Milliseconds to wait before the next attempt; undefined: give up. */
  function pause(request: ApiRequest, failed: Failed, attempts: number, spentMs: number): number | undefined {
    const repeat = isRetryable({
      method: request.method,
      idempotent: request.idempotent,
      failure: failed.failure,
      tokenMayBeFresh: tokenMayBeFresh && attempts <= 2,
    });
    if (!repeat || attempts >= MAX_ATTEMPTS) return undefined;
    return backoff({
      attempt: attempts,
      cause: causeOf(failed),
      retryAfterSeconds: failed.retryAfterSeconds,
      windowMs: limiter.windowMs,
      remainingMs: PATIENCE_MS - spentMs,
      random,
    });
  }

  return async function send(request) {
    const known = { operation: request.operation, zoneId: request.zoneId, reading: request.method === "GET" };
    let facts: ApiErrorFacts = { ...known, outcome: "unsent" };
    let spentMs = 0;
    for (let attempts = 1; ; attempts += 1) {
      const ticket = await turn(facts);
      const started = clock.now();
      const result = await attempt(request, Math.min(options.attemptMs, PATIENCE_MS - spentMs), options);
      spentMs += clock.now() - started;
      ticket.done(result.rate);
      if (result.kind === "succeeded") {
        tokenMayBeFresh = false;
        return {
          result: result.result,
          info: result.info,
          facts: { ...known, ...result.trace, outcome: "unknown" },
        };
      }
      // Once an attempt may have been carried out, a later refusal does not change that.
      const outcome = facts.outcome === "unknown" ? "unknown" : result.outcome;
      facts = { ...known, ...result.trace, outcome };
      if (signal?.aborted) throw new RequestAbortedError(facts);

      const waitMs = pause(request, result, attempts, spentMs);
      if (causeOf(result) === "throttled") {
        // Everybody waits, also when this request is not sent again.
        const blockMs = waitMs ?? (result.retryAfterSeconds ?? 0) * 1000;
        limiter.block(blockMs);
      }
      if (waitMs === undefined) {
        if (result.trace.apiCode === AUTHENTICATION_CODE) tokenMayBeFresh = false;
        throw result.toError({
          facts,
          token: connection.token,
          tokenSource: connection.tokenSource ?? "the connection",
          host: new URL(connection.baseUrl).host,
          attempts,
          attemptMs: options.attemptMs,
          patienceMs: PATIENCE_MS,
          retryAfterSeconds: result.retryAfterSeconds,
        });
      }
      spentMs += waitMs;
      if (!(await sleep(clock, waitMs, signal))) throw new RequestAbortedError(facts);
    }
  };
}

function causeOf({ failure }: Failed): BackoffQuestion["cause"] {
  if (failure.kind !== "answer") return "fault";
  if (isThrottled(failure.status, failure.apiCode)) return "throttled";
  return failure.apiCode === AUTHENTICATION_CODE ? "fresh-token" : "fault";
}
