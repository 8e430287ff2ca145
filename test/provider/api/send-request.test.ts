import assert from "node:assert/strict";
import { sleep } from "../../../provider/src/api/clock";
import type { ApiRequest } from "../../../provider/src/api/http/attempt";
import { createSend } from "../../../provider/src/api/http/send-request";
import type { AnswerHeaders, TransportResult } from "../../../provider/src/api/http/transport";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import { ApiError, isApiError } from "../../../provider/src/errors/api-error";
import { FakeClock } from "../virtual-time/fake-clock";
import { TOKEN, ZONE } from "./scripted-server";

const read: ApiRequest = { operation: "read", zoneId: ZONE, method: "GET", path: "x", repeat: "freely" };

function answer(status: number, body: object, headers: AnswerHeaders = {}): TransportResult {
  return { answer: { status, headers, body: JSON.stringify(body) } };
}
const ok = answer(200, { success: true, result: 1 });
const refused = (status: number, code: number, headers: AnswerHeaders = {}) =>
  answer(status, { success: false, errors: [{ code, message: "no" }] }, headers);
const failing = (reason: string): TransportResult => ({ failure: { reason, sent: true, viaProxy: false } });
const lost = failing("ECONNRESET");

/** Returns a service that gives these answers in turn, and repeats the last one. A fake clock skips all waits. */
function desk(...answers: readonly TransportResult[]) {
  return slowDesk(0, ...answers);
}

/** Like `desk`, but each answer arrives after `latencyMs`. */
function slowDesk(latencyMs: number, ...answers: readonly TransportResult[]) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const times: number[] = [];
  const send = createSend({
    connection: { baseUrl: "https://api.example/v4", token: TOKEN, service: "page_guard" },
    transport: async (_request, signal) => {
      const next = answers[Math.min(times.length, answers.length - 1)];
      times.push(clock.now());
      return latencyMs > 0 && !(await sleep(clock, latencyMs, signal))
        ? failing("ABORTED")
        : (next ?? assert.fail("nothing is to be sent"));
    },
    limiter: new RateLimiter(clock),
    clock,
    random: () => 0.5,
    attemptMs: 30_000,
    signal: controller.signal,
  });
  return {
    times,
    clock,
    controller,
    /** Returns the result or the error of a request, however long it takes. */
    async ended(request: Partial<ApiRequest> = {}): Promise<unknown> {
      let outcome: unknown;
      const sent = send({ ...read, ...request })
        .catch((error: unknown) => ({ result: error }))
        .then(({ result }) => {
          outcome = result;
        });
      await clock.run(5_000_000);
      await sent;
      return outcome;
    },
  };
}

describe("A request that fails", () => {
  it("is attempted four times with growing waits, and its error gives the number of attempts", async () => {
    const { ended, times } = desk(lost);
    const error = await ended();
    assert.ok(error instanceof ApiError && error.code === "PG_NETWORK", String(error));
    assert.match(error.message, /4 attempts/);
    assert.deepEqual(times, [0, 250, 750, 1750]);
    assert.match(String(await desk(refused(503, 5)).ended()), /4 times/);
  });

  it("has an unknown outcome if one attempt got no response and a later one is refused", async () => {
    const { ended } = desk(lost, refused(400, 5));
    const error = await ended({ method: "PUT" });
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.outcome], ["PG_REFUSED", "unknown"]);
  });

  const never = { method: "PUT", repeat: "never" } as const;
  const post = { method: "POST", repeat: "refused-429" } as const;
  type Row = readonly [string, TransportResult, Partial<ApiRequest>, number];
  const row = (what: string | number, result: TransportResult, times: number): Row => [
    `after ${what}`,
    ...([result, {}, times] as const),
  ];
  const rows: readonly Row[] = [
    ["a request that must not be repeated, after a lost response", lost, never, 1],
    ["a request that must not be repeated, after 429", refused(429, 1), never, 1],
    ["a POST after 429", refused(429, 1), post, 2],
    ["a POST after the service's code for the rate limit", refused(400, 10100), post, 1],
    ["a read after the service's code for the rate limit", refused(400, 10100), {}, 2],
    ["a POST after a lost response", lost, { method: "POST" }, 1],
    ...[400, 401, 404, 409, 501, 505].map((status) => row(status, refused(status, 5), 1)),
    ...[408, 500, 502, 503, 504, 520].map((status) => row(status, refused(status, 5), 2)),
    ...["CERT_HAS_EXPIRED", "ERR_SSL_WRONG_VERSION_NUMBER", "PROXY_407", "TOO_LARGE"].map((reason) =>
      row(reason, failing(reason), 1),
    ),
    ...["ECONNREFUSED", "TIMEOUT", "TRUNCATED", "PROXY_502"].map((reason) => row(reason, failing(reason), 2)),
  ];
  for (const [name, given, request, times] of rows) {
    it(`${times === 1 ? "is not sent again" : "is sent again"} (${name})`, async () => {
      const service = desk(given, ok);
      const end = await service.ended(request);
      assert.equal(service.times.length, times);
      assert.equal(end instanceof ApiError, times === 1);
    });
  }
});

