import type { AnswerHeaders } from "../http/transport";

export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** Held where a service does not say what is left. */
export const documented: Quota = { limit: 1200, windowMs: 300_000 };

/** What an answer says about the limit; a service may say any part of it, or nothing. */
export interface RateHeaders {
  /** What `remaining` counts down, and its window when it is named. */
  readonly limit?: number | undefined;
  readonly windowMs?: number | undefined;
  readonly remaining?: number | undefined;
  /** Until there is room, at the latest: up to a second earlier, for services round to seconds; a date loses its fraction. */
  readonly resetMs?: number | undefined;
  readonly isResetDate?: boolean | undefined;
  /** All limits with a window. */
  readonly quotas?: readonly Quota[] | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Whether the request was refused for the limit; no header says so. */
  readonly isRefusal?: boolean | undefined;
}

/**
 * Reads `RateLimit` and `RateLimit-Policy` in the forms of all drafts, `x-ratelimit-*` and `retry-after`; the standard
 * ones win. What cannot be read counts as absent.
 */
export function rateHeaders(headers: AnswerHeaders, nowEpochMs: number): RateHeaders {
  const policies = [...items(headers["ratelimit-policy"]), ...items(headers["ratelimit-limit"])];
  const quotas = policies.flatMap(({ q, w }) => (q && w ? [{ limit: q, windowMs: w * 1000 }] : []));
  const standard = readStandard(headers);
  const isStandard = standard.remaining !== undefined;
  const { remaining, resetMs, ...counted } = isStandard ? standard : readOwn(headers, nowEpochMs);
  // Which one of several is counted down is not looked up by its name: all are held anyway.
  const known = quotas.length === 1 ? quotas : quotas.filter(({ limit }) => limit === counted.limit);
  const main = isStandard ? known[0] : undefined;
  return {
    ...counted,
    ...main,
    remaining: remaining && Math.floor(remaining),
    // A reset that is later than the window is wrong: it counts as the window.
    resetMs: resetMs && Math.min(resetMs, (main ?? documented).windowMs),
    quotas,
    retryAfterMs: retryAfterMs(headers, nowEpochMs),
  };
}

/** Milliseconds that `retry-after` (seconds or a date) asks for; undefined when absent or senseless. */
export function retryAfterMs(headers: AnswerHeaders, nowEpochMs: number): number | undefined {
  const seconds = count(headers["retry-after"]);
  if (seconds !== undefined) return seconds * 1000;
  return untilMs(parseDate(headers["retry-after"]), headers, nowEpochMs);
}

function readStandard(headers: AnswerHeaders) {
  const parts = items(headers["ratelimit"]);
  // The tightest one: what is left of the others is more.
  const [tightest] = parts.filter(({ r }) => r !== undefined).sort((a, b) => Number(a["r"]) - Number(b["r"]));
  // Draft 7 has each field in an item of its own, draft 6 in a header of its own.
  const { limit, remaining, reset }: Item = Object.assign({}, ...parts);
  const seconds = tightest?.["t"] ?? reset ?? count(headers["ratelimit-reset"]);
  return {
    limit: limit || items(headers["ratelimit-limit"])[0]?.["q"] || undefined,
    remaining: tightest?.["r"] ?? remaining ?? count(headers["ratelimit-remaining"]),
    resetMs: seconds && seconds * 1000,
  };
}

/** `x-ratelimit-*`; the reset in seconds from now, as a point in time in seconds or milliseconds, or as a date. */
function readOwn(headers: AnswerHeaders, nowEpochMs: number) {
  const text = headers["x-ratelimit-reset"];
  const value = count(text);
  const at = value === undefined ? parseDate(text) + 1000 : value > 1e11 ? value : value * 1000;
  return {
    limit: Math.floor(count(headers["x-ratelimit-limit"]) ?? 0) || undefined,
    remaining: count(headers["x-ratelimit-remaining"]),
    // Services differ, the size decides: seconds until then are never as many as since 1970.
    resetMs: value !== undefined && value <= 1e8 ? at : untilMs(at, headers, nowEpochMs),
    isResetDate: value === undefined,
  };
}

type Item = Record<string, number | undefined>;

/** The items of a list with their whole numbers. Before draft 8 a policy's quota was the item itself: `60;w=10`. */
function items(text = ""): Item[] {
  // Names are of no interest, and may hold what parts items.
  const parts = text
    .replace(/"[^"]*"|\s/g, "")
    .toLowerCase()
    .split(",");
  const number = /(?<=^|;)(?:([a-z]+)=)?(\d{1,12})(?=;|$)/g;
  const pair = ([, key = "q", digits]: string[]) => [key, Number(digits)];
  return parts.map((part) => Object.fromEntries([...part.matchAll(number)].map(pair)));
}

/**
 * By our own clock, unless the service's goes differently by more than the seconds of its `date` and the way of the answer
 * can hide: then by its own, which is late by up to a second.
 */
function untilMs(at: number, { date }: AnswerHeaders, nowEpochMs: number): number | undefined {
  const lateMs = nowEpochMs - parseDate(date);
  const ms = at - (lateMs < -500 || lateMs > 2000 ? parseDate(date) : nowEpochMs);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** An HTTP date or an ISO one; `Date.parse` alone takes any number for a year. */
function parseDate(text = ""): number {
  return /^\s*([a-z]{3,9},? |\d{4}-\d\d-\d\dT)/i.test(text) ? Date.parse(text) : Number.NaN;
}

function count(text = ""): number | undefined {
  return /^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(text) ? Number(text) : undefined;
}
