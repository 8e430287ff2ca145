import assert from "node:assert/strict";
import type { ResolvedConnection } from "../../provider/src/api/client-types";
import type { ApiRequest } from "../../provider/src/api/http/attempt";
import { refusalToError, transportToError } from "../../provider/src/api/http/failure-to-error";
import type { Send } from "../../provider/src/api/http/send-request";
import type { ResultInfo } from "../../provider/src/api/wire/envelope";
import { pageGuardOperations } from "../../provider/src/api/wire/page-guard-operations";
import { pathId } from "../../provider/src/api/wire/requests";
import { wafOperations } from "../../provider/src/api/wire/waf-operations";
import { wafStatusSchema } from "../../provider/src/api/wire/waf-schema";
import type { ApiErrorFacts } from "../../provider/src/errors/api-error";
import { InputError } from "../../provider/src/errors/input-error";
import { ItemGoneError } from "../../provider/src/errors/item-gone-error";
import { NotFoundError } from "../../provider/src/errors/not-found-error";
import { RateLimitedError } from "../../provider/src/errors/rate-limited-error";
import { RequestRefusedError } from "../../provider/src/errors/request-refused-error";
import { ServiceError } from "../../provider/src/errors/service-error";
import { TOKEN, ZONE } from "./scripted-server";

const facts: ApiErrorFacts = { operation: "read", zoneId: ZONE, outcome: "refused" };
const connection: ResolvedConnection = {
  baseUrl: "https://api.example/v4",
  token: TOKEN,
  service: "page_guard",
};

/** A service that says one thing after the other, the last one for ever. */
function saying(...answers: readonly (Error | { result: unknown; info?: ResultInfo })[]) {
  const asked: ApiRequest[] = [];
  const send: Send = async (request) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(request);
    if (answer === undefined || answer instanceof Error) throw answer;
    return { result: answer.result, info: answer.info, facts };
  };
  return { asked, send };
}

describe("URI overrides of the previous WAF", () => {
  const page = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ id: `o${from + index}`, urls: [] }));
  const rows: readonly [string, readonly { result: unknown; info?: ResultInfo }[], number, number][] = [
    ["a page that is not full ends the list", [{ result: page(50) }, { result: page(10, 50) }], 60, 2],
    ["a full one does not", [{ result: page(50) }, { result: page(50, 50) }, { result: [] }], 100, 3],
    ["one that is not full is the only one", [{ result: page(49) }], 49, 1],
    [
      "the service's own size of a page counts",
      [
        { result: page(20), info: { perPage: 20 } },
        { result: page(3, 20), info: { perPage: 20 } },
      ],
      23,
      2,
    ],
    [
      "the service's own number of pages counts, however full they are",
      [
        { result: page(5), info: { totalPages: 3 } },
        { result: page(5, 5), info: { totalPages: 3 } },
        { result: page(5, 10), info: { totalPages: 3 } },
        { result: page(5, 15), info: { totalPages: 3 } },
      ],
      15,
      3,
    ],
    [
      "an empty page ends it",
      [
        { result: page(5), info: { totalPages: 9 } },
        { result: [], info: { totalPages: 9 } },
      ],
      5,
      2,
    ],
    ["nothing is counted twice", [{ result: page(50) }, { result: page(10, 45) }], 55, 2],
    ["a list without end is given up", [{ result: page(50) }], 50, 200],
  ];
  for (const [what, answers, count, requests] of rows) {
    it(what, async () => {
      const { asked, send } = saying(...answers);
      assert.equal((await wafOperations(send, connection).listUriOverrides(ZONE)).length, count);
      assert.equal(asked.length, requests);
      assert.match(asked.at(-1)?.path ?? "", new RegExp(`\\?page=${requests}&per_page=50$`));
    });
  }

  it("are none where the service does not show them, and unknown where it fails", async () => {
    const overrides = (error: Error) => wafOperations(saying(error).send, connection).listUriOverrides(ZONE);
    for (const httpStatus of [404, 410]) {
      assert.deepEqual(await overrides(new NotFoundError({ ...facts, httpStatus })), []);
      assert.deepEqual(await overrides(new ServiceError({ ...facts, httpStatus }, 1)), []);
    }
    for (const error of [
      new NotFoundError({ ...facts, httpStatus: 404, apiCode: 7003 }),
      new NotFoundError({ ...facts, httpStatus: 400, apiCode: 7003 }),
      new RequestRefusedError({ ...facts, httpStatus: 405 }),
      new RequestRefusedError({ ...facts, httpStatus: 400, apiCode: 7000 }),
      new RequestRefusedError({ ...facts, httpStatus: 403 }),
      new ServiceError({ ...facts, httpStatus: 501 }, 1),
    ]) {
      assert.deepEqual(await overrides(error), []);
    }
    for (const error of [
      new ServiceError({ ...facts, httpStatus: 500 }, 1),
      new ServiceError({ ...facts, httpStatus: 408 }, 1),
      new ServiceError(facts, 1),
      new RateLimitedError({ ...facts, httpStatus: 429 }, { retryAfterSeconds: 1, patienceSeconds: 1 }),
      new InputError("zoneId", "no"),
    ]) {
      await assert.rejects(overrides(error), error);
    }
    const later = saying({ result: page(50) }, new NotFoundError({ ...facts, httpStatus: 404 }));
    assert.equal((await wafOperations(later.send, connection).listUriOverrides(ZONE)).length, 50);
  });
});

