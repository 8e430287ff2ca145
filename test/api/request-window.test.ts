import assert from "node:assert/strict";
import { marginMs, RequestLog, roomAt } from "../../provider/src/api/request-window";

const logOf = (...times: readonly number[]) => {
  const log = new RequestLog();
  for (const time of times) log.add(time);
  return log;
};

describe("the window of past requests", () => {
  it("adds a hundredth to a time of the service, 20 ms at least and a second at most", () => {
    assert.deepEqual([1, 2000, 5000, 100_000, 300_000].map(marginMs), [20, 20, 50, 1000, 1000]);
  });

  it("counts what was answered after a time, not at it", () => {
    const log = logOf(10, 20, 20, 30);
    assert.deepEqual(
      [5, 10, 15, 20, 29, 30].map((time) => log.countAfter(time)),
      [4, 3, 3, 1, 1, 0],
    );
    assert.deepEqual(
      [1, 2, 4, 5].map((number) => log.fromEnd(number)),
      [30, 20, 10, undefined],
    );
    assert.equal(logOf().countAfter(0), 0);
  });

  it("has room at once below the limit, and at it when the oldest is forgotten", () => {
    const quota = { limit: 3, windowMs: 1000 };
    const keptMs = 1020;
    assert.equal(roomAt(logOf(100, 200), quota, 0, 500), 500);
    assert.equal(roomAt(logOf(100, 200), quota, 1, 500), 100 + keptMs);
    assert.equal(roomAt(logOf(100, 200, 300), quota, 0, 500), 100 + keptMs);
    // One more is under way than fits: two have to be forgotten.
    assert.equal(roomAt(logOf(100, 200, 300), quota, 1, 500), 200 + keptMs);
    assert.equal(roomAt(logOf(100, 200, 300), quota, 2, 500), 300 + keptMs);
  });

  it("waits for an answer when what is under way fills the window alone", () => {
    const quota = { limit: 3, windowMs: 1000 };
    assert.equal(roomAt(logOf(), quota, 3, 500), Number.POSITIVE_INFINITY);
    assert.equal(roomAt(logOf(100, 200, 300), quota, 3, 500), Number.POSITIVE_INFINITY);
    assert.equal(roomAt(logOf(100), quota, 2, 500), 100 + 1020);
  });

  it("keeps a request until its window, and the margin, are over after its answer", () => {
    const quota = { limit: 1, windowMs: 1000 };
    assert.equal(roomAt(logOf(100), quota, 0, 1119), 1120);
    assert.equal(roomAt(logOf(100), quota, 0, 1120), 1120);
    assert.equal(roomAt(logOf(100), quota, 0, 1121), 1121);
  });

  it("forgets nothing that is still asked for", () => {
    const times = Array.from({ length: 1500 }, (_, index) => index);
    const log = logOf(...times);
    log.forgetBefore(1000);
    assert.equal(log.countAfter(1000), 499);
    assert.equal(log.fromEnd(499), 1001);
    assert.equal(log.fromEnd(500), undefined, "older ones are gone");
    log.add(2000);
    assert.equal(log.countAfter(1000), 500);
  });

  it("does so seldom: not while they are few, nor while most of them count", () => {
    const few = logOf(...Array.from({ length: 1000 }, (_, index) => index));
    few.forgetBefore(5000);
    assert.equal(few.fromEnd(1000), 0);
    const most = logOf(...Array.from({ length: 1200 }, (_, index) => index));
    most.forgetBefore(599);
    assert.equal(most.fromEnd(1200), 0);
  });

  it("forgets all of it when nothing counts any more", () => {
    const log = logOf(...Array.from({ length: 1001 }, (_, index) => index));
    log.forgetBefore(5000);
    assert.equal(log.fromEnd(1), undefined);
    assert.equal(log.countAfter(0), 0);
  });
});
