import assert from "node:assert/strict";
import { inspect } from "node:util";
import { refusedRequest, unansweredRequest } from "../../../provider/src/errors/api-error";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";

const fault = { reason: "ECONNRESET", host: "h", attempts: 1, attemptMs: 1000, viaProxy: false };

describe("errors", () => {
  it("say what, why and what to do, where it happened, and keep the facts for a program", () => {
    const facts = { operation: "get the settings", zoneId: "z1", httpStatus: 429, requestId: "r1" };
    const given = { retryAfterMs: 299_500, patienceMs: 600_000, message: "slow down" };
    const all = { ...facts, apiCode: 10100, outcome: "refused", reading: true } as const;
    const error = refusedRequest("PG_RATE_LIMITED", all, given);
    assert.ok(error instanceof PageGuardError);
    assert.deepEqual(error.facts, { ...facts, apiCode: 10100 });
    assert.match(error.message, /300 s.*slow down.*\(zone z1, HTTP 429, API code 10100, request r1\)$/);
  });

  it("are printed once when uncaught: not again in parts", () => {
    const printed = inspect(unansweredRequest({ outcome: "unsent" }, { ...fault, reason: "ECONNREFUSED" }));
    assert.equal(printed.split("No service listens there").length, 2, printed);
    assert.match(printed, /code: 'PG_NETWORK'/);
  });
});
