/** Answer headers by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** What `x-ratelimit-*` say; any of them may be absent. */
export interface RateHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  /** Milliseconds until the count starts anew. */
  readonly resetMs?: number;
}

/** Seconds of `retry-after` (a number or a date), undefined when absent or senseless. */
export function retryAfterSeconds(headers: AnswerHeaders, nowEpochMs: number): number | undefined {
  const text = headers["retry-after"]?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - nowEpochMs) / 1000);
}

export function rateHeaders(headers: AnswerHeaders, nowEpochMs: number): RateHeaders {
  const limit = count(headers["x-ratelimit-limit"]);
  const remaining = count(headers["x-ratelimit-remaining"]);
  const reset = count(headers["x-ratelimit-reset"]);
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(reset !== undefined && { resetMs: untilReset(reset, nowEpochMs) }),
  };
}

function count(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Seconds from now, or a point in time in seconds or milliseconds: services differ, the size tells. */
function untilReset(value: number, nowEpochMs: number): number {
  if (value > 1e11) return Math.max(0, value - nowEpochMs);
  if (value > 1e8) return Math.max(0, value * 1000 - nowEpochMs);
  return value * 1000;
}
