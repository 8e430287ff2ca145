import assert from "node:assert/strict";
import { rateWaitText } from "../../../provider/src/api/rate-limit/rate-wait";

describe("The text about a wait for the rate limit", () => {
  const wait = { remainingMs: 47_200, waitedMs: 0, quota: { limit: 60, windowMs: 10_000 } };
  const rows = [
    [{ ...wait, reason: "blocked" }, / up to 47 s more: .* refused .*\(60 requests in 10 s\)/],
    [
      { ...wait, reason: "shared", waitedMs: 61_000 },
      / after 61 s, up to 47 s more: .* other programs .*\(60 requests in 10 s\)/,
    ],
    [
      { ...wait, reason: "used-up", quota: undefined, remainingMs: 10 },
      / up to 1 s more: [^(]* used up\.[^(]*$/,
    ],
  ] as const;
  for (const [given, facts] of rows) {
    it(`says why: ${given.reason}`, () => {
      const text = rateWaitText(given);
      assert.match(text, facts);
    });
  }
});
