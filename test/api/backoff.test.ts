import assert from "node:assert/strict";
import { type BackoffQuestion, backoff } from "../../provider/src/api/http/backoff";

const half = () => 0.5;
const question: BackoffQuestion = {
  attempt: 1,
  cause: "fault",
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
    ["a fresh token gets seconds", { cause: "fresh-token" }, 1500],
    ["Retry-After in full", { retryAfterMs: 300_000 }, 300_250],
    ["Retry-After without jitter", { retryAfterMs: 7000, random: () => 0 }, 7000],
    ["Retry-After beyond the patience: given up", { retryAfterMs: 600_000 }, undefined],
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
        const wait = backoff({ ...question, retryAfterMs: seconds * 1000, random });
        assert.ok(wait !== undefined && wait >= seconds * 1000);
      }
    }
  });
});
