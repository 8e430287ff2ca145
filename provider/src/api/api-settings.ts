import { InputError } from "../errors/input-error";

/**
 * What the environment says about pace and patience.
 *
 * @throws InputError when a variable is not a whole number in its range.
 */
export function apiSettings(env: NodeJS.ProcessEnv) {
  return {
    /** For one attempt, connecting and reading the answer included. */
    attemptMs: whole(env, "PAGE_GUARD_TIMEOUT_MS", 1, 600_000) ?? 30_000,
    /** The user's own limit within five minutes, beside the service's. Default: none. */
    maxRequests: whole(env, "PAGE_GUARD_MAX_REQUESTS_PER_5M", 1, 1_000_000),
    /** The socket of the process that keeps one budget for several processes. */
    budget: env["PAGE_GUARD_BUDGET"]?.trim() || undefined,
  };
}

export type ApiSettings = ReturnType<typeof apiSettings>;

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
