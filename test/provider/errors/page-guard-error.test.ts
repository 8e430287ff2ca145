import assert from "node:assert/strict";
import { inspect } from "node:util";
import { refusedRequest, unansweredRequest } from "../../../provider/src/errors/api-error";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";

const fault = { reason: "ECONNRESET", host: "h", attempts: 1, attemptMs: 1000, viaProxy: false };

describe("Errors", () => {
  it("say what failed, why, what to do and where, and have the facts as fields", () => {
    const facts = { operation: "get the settings", zoneId: "z1", httpStatus: 429, requestId: "r1" };
    const given = { retryAfterMs: 299_500, patienceMs: 600_000, message: "slow down" };
    const all = { ...facts, apiCode: 10100, outcome: "refused", reading: true } as const;
    const error = refusedRequest("PG_RATE_LIMITED", all, given);
    assert.ok(error instanceof PageGuardError);
    assert.deepEqual(error.facts, { ...facts, apiCode: 10100 });
    assert.match(error.message, /300 s.*slow down.*\(zone z1, HTTP 429, API code 10100, request r1\)$/);
  });

  it("are printed once if nobody catches them, without repeating their parts", () => {
    const printed = inspect(unansweredRequest({ outcome: "unsent" }, { ...fault, reason: "ECONNREFUSED" }));
    assert.equal(printed.split("No service listens there").length, 2, printed);
    assert.match(printed, /code: 'PG_NETWORK'/);
  });
});
