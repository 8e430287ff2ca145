import assert from "node:assert/strict";
import { type BackoffQuestion, backoff } from "../../provider/src/api/backoff";
import { rateHeaders, retryAfterSeconds } from "../../provider/src/api/retry-after";

const half = () => 0.5;
const question: BackoffQuestion = {
  attempt: 1,
  cause: "fault",
  windowMs: 300_000,
  remainingMs: 600_000,
  random: half,
};

describe("backoff", () => {
  const rows: [string, Partial<BackoffQuestion>, number | undefined][] = [
    ["doubles after faults: 1st", { attempt: 1 }, 250],
    ["doubles after faults: 2nd", { attempt: 2 }, 500],
    ["doubles after faults: 3rd", { attempt: 3 }, 1000],
    ["is capped", { attempt: 30 }, 10_000],
    ["full jitter goes down to nothing", { attempt: 3, random: () => 0 }, 0],
    ["429 without a word: short", { cause: "throttled", attempt: 1 }, 1500],
    ["429 without a word, again: longer", { cause: "throttled", attempt: 2 }, 22_500],
    ["429 without a word, for the third time: the whole window", { cause: "throttled", attempt: 3 }, 300_000],
    ["a fresh token gets seconds", { cause: "fresh-token" }, 1500],
    ["Retry-After in full", { cause: "throttled", retryAfterSeconds: 300 }, 300_250],
    ["Retry-After after a 503 as well", { retryAfterSeconds: 7, random: () => 0 }, 7000],
    ["Retry-After beyond the patience: given up", { retryAfterSeconds: 600 }, undefined],
    ["no time left: given up", { attempt: 3, remainingMs: 900 }, undefined],
  ];
  for (const [name, part, expected] of rows) {
    it(name, () => {
      const wait = backoff({ ...question, ...part });
      assert.equal(wait === undefined ? wait : Math.round(wait), expected);
    });
  }

  it("never comes back before Retry-After is over", () => {
    for (let seconds = 0; seconds < 590; seconds += 7) {
      for (const random of [() => 0, () => 0.999]) {
        const wait = backoff({ ...question, retryAfterSeconds: seconds, random });
        assert.ok(wait !== undefined && wait >= seconds * 1000);
      }
    }
  });
});

describe("retry-after and x-ratelimit headers", () => {
  const now = Date.parse("2026-03-01T00:00:00Z");
  const rows: [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["0", 0],
    ["17", 17],
    ["1.5", 1.5],
    ["-3", undefined],
    ["Sun, 01 Mar 2026 00:00:30 GMT", 30],
    ["Sat, 28 Feb 2026 00:00:00 GMT", 0],
  ];
  for (const [text, expected] of rows) {
    it(`retry-after: ${text}`, () => {
      const seconds = retryAfterSeconds({ "retry-after": text }, now);
      // A negative number reads as a date to some parsers: in the past at worst.
      if (text === "-3") assert.ok(seconds === undefined || seconds === 0);
      else assert.equal(seconds, expected);
    });
  }

  it("reads the reset as seconds from now, or as a point in time", () => {
    const reset = (value: string) => rateHeaders({ "x-ratelimit-reset": value }, now).resetMs;
    assert.equal(reset("12"), 12_000);
    assert.equal(reset(String(now / 1000 + 12)), 12_000);
    assert.equal(reset(String(now + 12_000)), 12_000);
  });

  it("takes what is there and leaves out what is not", () => {
    assert.deepEqual(rateHeaders({ "x-ratelimit-remaining": "3" }, now), { remaining: 3 });
    assert.deepEqual(rateHeaders({ "x-ratelimit-limit": "lots", "x-ratelimit-remaining": "" }, now), {});
  });
});
