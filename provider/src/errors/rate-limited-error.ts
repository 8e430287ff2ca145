import { ApiError, type ApiErrorFacts, quoted } from "./api-error";

export interface Throttling {
  /** How long the service (or the package's limiter) asks to wait, in seconds, when it says so. */
  readonly retryAfterSeconds?: number | undefined;
  /** How long this package would have waited at most, in seconds. */
  readonly patienceSeconds: number;
}

/** Too many requests (429, codes 10100 and 971), for longer than this package waits. */
export class RateLimitedError extends ApiError {
  readonly code = "PG_RATE_LIMITED";
  readonly retryAfterSeconds: number | undefined;

  constructor(facts: ApiErrorFacts, throttling: Throttling, serviceMessage?: string) {
    const { retryAfterSeconds, patienceSeconds } = throttling;
    const wait = retryAfterSeconds === undefined ? "" : ` and asks to wait ${Math.ceil(retryAfterSeconds)} s`;
    super(facts, {
      what: `The service blocks this user for too many requests${wait}.${quoted(serviceMessage)}`,
      why: "The limit (1,200 requests in 5 minutes, unless the service says otherwise) is shared by all tokens of the user and the dashboard.",
      fix:
        retryAfterSeconds === undefined
          ? "Wait five minutes and run again; set PAGE_GUARD_MAX_REQUESTS_PER_5M to less when other programs share the user."
          : `Run again after ${Math.ceil(retryAfterSeconds)} s (this package waits at most ${Math.round(patienceSeconds)} s ` +
            "in all); set PAGE_GUARD_MAX_REQUESTS_PER_5M to less when other programs share the user.",
    });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
