import assert from "node:assert/strict";
import { rateHeaders } from "../../../../provider/src/api/rate-limit/rate-headers";

const now = Date.parse("2026-03-01T00:00:00.400Z");

const [soon, before] = ["Sun, 01 Mar 2026 00:00:30 GMT", "Sat, 28 Feb 2026 00:00:00 GMT"];
const quota = (limit: number, windowMs: number) => ({ limit, windowMs });

describe("Rate-limit headers of a response:", () => {
  const rows: readonly [string, Record<string, string>, object][] = [
    ["nothing", {}, { quotas: [] }],
    [
      "the service's own format",
      { ratelimit: '"default";r=50;pk=:x:;t=30', "ratelimit-policy": '"burst"; q=100;qu="a"; w=60' },
      { quotas: [quota(100, 60_000)], remaining: 50, resetMs: 30_000 },
    ],
    [
      "several items give all quotas and the lowest remaining count",
      { ratelimit: '"a";r=5;t=9, "b";r=0;t=2', "ratelimit-policy": '"a";q=60;w=10, "b, c";q=20;w=2' },
      { quotas: [quota(60, 10_000), quota(20, 2000)], remaining: 0, resetMs: 2000 },
    ],
    ["a count without a reset", { ratelimit: '"a";r=5' }, { quotas: [], remaining: 5 }],
    [
      "a reset after the end of any window",
      { ratelimit: '"a";r=0;t=999999999' },
      { quotas: [], remaining: 0 },
    ],
    ["unreadable values", { ratelimit: '"a";r=-1;t=x', "ratelimit-policy": '"a";q=0;w=0' }, { quotas: [] }],
    ["retry-after in seconds", { "retry-after": "17" }, { quotas: [], retryAfterMs: 17_000 }],
    ["retry-after as a date", { "retry-after": soon }, { quotas: [], retryAfterMs: 29_600 }],
    ["retry-after as a date that has passed", { "retry-after": before }, { quotas: [], retryAfterMs: 0 }],
    ["retry-after without a usable value", { "retry-after": "2030 and later" }, { quotas: [] }],
  ];
  for (const [name, headers, expected] of rows) {
    it(name, () => {
      const said = Object.entries(rateHeaders(headers, now)).filter(([, value]) => value !== undefined);
      assert.deepEqual(Object.fromEntries(said), expected);
    });
  }
});