describe("The entry point", () => {
  const read = (error: Error) => wafOperations(saying(error).send, connection).getEntrypoint(ZONE);

  it("is nothing where none was ever made, and a failure where the zone is not known", async () => {
    assert.equal(await read(new NotFoundError({ ...facts, httpStatus: 404, apiCode: 10003 })), undefined);
    assert.equal(await read(new NotFoundError({ ...facts, httpStatus: 404 })), undefined);
    assert.equal(await read(new RequestRefusedError({ ...facts, apiCode: 10003 })), undefined);
    for (const error of [
      new NotFoundError({ ...facts, apiCode: 7003 }),
      new NotFoundError({ ...facts, httpStatus: 404, apiCode: 7000 }),
      new RequestRefusedError({ ...facts, apiCode: 10004 }),
      new RequestRefusedError(facts),
      new ServiceError({ ...facts, apiCode: 10003 }, 1),
    ]) {
      await assert.rejects(read(error), error);
    }
  });

  for (const [mode, operation] of [
    ["validation", "start the WAF validation"],
    ["pending", "finish the WAF migration"],
  ] as const) {
    it(`${mode}: the migration is named for what it does, and sent at most once`, async () => {
      const { asked, send } = saying({ result: "accepted" });
      const body = { name: "n", rules: [] };
      assert.equal(await wafOperations(send, connection).migrate(ZONE, mode, body), undefined);
      const [request] = asked;
      assert.deepEqual([request?.operation, request?.repeat, request?.method], [operation, "never", "PUT"]);
      assert.match(request?.path ?? "", new RegExp(`\\?waf_migration=${mode}&phase_two=1$`));
    });
  }
});

