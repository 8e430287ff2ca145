import { InputError } from "../errors/input-error";

/** What the environment says about pace and patience. */
export interface ApiSettings {
  /** `PAGE_GUARD_TIMEOUT_MS`: for one attempt, connecting and reading the answer included. Default 30000. */
  readonly attemptMs: number;
  /** `PAGE_GUARD_MAX_REQUESTS_PER_5M`: the user's own limit within five minutes, beside the service's. Default: none. */
  readonly maxRequests: number | undefined;
  /** `PAGE_GUARD_BUDGET`: the socket of the process that keeps one budget for several processes. */
  readonly budget: string | undefined;
}

/** @throws InputError when a variable is not a whole number in its range. */
export function apiSettings(env: NodeJS.ProcessEnv): ApiSettings {
  return {
    attemptMs: whole(env, "PAGE_GUARD_TIMEOUT_MS", 1, 600_000) ?? 30_000,
    maxRequests: whole(env, "PAGE_GUARD_MAX_REQUESTS_PER_5M", 1, 1_000_000),
    budget: env["PAGE_GUARD_BUDGET"]?.trim() || undefined,
  };
}

function whole(env: NodeJS.ProcessEnv, name: string, low: number, high: number): number | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  throw new InputError(
    name,
    "The environment variable is not a whole number in its range.",
    `Set it to a whole number from ${low} to ${high}, or unset it.`,
  );
}
