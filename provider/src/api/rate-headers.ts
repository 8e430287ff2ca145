import type { AnswerHeaders } from "./transport";

/** So many requests within a window. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** What an answer tells about the limit; a service may tell any part of it, or nothing. */
export interface RateHeaders {
  readonly limit?: number;
  /** Requests that are left. */
  readonly remaining?: number;
  /** Milliseconds until there is room again, at the latest. */
  readonly resetMs?: number;
  /** How much earlier that may really be: most services tell whole seconds. */
  readonly resetSlackMs?: number;
  /** The window that `limit` counts in, when the service names it. */
  readonly windowMs?: number;
  /** Further limits that hold at the same time. */
  readonly further?: readonly Quota[];
}

/** More than a service has, and few enough to look at in each answer. */
const MOST_POLICIES = 8;
const LONGEST_HEADER = 2000;

/**
 * Reads `RateLimit` and `RateLimit-Policy` in the forms of all drafts, and `x-ratelimit-*`; the standard ones win.
 * What cannot be read counts as not told.
 */
export function rateHeaders(headers: AnswerHeaders, nowEpochMs: number): RateHeaders {
  const standard = standardHeaders(headers);
  if (standard?.remaining !== undefined) return standard;
  const limit = positive(headers["x-ratelimit-limit"]);
  const remaining = count(headers["x-ratelimit-remaining"]);
  if (standard !== undefined && remaining === undefined) return standard;
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...readReset(headers["x-ratelimit-reset"], headers["date"], nowEpochMs),
    // The policy alone: what is counted down beside it may be another limit.
    ...(standard !== undefined && { further: quotasOf(standard) }),
  };
}

function quotasOf({ limit, windowMs, further = [] }: RateHeaders): readonly Quota[] {
  return limit === undefined || windowMs === undefined ? further : [{ limit, windowMs }, ...further];
}

/** Milliseconds that `retry-after` (seconds or a date) asks for; undefined when absent or senseless. */
export function retryAfterMs(headers: AnswerHeaders, nowEpochMs: number): number | undefined {
  const text = headers["retry-after"]?.trim();
  if (!text) return undefined;
  const seconds = count(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = parseDate(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - serviceTime(headers["date"], nowEpochMs));
}

/** One member of a list in a header: `"burst";q=20;w=2` or `100;w=60`. */
interface Member {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, number>;
}

function standardHeaders(headers: AnswerHeaders): RateHeaders | undefined {
  const told = members(headers["ratelimit"]);
  const old = dictionary(headers["ratelimit"]);
  // The binding one: what is left of the others is more.
  const binding = told
    .filter(({ parameters }) => parameters.has("r"))
    .sort((a, b) => (a.parameters.get("r") ?? 0) - (b.parameters.get("r") ?? 0))[0];
  const remaining =
    binding?.parameters.get("r") ?? old.get("remaining") ?? count(headers["ratelimit-remaining"]);
  const reset = binding?.parameters.get("t") ?? old.get("reset") ?? count(headers["ratelimit-reset"]);
  // Draft 3 has the policies behind the limit.
  const policies = [
    ...members(headers["ratelimit-policy"]),
    ...members(headers["ratelimit-limit"]).filter(({ parameters }) => parameters.has("w")),
  ].slice(0, MOST_POLICIES);
  const quotas = policies.flatMap((policy) => quotaOf(policy) ?? []);
  const single = old.get("limit") || positive(headers["ratelimit-limit"]?.split(/[,;]/)[0]);
  const main =
    quotas.find(({ name }) => name === binding?.name) ??
    quotas.find(({ limit }) => limit === single) ??
    quotas[0];
  const limit = main?.limit ?? single;
  if (limit === undefined && remaining === undefined) return undefined;
  const further = quotas.filter((quota) => quota !== main);
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(reset !== undefined && untilSeconds(reset)),
    ...(main !== undefined && { windowMs: main.windowMs }),
    ...(further.length > 0 && { further: further.map(({ limit, windowMs }) => ({ limit, windowMs })) }),
  };
}

function quotaOf({ name, parameters }: Member): (Quota & { readonly name: string }) | undefined {
  // Before draft 8 the quota was the item itself: `60;w=10`.
  const limit = parameters.get("q") ?? positive(name);
  const seconds = parameters.get("w");
  if (limit === undefined || limit < 1 || seconds === undefined || seconds <= 0) return undefined;
  return { name, limit, windowMs: seconds * 1000 };
}

/** The members of a list with their whole-number parameters. Commas and semicolons in quoted texts part nothing. */
function members(text: string | undefined): Member[] {
  if (text === undefined || text.length > LONGEST_HEADER) return [];
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? [];
  return parts.slice(0, MOST_POLICIES).map((part) => {
    const [name = "", ...parameters] = part.match(/(?:"(?:[^"\\]|\\.)*"|[^";])+/g) ?? [];
    return { name: name.trim().replace(/^"(.*)"$/, "$1"), parameters: pairs(parameters) };
  });
}

/** Draft 7: `limit=100, remaining=50, reset=5`. */
function dictionary(text: string | undefined): ReadonlyMap<string, number> {
  return text === undefined || text.length > LONGEST_HEADER ? new Map() : pairs(text.split(","));
}

function pairs(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    texts.flatMap((text) => {
      const [, key, digits] = /^\s*([a-z]+)\s*=\s*(\d{1,12})\s*$/i.exec(text) ?? [];
      return key === undefined ? [] : [[key.toLowerCase(), Number(digits)] as const];
    }),
  );
}

type Reset = Pick<RateHeaders, "resetMs" | "resetSlackMs">;

/** `x-ratelimit-reset` in seconds from now, as a point in time in seconds or milliseconds, or as a date. */
function readReset(text: string | undefined, date: string | undefined, nowEpochMs: number): Reset {
  const trimmed = text?.trim();
  if (!trimmed) return {};
  const value = count(trimmed);
  // Services differ, the size tells: seconds until then are never as many as since 1970.
  if (value !== undefined && value <= 1e8) return untilSeconds(value);
  const now = serviceTime(date, nowEpochMs);
  if (value !== undefined && value > 1e11) return { resetMs: Math.max(0, value - now) };
  // A date has lost its fraction; a number of seconds is rounded up, or the second itself.
  const at = value === undefined ? parseDate(trimmed) + 1000 : value * 1000;
  return Number.isNaN(at) ? {} : { resetMs: Math.max(0, at - now), resetSlackMs: 1000 };
}

function untilSeconds(seconds: number): Reset {
  return { resetMs: seconds * 1000, ...(Number.isInteger(seconds) && { resetSlackMs: 1000 }) };
}

/**
 * Our own clock, unless the service's goes differently by more than the whole seconds of its `date` and the way of the
 * answer can hide: then its own, which is late by up to a second.
 */
function serviceTime(date: string | undefined, nowEpochMs: number): number {
  const told = date === undefined ? Number.NaN : parseDate(date);
  const lateMs = nowEpochMs - told;
  return lateMs < -500 || lateMs > 2000 ? told : nowEpochMs;
}

/** An HTTP date or an ISO one; `Date.parse` alone takes any number for a year. */
function parseDate(text: string): number {
  return /^([a-z]{3,9},? |\d{4}-\d\d-\d\dT)/i.test(text) ? Date.parse(text) : Number.NaN;
}

function count(text: string | undefined): number | undefined {
  const value = text === undefined || !/^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(text) ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function positive(text: string | undefined): number | undefined {
  const value = count(text);
  return value === undefined || value < 1 ? undefined : Math.floor(value);
}
