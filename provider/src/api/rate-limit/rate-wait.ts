import type { Quota } from "./rate-headers";

const reasons = {
  blocked: "the service has refused requests and will be asked again then",
  "used-up": "the limit is used up",
  shared: "the limit is used up, also by other programs of the same user",
};

/** A wait for the rate limit that is worth a message; `quota` where the limit is known. */
export interface RateWait {
  readonly remainingMs: number;
  readonly waitedMs: number;
  readonly reason: keyof typeof reasons;
  readonly quota: Quota | undefined;
}

/** How long and why, in one line. */
export function rateWaitText({ remainingMs, waitedMs, reason, quota }: RateWait): string {
  const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`;
  const waited = waitedMs < 1000 ? "" : ` after ${seconds(waitedMs)}`;
  const limit = quota ? ` (${quota.limit} requests in ${seconds(quota.windowMs)})` : "";
  const wait = `Waiting for the rate limit of the service${waited}, up to ${seconds(remainingMs)} more`;
  return `${wait}: ${reasons[reason]}${limit}. Nothing is lost.`;
}
