import { InputError } from "../errors/page-guard-error";
import { switchesOn } from "../text/from-outside";
import { documented } from "./rate-limit/rate-headers";

const limitName = "PAGE_GUARD_MAX_REQUESTS_PER_5M";

/**
 * Reads the settings of the API client from the environment: the timeout, the rate limit, and the file that counts requests.
 *
 * @throws InputError if the timeout or the limit is not a whole number in its range.
 */
export function apiSettings(env: NodeJS.ProcessEnv) {
  const maxRequests = whole(env[limitName], limitName, 1, 1_000_000);
  return {
    /** Maximum milliseconds for one attempt, including connecting and reading the response. */
    attemptMs: whole(env["PAGE_GUARD_TIMEOUT_MS"], "PAGE_GUARD_TIMEOUT_MS", 1, 600_000) ?? 30_000,
    /** Maximum number of requests in five minutes, if the user has set one. It applies in addition to the service's limit. */
    maxRequests,
    /** Rate limit that `page-guard fleet` divides among its runs: the user's limit, or else the documented limit. */
    window: { ...documented, ...(maxRequests !== undefined && { limit: maxRequests }) },
    /** File that gets one byte for each request. Set only by `page-guard fleet`, to count the requests of its stacks. */
    requestsFile: env["PAGE_GUARD_REQUESTS_FILE"] || undefined,
  };
}

export type ApiSettings = ReturnType<typeof apiSettings>;

function whole(given: string | undefined, name: string, low: number, high: number): number | undefined {
  const text = given?.trim();
  if (!text) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  const fix = `Set it to a whole number from ${low} to ${high}, or unset it.`;
  throw new InputError(name, "The environment variable does not have a valid value.", fix);
}

/** Whether `PAGE_GUARD_OFFLINE` forbids every request. */
export function isOffline(env: NodeJS.ProcessEnv): boolean {
  return switchesOn(env["PAGE_GUARD_OFFLINE"]);
}
