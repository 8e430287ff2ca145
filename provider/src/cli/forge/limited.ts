import { retryAfterMs } from "../../api/rate-limit/rate-headers";
import type { Answer } from "./exchange";

/** What GitHub asks for where it does not say how long. */
const usualMs = 60_000;

/** Who asks to come back at once and refuses again would be asked for ever. */
const leastMs = 1000;

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
  const afterMs = retryAfterMs(headers, nowMs);
  if (afterMs !== undefined) return Math.max(afterMs, leastMs * 2 ** before);
  const isSpent = headers["x-ratelimit-remaining"] === "0" || headers["ratelimit-remaining"] === "0";
  // A point in time, in seconds since 1970: GitLab's `ratelimit-reset` too, which the standard counts from now.
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  if (isSpent && Number.isFinite(reset)) return Math.max(1000, reset * 1000 - nowMs + 1000);
  if (status === 429 || /secondary rate limit|abuse detection/i.test(body.slice(0, 5000))) {
    return usualMs * 2 ** before;
  }
  return undefined;
}
