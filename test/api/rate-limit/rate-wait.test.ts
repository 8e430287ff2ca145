import assert from "node:assert/strict";
import { rateWaitText } from "../../../provider/src/api/rate-limit/rate-wait";

describe("The text about a wait for the rate limit", () => {
  const wait = { remainingMs: 47_200, waitedMs: 0, quota: { limit: 60, windowMs: 10_000 } };
  const rows = [
    [
      { ...wait, reason: "blocked" },
      "Waiting for the rate limit of the service, up to 47 s more: the service has refused requests and will be asked again then (60 requests in 10 s). Nothing is lost.",
    ],
    [
      { ...wait, reason: "shared", waitedMs: 61_000 },
      "Waiting for the rate limit of the service after 61 s, up to 47 s more: the limit is used up, also by other programs of the same user (60 requests in 10 s). Nothing is lost.",
    ],
    [
      { ...wait, reason: "used-up", quota: undefined, remainingMs: 10 },
      "Waiting for the rate limit of the service, up to 1 s more: the limit is used up. Nothing is lost.",
    ],
  ] as const;
  for (const [given, text] of rows)
    it(`says why: ${given.reason}`, () => assert.equal(rateWaitText(given), text));
});
