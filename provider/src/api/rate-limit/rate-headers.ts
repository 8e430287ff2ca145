import type { AnswerHeaders } from "../http/transport";

export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** Held where a service does not name its limit. */
export const documented: Quota = { limit: 1200, windowMs: 300_000 };

/** The limit according to an answer's headers. Any part may be absent, for example behind a proxy. */
export interface RateHeaders {
  /** `q` and `w` of each item of `RateLimit-Policy`. */
  readonly quotas?: readonly Quota[];
  /** `r` of the tightest item of `RateLimit`: what is left. */
  readonly remaining?: number | undefined;
  /** `t` of the same item: until there is room. */
  readonly resetMs?: number | undefined;
  /** `Retry-After`, seconds or a date. */
  readonly retryAfterMs?: number | undefined;
  /** The request was refused for the limit; no header says so. */
  readonly isRefusal?: boolean;
}

/** Reads `RateLimit`, `RateLimit-Policy` and `Retry-After`. What cannot be read counts as absent. */
export function rateHeaders(headers: AnswerHeaders, nowEpochMs: number): RateHeaders {
  const { ratelimit = "", "ratelimit-policy": policy = "" } = headers;
  const quotas = policy.matchAll(/;\s*q=([1-9]\d{0,8})\b[^,]*;\s*w=([1-9]\d{0,3})\b/g);
  // More than four digits would be hours, which no window has.
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
  // `Date.parse` alone takes any number for a year.
  const at = /^\s*[a-z]{3},/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowEpochMs);
}
