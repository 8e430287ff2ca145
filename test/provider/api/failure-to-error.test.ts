import assert from "node:assert/strict";
import { refusalToError, transportToError } from "../../../provider/src/api/http/failure-to-error";
import { facts } from "./saying";
import { TOKEN } from "./scripted-server";

describe("What a refusal means", () => {
  const given = {
    ...{ facts, token: TOKEN, tokenSource: "CI_TOKEN", host: "api.example" },
    ...{ attempts: 2, attemptMs: 30_000, patienceMs: 600_000, retryAfterSeconds: 700 },
  };
  const codeOf = (status: number, more: object = {}) =>
    refusalToError({ kind: "refusal", status, enveloped: true, ...more }, given).code;
  const rows: readonly [number, object, string][] = [
    [408, {}, "PG_SERVICE"],
    [500, { message: "waf enrollment is required" }, "PG_SERVICE"],
    [404, {}, "PG_NOT_FOUND"],
    [410, {}, "PG_NOT_FOUND"],
    [404, { enveloped: false }, "PG_UNEXPECTED_ANSWER"],
    [410, { enveloped: false }, "PG_UNEXPECTED_ANSWER"],
    [400, { enveloped: false }, "PG_REFUSED"],
    [403, { enveloped: false }, "PG_AUTHENTICATION"],
    [400, { apiCode: 7003 }, "PG_NOT_FOUND"],
    [400, { apiCode: 7000 }, "PG_NOT_FOUND"],
    [400, { message: "rules: 12 out of 0" }, "PG_NOT_ENTITLED"],
    [400, { message: "rules: 1 out of 0" }, "PG_NOT_ENTITLED"],
    [400, { message: "rules: 12 out of 05" }, "PG_REFUSED"],
    [409, {}, "PG_REFUSED"],
  ];
  for (const [status, more, code] of rows) {
    it(`${status} ${JSON.stringify(more)}: ${code}`, () => assert.equal(codeOf(status, more), code));
  }

  it("says how long was waited for the rate limit, and how long it would take", () => {
    const { message } = refusalToError({ kind: "refusal", status: 429, enveloped: true }, given);
    assert.match(message, /700 s/);
    assert.match(message, /600 s|10 min/);
  });

  it("of a connection that breaks off, of an answer without end and of a silence", () => {
    const of = (reason: string) => transportToError({ reason, sent: true, viaProxy: false }, given).code;
    assert.deepEqual(["TRUNCATED", "TOO_LARGE", "TIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "ECONNRESET"].map(of), [
      "PG_UNEXPECTED_ANSWER",
      "PG_UNEXPECTED_ANSWER",
      "PG_TIMEOUT",
      "PG_TIMEOUT",
      "PG_NETWORK",
    ]);
  });
});
