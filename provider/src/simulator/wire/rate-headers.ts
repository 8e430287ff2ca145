/** `ratelimit`: `RateLimit: "default";r=50;t=8` and `RateLimit-Policy: "default";q=60;w=10`. */
export type RateHeaderForm = (typeof rateHeaderForms)[number];
export const rateHeaderForms = ["ratelimit"] as const;

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

export function rateHeaders({ now, limit, windowMs, remaining, freeAt }: RateCount): Record<string, string> {
  return {
    "ratelimit-policy": `"default";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
    ratelimit: `"default";r=${remaining};t=${secondsUntil(freeAt, now)}`,
  };
}

export function retryAfterHeader(form: RetryAfterForm, freeAt: number, now: number): Record<string, string> {
  if (form === "none") return {};
  // Rounded up: a client that returns at that second must not be refused again.
  const date = () => new Date(Math.ceil(freeAt / 1000) * 1000).toUTCString();
  return { "retry-after": form === "date" ? date() : String(secondsUntil(freeAt, now)) };
}

function secondsUntil(freeAt: number, now: number): number {
  return Math.max(1, Math.ceil((freeAt - now) / 1000));
}
