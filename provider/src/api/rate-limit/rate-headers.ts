import type { AnswerHeaders } from "../http/transport";

export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** The documented limit, for a service that does not name its own. */
export const documented: Quota = { limit: 1200, windowMs: 300_000 };

/** The rate limit according to the headers of a response. Any part may be absent, for example behind a proxy. */
export interface RateHeaders {
  /** `q` and `w` of each item of `RateLimit-Policy`. */
  readonly quotas?: readonly Quota[];
  /** `r` of the tightest item of `RateLimit`: the number of requests left. */
  readonly remaining?: number | undefined;
  /** `t` of the tightest item of `RateLimit`: the time until more requests are allowed. */
  readonly resetMs?: number | undefined;
  /** `Retry-After`, converted from seconds or a date. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the request was refused because of the limit. The caller sets this, because no header says it. */
  readonly isRefusal?: boolean;
}

/** Reads `RateLimit`, `RateLimit-Policy` and `Retry-After`. Treats values that cannot be read as absent. */
export function rateHeaders(headers: AnswerHeaders, nowEpochMs: number): RateHeaders {
  const { ratelimit = "", "ratelimit-policy": policy = "" } = headers;
  const quotas = policy.matchAll(/;\s*q=([1-9]\d{0,8})\b[^,]*;\s*w=([1-9]\d{0,3})\b/g);
  // `w` and `t` have at most four digits: no window is as long as 10,000 seconds.
  const counts = [...ratelimit.matchAll(/;\s*r=(\d{1,9})\b(?:[^,]*;\s*t=(\d{1,4})\b)?/g)];
  const [, remaining, reset] = counts.sort(([, a], [, b]) => Number(a) - Number(b))[0] ?? [];
  return {
    quotas: Array.from(quotas, ([, q, w]) => ({ limit: Number(q), windowMs: Number(w) * 1000 })),
    remaining: remaining === undefined ? undefined : Number(remaining),
    resetMs: reset === undefined ? undefined : Number(reset) * 1000,
    retryAfterMs: retryAfterMs(headers["retry-after"], nowEpochMs),
  };
}

function retryAfterMs(text = "", nowEpochMs: number): number | undefined {
  if (/^\s*\d{1,15}\s*$/.test(text)) return Number(text) * 1000;
  // A date has to begin with a weekday, because `Date.parse` alone accepts any number as a year.
  const at = /^\s*[a-z]{3},/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowEpochMs);
}
