import type { AnswerHeaders } from "../http/transport";

export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** Held where a service does not name its limit. */
export const documented: Quota = { limit: 1200, windowMs: 300_000 };

/** What an answer says about the limit; any part may be absent, for instance behind a proxy. */
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
  const policies = items(headers["ratelimit-policy"]);
  const quotas = policies.flatMap(({ q, w }) => (q && w ? [{ limit: q, windowMs: w * 1000 }] : []));
  const counts = items(headers["ratelimit"]).flatMap(({ r, t }) => (r === undefined ? [] : [{ r, t }]));
  const [tightest] = counts.sort((a, b) => a.r - b.r);
  // A reset that is later than any window is wrong.
  const longestMs = Math.max(documented.windowMs, ...quotas.map(({ windowMs }) => windowMs));
  return {
    quotas,
    remaining: tightest?.r,
    resetMs: tightest?.t === undefined ? undefined : Math.min(tightest.t * 1000, longestMs),
    retryAfterMs: retryAfterMs(headers["retry-after"], nowEpochMs),
  };
}

function retryAfterMs(text = "", nowEpochMs: number): number | undefined {
  if (/^\s*\d{1,15}\s*$/.test(text)) return Number(text) * 1000;
  // `Date.parse` alone takes any number for a year.
  const at = /^\s*[a-z]{3},/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowEpochMs);
}

/** The items of a list with their whole numbers: `"default";r=50;t=30`. */
function items(text = ""): Record<string, number | undefined>[] {
  // Names are of no interest, and may hold what parts items.
  const parts = text.replace(/"[^"]*"|\s/g, "").split(",");
  return parts.map((part) =>
    Object.fromEntries(
      [...part.matchAll(/;([a-z])=(\d{1,12})(?=;|$)/g)].map(([, key, digits]) => [key, Number(digits)]),
    ),
  );
}
