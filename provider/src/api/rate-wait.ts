import type { Quota } from "./rate-headers";

/** A wait for the rate limit that is worth a word. */
export interface RateWait {
  /** Milliseconds that the request has to wait from now on, as far as is known. */
  readonly remainingMs: number;
  /** Milliseconds that it has waited. */
  readonly waitedMs: number;
  /** `blocked`: the service refused requests; `used-up`: by this process; `shared`: by others of the same user too. */
  readonly reason: "blocked" | "used-up" | "shared";
  /** The limit as far as it is known. */
  readonly quota: Quota;
}

const reasons: Readonly<Record<RateWait["reason"], string>> = {
  blocked: "the service has refused requests and is asked again then",
  "used-up": "what it allows is used up",
  shared: "what it allows is used up, by other programs of the same user as well",
};

/** How long and why, in one line. */
export function rateWaitText({ remainingMs, waitedMs, reason, quota }: RateWait): string {
  const waited = waitedMs < 1000 ? "" : ` after ${seconds(waitedMs)}`;
  return (
    `Waiting for the rate limit of the service${waited}, up to ${seconds(remainingMs)} more: ${reasons[reason]} ` +
    `(${quota.limit} requests in ${seconds(quota.windowMs)}). Nothing is lost.`
  );
}

function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))} s`;
}
