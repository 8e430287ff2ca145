import assert from "node:assert/strict";
import {
  type Failure,
  isRetryable,
  isThrottled,
  type RetryQuestion,
} from "../../provider/src/api/http/is-retryable";

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

  const fresh: [RetryQuestion["method"], boolean, boolean][] = [
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