describe("A request that the service refuses because of the rate limit", () => {
  it("is sent again after the requested time, which does not count as a fault", async () => {
    const { ended, times } = desk(refused(429, 1, { "retry-after": "20" }), lost, lost, lost, ok);
    assert.equal(await ended(), 1);
    assert.deepEqual(times, [0, 20_200, 20_450, 20_950, 21_950]);
  });

  it("fails if it would have to wait for ten minutes, and its error gives both durations", async () => {
    const { ended, times } = desk(refused(429, 1, { "retry-after": "600" }));
    const error = await ended();
    assert.ok(isApiError(error, "PG_RATE_LIMITED"));
    assert.match(error.message, /after 600 s \(this package waits at most 600 s for a block to end\)/);
    assert.equal(times.length, 1);
  });

  it("fails after ten minutes of waiting in total, however short each wait is", async () => {
    const { ended, times } = desk(refused(429, 1, { "retry-after": "250" }));
    assert.ok(isApiError(await ended(), "PG_RATE_LIMITED"));
    assert.equal(times.length, 3, "two waits of 251 s");
  });

  it("gets a second for its last attempt, however little is left of the ten minutes", async () => {
    const { ended, times } = slowDesk(900, refused(429, 1, { "retry-after": "598" }), ok);
    assert.equal(await ended({ method: "PUT" }), 1);
    assert.deepEqual(times, [0, 599_900]);
  });

  it("fails after ten refusals", async () => {
    const asking = refused(429, 1, { "retry-after": "30", ratelimit: '"a";r=0;t=1' });
    const { ended, times } = desk(asking);
    assert.ok(isApiError(await ended(), "PG_RATE_LIMITED"));
    assert.ok(times.length <= 11, `${times.length} times`);
  });

  it("waits for the reset if there is no retry-after header", async () => {
    const headers = { ratelimit: '"default";r=0;t=40' };
    const { ended, times } = desk(refused(429, 1, headers), ok);
    assert.equal(await ended(), 1);
    assert.equal(times.length, 2);
    assert.ok((times[1] ?? 0) >= 40_000, `${times}`);
  });

  it("makes later requests fail unsent, with the same waiting time in their errors", async () => {
    const { ended } = desk(refused(429, 1, { "retry-after": "4000" }));
    await ended();
    const error = await ended();
    assert.ok(isApiError(error, "PG_RATE_LIMITED"));
    assert.match(error.message, /after 4000 s \(this package waits at most 600 s for a block to end\)/);
    assert.equal(error.outcome, "unsent");
  });
});

describe("A token that may be too new to be known to the service", () => {
  const unknown = refused(403, 10000);

  it("is tried twice more by a read, after waits of more than a second", async () => {
    const { ended, times } = desk(unknown, unknown, ok);
    assert.equal(await ended(), 1);
    assert.deepEqual(times, [0, 1500, 3000]);
  });

  it("is not tried again by later requests after that", async () => {
    const { ended, times } = desk(unknown);
    assert.ok((await ended()) instanceof ApiError);
    assert.equal(times.length, 3);
    assert.ok((await ended()) instanceof ApiError);
    assert.equal(times.length, 4);
  });

  it("is not tried again once the service has accepted it, but is after a refusal for another reason", async () => {
    const accepted = desk(ok, unknown);
    await accepted.ended();
    await accepted.ended();
    assert.equal(accepted.times.length, 2);
    const other = desk(refused(400, 5), unknown, unknown, ok);
    assert.ok((await other.ended()) instanceof ApiError);
    assert.equal(await other.ended(), 1, "the token still counts as new");
  });

  it("is not tried again by a request that changes something", async () => {
    const { ended, times } = desk(unknown);
    assert.ok((await ended({ method: "PUT" })) instanceof ApiError);
    assert.equal(times.length, 1);
  });
});

describe("A request that is aborted", () => {
  it("ends while it waits to be sent again, and reports the outcome of the last attempt", async () => {
    const { ended, times, clock, controller } = desk(lost);
    clock.schedule(100, () => controller.abort());
    const error = await ended({ method: "PUT" });
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.outcome, times.length], ["PG_ABORTED", "unknown", 1]);
  });
});
