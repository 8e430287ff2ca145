import { InputError } from "../errors/input-error";

/** What the environment says about pace and patience. */
export interface ApiSettings {
  /** `PAGE_GUARD_TIMEOUT_MS`: for one attempt, connecting and reading the answer included. Default 30000. */
  readonly attemptMs: number;
  /** `PAGE_GUARD_MAX_REQUESTS_PER_5M`: within the window of the rate limit. Default 1200. */
  readonly maxRequests: number;
  /** `PAGE_GUARD_RATE_WINDOW_MS`: only for tests against a service whose limit is scaled down. Default 300000. */
  readonly windowMs: number;
}

/** @throws InputError when a variable is not a whole number in its range. */
export function apiSettings(env: NodeJS.ProcessEnv): ApiSettings {
  return {
    attemptMs: whole(env, "PAGE_GUARD_TIMEOUT_MS", 30_000, 1, 600_000),
    maxRequests: whole(env, "PAGE_GUARD_MAX_REQUESTS_PER_5M", 1200, 1, 1_000_000),
    windowMs: whole(env, "PAGE_GUARD_RATE_WINDOW_MS", 300_000, 1, 3_600_000),
  };
}

function whole(env: NodeJS.ProcessEnv, name: string, fallback: number, low: number, high: number): number {
  const text = env[name]?.trim();
  if (!text) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  throw new InputError(
    name,
    "The environment variable is not a whole number in its range.",
    `Set it to a whole number from ${low} to ${high}, or unset it for ${fallback}.`,
  );
}
