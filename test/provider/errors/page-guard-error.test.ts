import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { RateLimitedError } from "../../../provider/src/errors/api-error";
import { NetworkError } from "../../../provider/src/errors/network-error";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";

const folder = join(__dirname, "../../../provider/src/errors");

describe("errors", () => {
  it("have a code of their own each, never the same twice", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
    const codes = files.flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/readonly code = "(PG_[A-Z_]+)"/g)].map(
        ([, code]) => code,
      ),
    );
    assert.ok(codes.length >= 16);
    assert.equal(new Set(codes).size, codes.length);
  });

  it("say what, why and what to do, where it happened, and keep the facts for a program", () => {
    const facts = { operation: "get the settings", zoneId: "z1", httpStatus: 429, requestId: "r1" };
    const error = new RateLimitedError(
      { ...facts, apiCode: 10100, outcome: "refused", reading: true },
      { retryAfterSeconds: 299.5, patienceSeconds: 600 },
      "slow down",
    );
    assert.ok(error instanceof PageGuardError);
    assert.equal(error.name, "RateLimitedError");
    assert.equal(error.retryAfterSeconds, 299.5);
    assert.deepEqual(error.facts, { ...facts, apiCode: 10100 });
    assert.match(error.message, /300 s.*slow down.*\(zone z1, HTTP 429, API code 10100, request r1\)$/);
  });

  it("are printed once when uncaught: not again in parts", () => {
    const printed = inspect(
      new NetworkError(
        { outcome: "unsent" },
        { reason: "ECONNREFUSED", host: "shop", attempts: 1, viaProxy: false },
      ),
    );
    assert.equal(printed.split("No service listens there").length, 2, printed);
    assert.match(printed, /code: 'PG_NETWORK'/);
  });

  it("only speak of an unknown effect when there may be one", () => {
    const fault = { reason: "ECONNRESET", host: "h", attempts: 1, viaProxy: false };
    assert.match(new NetworkError({ outcome: "unknown" }, fault).message, /not known whether/);
    assert.match(new NetworkError({ outcome: "unsent" }, fault).message, /was not sent/);
    assert.doesNotMatch(
      new NetworkError({ outcome: "unknown", reading: true }, fault).message,
      /not known whether/,
    );
  });
});
