export interface BackoffQuestion {
  /** How many attempts have failed; 1 after the first. */
  readonly attempt: number;
  /** `fresh-token`: code 10000; `fault`: anything else but a refusal for the rate limit, which the limiter waits for. */
  readonly cause: "fresh-token" | "fault";
  /** What the service requested. Respected in full. */
  readonly retryAfterMs?: number | undefined;
  /** Time that is left for all attempts of this request. */
  readonly remainingMs: number;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
}

const faultBaseMs = 500;
const faultCapMs = 20_000;

/** Milliseconds to wait before the next attempt, or undefined: that is too long, fail now. */
export function backoff(question: BackoffQuestion): number | undefined {
  const wait = delay(question);
  // Never shortened: a service that asks for time is not ready earlier.
  return wait < question.remainingMs ? wait : undefined;
}

function delay({ attempt, cause, retryAfterMs, random }: BackoffQuestion): number {
  if (retryAfterMs !== undefined) return retryAfterMs + random() * faultBaseMs;
  // A new token spreads within seconds.
  if (cause === "fresh-token") return 1000 * (1 + random());
  // Full jitter: many clients that failed together must not come back together.
  return random() * Math.min(faultCapMs, faultBaseMs * 2 ** (attempt - 1));
}