describe("What the status of the WAF hints at", () => {
  const rows: readonly [object, boolean | undefined, boolean | undefined][] = [
    [{}, undefined, undefined],
    [{ old_waf_status: "off", new_waf_status: "on" }, false, true],
    [{ old_waf_status: " Disabled ", new_waf_status: "ACTIVE" }, false, true],
    [{ old_waf_status: false, new_waf_status: true }, false, true],
    [{ old_waf_status: "off soon", new_waf_status: "not on" }, undefined, undefined],
    [{ old_waf_status: "cutoff", new_waf_status: "only" }, undefined, undefined],
    [{ old_waf_status: 1, new_waf_status: null }, undefined, undefined],
    // The exact names count for more than others.
    [{ old_waf_status: "off", old_enabled: true }, false, undefined],
    [{ old: "stopped", new: { enabled: true } }, false, true],
    [{ waf_old: "none", state_of_new: "running" }, false, true],
    [{ old_waf: { Status: "inactive" }, new_waf: { active: "deployed" } }, false, true],
    [{ old_waf: { details: { status: "on" } }, new_waf: { status: { active: true } } }, undefined, undefined],
    [{ old_waf: { substatus: "on" }, new_waf: { status_text: "on" } }, undefined, undefined],
    [{ old_waf: { rules: 5, status: "off" } }, false, undefined],
    // Two that contradict each other tell nothing; two that agree do, and one that says nothing counts for nothing.
    [{ old_waf: "on", old_state: "off" }, undefined, undefined],
    [{ old_waf: "on", old_state: "on", old_status: "?" }, true, undefined],
    [{ gold_status: "on", newest_status: "on" }, undefined, undefined],
  ];
  for (const [record, oldEnabled, newEnabled] of rows) {
    it(JSON.stringify(record), () => {
      const read = wafStatusSchema.parse(record);
      assert.deepEqual([read.oldEnabled, read.newEnabled], [oldEnabled, newEnabled]);
      assert.deepEqual(read.record, record);
    });
  }

  it("is how far the migration is, where it says so in a word", () => {
    const stateOf = (record: object) => wafStatusSchema.parse(record).migrationState;
    assert.equal(stateOf({ migration_state: "a", migration_mode: "b", mode: "c" }), "a");
    assert.equal(stateOf({ migration_mode: "b", mode: "c" }), "b");
    assert.equal(stateOf({ mode: "c" }), "c");
    assert.equal(stateOf({ mode: 3 }), undefined);
  });
});

describe("Changes of the settings", () => {
  const answered = {
    result: {
      enabled: true,
      updated_at: "2026-01-01T00:00:00Z",
      use_vendor_reporting_endpoint: true,
      use_connection_url_path: true,
    },
  };
  const sent = async (change: object, service: "page_guard" | "page_shield" = "page_guard") => {
    const { asked, send } = saying(answered);
    await pageGuardOperations(send, { ...connection, service }).updateSettings(ZONE, change);
    assert.equal(asked.length, 1, "what was answered is whole");
    return asked[0]?.body;
  };

  it("hold what is to change and nothing else, in the words of the service", async () => {
    assert.deepEqual(await sent({ enabled: false }), { enabled: false });
    assert.deepEqual(await sent({ useConnectionUrlPath: true }), { use_connection_url_path: true });
    assert.deepEqual(await sent({ useVendorReportingEndpoint: false }), {
      use_vendor_reporting_endpoint: false,
    });
    assert.deepEqual(await sent({ useVendorReportingEndpoint: false }, "page_shield"), {
      use_cloudflare_reporting_endpoint: false,
    });
    assert.deepEqual(await sent({}), {});
  });
});

describe("An item requested by its id", () => {
  const gone = (error: Error) =>
    pageGuardOperations(saying(error).send, connection).getItem("scripts", ZONE, "s1");

  it("is gone where the service says so, with what is known of the request; a route that does not exist is none that is gone", async () => {
    await assert.rejects(gone(new NotFoundError({ ...facts, httpStatus: 404 })), (error) => {
      assert.ok(error instanceof ItemGoneError);
      assert.equal(error.facts.httpStatus, 404);
      assert.equal(error.outcome, "refused");
      return true;
    });
    const malformed = new NotFoundError({ ...facts, apiCode: 7003 });
    await assert.rejects(gone(malformed), malformed);
    const failed = new ServiceError(facts, 4);
    await assert.rejects(gone(failed), failed);
  });

  it("has an id that is one step of a path, or is refused with what came, shortened", () => {
    assert.equal(pathId("a-B_9", "id"), "a-B_9");
    assert.equal(pathId("a".repeat(128), "id").length, 128);
    assert.throws(() => pathId("", "zoneId"), /zoneId is empty/);
    for (const id of ["..", "a/b", "a%2e", "a".repeat(129), "a b"]) {
      assert.throws(
        () => pathId(id, "id"),
        (error) => {
          assert.ok(error instanceof InputError);
          assert.match(error.message, /id cannot be an id: "/);
          assert.ok(error.message.length < 260, error.message);
          return true;
        },
      );
    }
  });
});

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
