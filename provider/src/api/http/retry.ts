/** How one attempt of a request failed. */
export type Failure =
  /** A whole answer that is a refusal or a fault. */
  | { readonly kind: "answer"; readonly status: number; readonly apiCode?: number | undefined }
  /** No whole answer. `certain`: trying again cannot help (a certificate, a malformed URL). */
  | { readonly kind: "network"; readonly certain: boolean }
  | { readonly kind: "timeout" };

/**
 * When a request may be sent again:
 * - `freely`: carrying it out twice equals once.
 * - `refused-429`: only after a whole answer 429, which proves that nothing was done. For a POST that creates an object.
 * - `never`: not even then. For what cannot be undone, and for what must be decided again.
 */
export type Repeat = "freely" | "refused-429" | "never";

interface RetryQuestion {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly repeat: Repeat;
  readonly failure: Failure;
  /** Whether this token may be too young to be known everywhere (code 10000 for a few seconds). */
  readonly tokenMayBeFresh: boolean;
}

/** Codes of the service that mean "too many requests", whatever the status. */
const throttled = new Set([10100, 971]);
export const authenticationCode = 10000;

export function isThrottled(status: number, apiCode: number | undefined): boolean {
  return status === 429 || (status >= 400 && status < 500 && apiCode !== undefined && throttled.has(apiCode));
}

/** Whether a failed attempt may be followed by another one. The first rule that applies decides. */
export function isRetryable({ method, repeat, failure, tokenMayBeFresh }: RetryQuestion): boolean {
  if (repeat === "never") return false;
  if (failure.kind === "answer" && failure.status === 429) return true;
  // Nothing else proves that a POST was not carried out, not even that it seems not to have left: what a proxy or
  // the kernel did with it is not known, and the caller can look before it decides.
  if (repeat !== "freely" || method === "POST") return false;
  // The same certificate or address will be wrong again.
  if (failure.kind === "network") return !failure.certain;
  if (failure.kind === "timeout") return true;
  if (isThrottled(failure.status, failure.apiCode)) return true;
  // A fresh token is unknown to some machines of the service for seconds. Only for reads: a person should see a
  // refused change.
  if (failure.apiCode === authenticationCode) return method === "GET" && tokenMayBeFresh;
  // 501 and 505 say that this will never work.
  if (failure.status === 501 || failure.status === 505) return false;
  return failure.status >= 500 || failure.status === 408;
}

interface BackoffQuestion {
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
