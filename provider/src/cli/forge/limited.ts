import type { Answer } from "./exchange";

/** What GitHub asks for where it does not say how long. */
const usualMs = 60_000;

/**
 * How long a rate limit asks to wait, in milliseconds; undefined when the answer is about something else. GitHub says
 * 403 as well as 429, for its secondary limits sometimes by nothing but a sentence; then each next wait doubles.
 */
export function limitedForMs(
  { status, headers, body }: Answer,
  nowMs: number,
  before: number,
): number | undefined {
  if (status !== 429 && status !== 403) return undefined;
  const after = seconds(headers["retry-after"], nowMs);
  if (after !== undefined) return after * 1000;
  const isSpent = headers["x-ratelimit-remaining"] === "0" || headers["ratelimit-remaining"] === "0";
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  if (isSpent && Number.isFinite(reset)) return Math.max(1000, reset * 1000 - nowMs + 1000);
  if (status === 429 || /secondary rate limit|abuse detection/i.test(body.slice(0, 5000))) {
    return usualMs * 2 ** before;
  }
  return undefined;
}

/** Of `retry-after`: a number, or a date. */
function seconds(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs) / 1000));
}
