import assert from "node:assert/strict";
import { backoff, type Failure, isRetryable, isThrottled } from "../../../provider/src/api/http/retry";

const answer = (status: number, apiCode?: number): Failure => ({ kind: "answer", status, apiCode });
const broken: Failure = { kind: "network", certain: false };
const certain: Failure = { kind: "network", certain: true };
const timeout: Failure = { kind: "timeout" };
const everyFailure = [
  broken,
  certain,
  timeout,
  answer(429),
  answer(500),
  answer(503),
  answer(400),
  answer(403, 10000),
];

describe("isRetryable", () => {
  it("what may be repeated after 429 alone is not repeated after anything else, whatever its method", () => {
    for (const method of ["GET", "PUT", "POST", "DELETE"] as const) {
      for (const failure of everyFailure) {
        const is429 = failure.kind === "answer" && failure.status === 429;
        const question = { method, repeat: "refused-429", failure, tokenMayBeFresh: true } as const;
        assert.equal(isRetryable(question), is429, `${method} ${JSON.stringify(failure)}`);
      }
    }
  });

  const reads: [string, Failure, boolean][] = [
    ["a broken connection", broken, true],
    ["a wrong certificate", certain, false],
    ["no answer in time", timeout, true],
    ["429", answer(429), true],
    ["code 10100 with 400", answer(400, 10100), true],
    ["code 971 with 403", answer(403, 971), true],
    ["408", answer(408), true],
    ["500", answer(500), true],
    ["502", answer(502), true],
    ["503", answer(503), true],
    ["504", answer(504), true],
    ["520, as a gateway makes it up", answer(520), true],
    ["501", answer(501), false],
    ["505", answer(505), false],
    ["400", answer(400), false],
    ["401", answer(401), false],
    ["403", answer(403), false],
    ["404", answer(404, 10003), false],
    ["409", answer(409), false],
    ["success: false with 200", answer(200, 1004), false],
  ];
  for (const method of ["GET", "PUT", "DELETE"] as const) {
    for (const [name, failure, expected] of reads) {
      it(`${method} after ${name}: ${expected ? "again" : "never again"}`, () => {
        assert.equal(isRetryable({ method, repeat: "freely", failure, tokenMayBeFresh: true }), expected);
      });
    }
  }

  it("sends a POST again after a whole answer 429, which proves that nothing was done, and after nothing else", () => {
    for (const failure of everyFailure) {
      const expected = failure.kind === "answer" && failure.status === 429;
      for (const repeat of ["freely", "refused-429"] as const) {
        assert.equal(isRetryable({ method: "POST", repeat, failure, tokenMayBeFresh: true }), expected);
      }
    }
    const coded = answer(400, 10100);
    assert.equal(
      isRetryable({ method: "POST", repeat: "refused-429", failure: coded, tokenMayBeFresh: true }),
      false,
    );
  });

  it("never sends again what may not be, such as the migration: not even after 429", () => {
    for (const failure of everyFailure) {
      for (const method of ["PUT", "POST"] as const) {
        assert.equal(isRetryable({ method, repeat: "never", failure, tokenMayBeFresh: true }), false);
      }
    }
  });

  const fresh: [Parameters<typeof isRetryable>[0]["method"], boolean, boolean][] = [
    ["GET", true, true],
    ["GET", false, false],
    ["PUT", true, false],
    ["DELETE", true, false],
  ];
  for (const [method, tokenMayBeFresh, expected] of fresh) {
    it(`${method} after code 10000 with a ${tokenMayBeFresh ? "possibly fresh" : "known"} token: ${expected}`, () => {
      const failure = answer(403, 10000);
      assert.equal(isRetryable({ method, repeat: "freely", failure, tokenMayBeFresh }), expected);
    });
  }
});

describe("isThrottled", () => {
  const answers: readonly [number, number | undefined, boolean][] = [
    [429, undefined, true],
    [429, 1, true],
    [400, 10100, true],
    [499, 971, true],
    [400, undefined, false],
    [400, 1, false],
    [399, 971, false],
    [500, 971, false],
    [500, undefined, false],
  ];
  for (const [status, code, expected] of answers) {
    it(`${status} with code ${code}: ${expected}`, () => assert.equal(isThrottled(status, code), expected));
  }
});

const half = () => 0.5;
const question: Parameters<typeof backoff>[0] = {
  attempt: 1,
  cause: "fault",
  remainingMs: 600_000,
  random: half,
};

describe("backoff", () => {
  const rows: [string, Partial<Parameters<typeof backoff>[0]>, number | undefined][] = [
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
