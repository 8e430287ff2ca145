/**
 * How a service may report its limit:
 * - `x-ratelimit`: `x-ratelimit-limit`, `-remaining`, `-reset`.
 * - `ratelimit`: `RateLimit: "default";r=50;t=8` and `RateLimit-Policy: "default";q=60;w=10`.
 * - `ratelimit-draft-7`: `RateLimit: limit=60, remaining=50, reset=8` and `RateLimit-Policy: 60;w=10`.
 * - `ratelimit-draft-6`: `RateLimit-Limit`, `-Remaining`, `-Reset` and `RateLimit-Policy: 60;w=10`.
 */
export type RateHeaderForm = (typeof rateHeaderForms)[number];
export const rateHeaderForms = [
  "x-ratelimit",
  "ratelimit",
  "ratelimit-draft-7",
  "ratelimit-draft-6",
] as const;

/** `x-ratelimit-reset` in seconds from now, in seconds since 1970 (both rounded up), or as an HTTP date, which has whole seconds. */
export type ResetForm = (typeof resetForms)[number];
export const resetForms = ["delta", "epoch", "date"] as const;

/** `retry-after` of a refusal in seconds, as an HTTP date, or left out. */
export type RetryAfterForm = (typeof retryAfterForms)[number];
export const retryAfterForms = ["seconds", "date", "none"] as const;

/** The count at the time of an answer. */
export interface RateCount {
  readonly now: number;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** When there is room again. */
  readonly freeAt: number;
}

/** The headers of one form, by lower-case name. */
export function rateHeaders(
  form: RateHeaderForm,
  reset: ResetForm,
  count: RateCount,
): Record<string, string> {
  const { now, limit, windowMs, remaining, freeAt } = count;
  const seconds = secondsUntil(freeAt, now);
  const window = Math.ceil(windowMs / 1000);
  switch (form) {
    case "x-ratelimit":
      return {
        "x-ratelimit-limit": String(limit),
        "x-ratelimit-remaining": String(remaining),
        "x-ratelimit-reset": resetText(reset, freeAt, seconds),
      };
    case "ratelimit":
      return {
        "ratelimit-policy": `"default";q=${limit};w=${window}`,
        ratelimit: `"default";r=${remaining};t=${seconds}`,
      };
    case "ratelimit-draft-7":
      return {
        "ratelimit-policy": `${limit};w=${window}`,
        ratelimit: `limit=${limit}, remaining=${remaining}, reset=${seconds}`,
      };
    case "ratelimit-draft-6":
      return {
        "ratelimit-policy": `${limit};w=${window}`,
        "ratelimit-limit": String(limit),
        "ratelimit-remaining": String(remaining),
        "ratelimit-reset": String(seconds),
      };
  }
}

export function retryAfterHeader(form: RetryAfterForm, freeAt: number, now: number): Record<string, string> {
  if (form === "none") return {};
  // Rounded up: a client that returns at that second must not be refused again.
  const date = () => new Date(Math.ceil(freeAt / 1000) * 1000).toUTCString();
  return { "retry-after": form === "date" ? date() : String(secondsUntil(freeAt, now)) };
}

function resetText(form: ResetForm, freeAt: number, seconds: number): string {
  if (form === "delta") return String(seconds);
  return form === "epoch" ? String(Math.ceil(freeAt / 1000)) : new Date(freeAt).toUTCString();
}

function secondsUntil(freeAt: number, now: number): number {
  return Math.max(1, Math.ceil((freeAt - now) / 1000));
}
