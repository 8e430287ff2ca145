import assert from "node:assert/strict";
import { marginMs, RequestLog } from "../../../provider/src/api/rate-limit/request-log";

const quota = { limit: 3, windowMs: 1000 };

/** A log of requests that were answered at these times, with so many under way. */
function log(endedAt: readonly number[], inFlight = 0): RequestLog {
  const made = new RequestLog();
  made.inFlight = endedAt.length + inFlight;
  for (const at of endedAt) made.end(at);
  return made;
}

describe("The log of our own requests", () => {
  it("has room for one more at once where the limit is not reached", () => {
    assert.equal(log([]).roomAt(quota, 50), 50);
    assert.equal(log([10, 20]).roomAt(quota, 50), 50);
    assert.equal(log([10], 1).roomAt(quota, 50), 50);
  });

  it("has room again a window and a little after the oldest answer that counts", () => {
    assert.equal(log([10, 20, 30]).roomAt(quota, 50), 1030);
    assert.equal(log([10, 20, 30, 40]).roomAt(quota, 50), 1040);
    assert.equal(log([10, 20], 1).roomAt(quota, 50), 1030, "one under way may be counted any time");
    assert.equal(log([10, 20, 30]).roomAt(quota, 2000), 2000);
  });

  it("waits for an answer where all that fit are under way", () => {
    assert.equal(log([], 3).roomAt(quota, 50), Infinity);
    assert.equal(log([10], 4).roomAt(quota, 50), Infinity);
  });

  it("adds a hundredth to a window, from 20 ms to a second", () => {
    assert.deepEqual([100, 2000, 10_000, 300_000].map(marginMs), [20, 20, 100, 1000]);
  });

  it("keeps the last million", () => {
    const long = new RequestLog();
    for (let at = 1; at <= 2_000_000; at += 1) long.end(at);
    assert.equal(long.latest(1), 2_000_000);
    assert.equal(long.latest(1_000_000), 1_000_001);
    assert.equal(long.latest(1_000_001), undefined);
  });
});
