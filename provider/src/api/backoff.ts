export interface BackoffQuestion {
  /** How many attempts have failed; 1 after the first. */
  readonly attempt: number;
  /** `throttled`: 429; `fresh-token`: code 10000; `fault`: anything else. */
  readonly cause: "throttled" | "fresh-token" | "fault";
  /** What the service asked for. Obeyed in full. */
  readonly retryAfterSeconds?: number | undefined;
  /** Length of the window that the rate limit counts in. */
  readonly windowMs: number;
  /** Time that is left for all attempts of this request. */
  readonly remainingMs: number;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
}

const FAULT_BASE_MS = 500;
const FAULT_CAP_MS = 20_000;

/** Milliseconds to wait before the next attempt, or undefined: that long cannot be waited, give up now. */
export function backoff(question: BackoffQuestion): number | undefined {
  const wait = delay(question);
  // Never shortened: to come back earlier than asked keeps a block alive.
  return wait < question.remainingMs ? wait : undefined;
}

function delay({ attempt, cause, retryAfterSeconds, windowMs, random }: BackoffQuestion): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000 + random() * FAULT_BASE_MS;
  if (cause === "throttled") {
    // Without a word on how long: first a short wait for a passing spike, then a longer one, then the whole
    // window, because the block lasts that long and each call within it is lost.
    const share = attempt === 1 ? 1 / 300 : attempt === 2 ? 1 / 20 : 1;
    return share === 1 ? windowMs : windowMs * share * (1 + random());
  }
  // A new token spreads within seconds.
  if (cause === "fresh-token") return 1000 * (1 + random());
  // Full jitter: many clients that failed together must not come back together.
  return random() * Math.min(FAULT_CAP_MS, FAULT_BASE_MS * 2 ** (attempt - 1));
}
