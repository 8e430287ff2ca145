import assert from "node:assert/strict";
import fc from "fast-check";
import { createClient } from "../../../../provider/src/api/create-client";
import type { Transport } from "../../../../provider/src/api/http/transport";
import { RateLimiter } from "../../../../provider/src/api/rate-limit/rate-limiter";
import type { RateLimitOptions } from "../../../../simulator/src/wire/rate-limit";
import { check } from "../../../support/random-runs";
import { FakeClock } from "../../virtual-time/fake-clock";
import { LimitedService, type LimitedServiceOptions } from "../../virtual-time/limited-service";
import { POLICY } from "../scripted-client";
import { ZONE } from "../scripted-server";

const hour = 3_600_000;
const sixty = { limit: 60, windowMs: 10_000 };
const twenty = { limit: 20, windowMs: 2000 };
const documented = { limit: 1200, windowMs: 300_000 };
const limits = [
  ["60 in 10 s", sixty, 120],
  ["20 in 2 s", twenty, 100],
  ["1,200 in 5 minutes", documented, 1300],
] as const;

const aborted = { failure: { reason: "ABORTED", sent: true, viaProxy: false } };

interface Run {
  readonly limit: RateLimitOptions;
  readonly requests: number;
  readonly way?: LimitedServiceOptions;
  /** Time of the first request on the service's clock. */
  readonly startMs?: number;
  /** Requests of another program of the same user before that, at the start of the service's clock. */
  readonly spent?: number;
}

/** Sends this number of requests at once, with a client that does not know the limit. */
async function send({ limit, requests, way = { wayMs: 10 }, startMs = 0, spent = 0 }: Run) {
  const clock = new FakeClock();
  const service = new LimitedService(clock, limit, way);
  service.limit.spend(spent);
  await clock.advance(startMs);
  const client = service.client();
  let tookMs: number | undefined;
  void Promise.all(Array.from({ length: requests }, () => client.getSettings(ZONE))).then(() => {
    tookMs = clock.now() - startMs;
  });
  await clock.run(24 * hour);
  assert.ok(tookMs !== undefined, "some requests never came back");
  return { service, tookMs };
}

/** Returns the shortest possible time: all requests of the limit at once, then a wait of one window, and so on. */
function atBest({ limit, windowMs }: Pick<RateLimitOptions, "limit" | "windowMs">, requests: number): number {
  return Math.floor((requests - 1) / limit) * windowMs;
}

function mostInFlight({ seen }: LimitedService): number {
  return Math.max(...seen.map(({ inFlight }) => inFlight));
}

describe("A rate limit that only the service knows:", function () {
  this.timeout(60_000);

  for (const [name, quota, requests] of limits) {
    for (const omitHeaders of [[], ["ratelimit"], ["ratelimit-policy"]]) {
      it(`given ${name}, when ${omitHeaders[0] ?? "no header"} is missing, then there is no refusal, no wait of more than a window, and a total time within 20% of the shortest possible`, async () => {
        for (const counting of ["sliding", "fixed"] as const) {
          for (const blockMs of [0, quota.windowMs]) {
            for (const startMs of [0, 730]) {
              const limit = { ...quota, omitHeaders, counting, blockMs };
              const { service, tookMs } = await send({ limit, requests, startMs });
              const what = `${counting}, block of ${blockMs} ms, begun at ${startMs} ms`;
              assert.equal(service.refused, 0, what);
              assert.equal(service.seen.length, requests, what);
              const { longestPauseMs } = service;
              assert.ok(longestPauseMs <= quota.windowMs * 1.02 + 50, `${longestPauseMs}: ${what}`);
              const best = atBest(limit, requests);
              assert.ok(tookMs <= best * 1.2, `${tookMs} ms where ${best} are possible: ${what}`);
            }
          }
        }
      });
    }
  }

  for (const [name, quota, requests] of limits.slice(0, 2)) {
    const windows = Math.floor((requests - 1) / quota.limit);

    it(`given ${name}, when only retry-after reports it, then each window refuses only requests that were in flight, and the client waits for the next window`, async () => {
      for (const blockMs of [0, quota.windowMs]) {
        const { service, tookMs } = await send({ limit: { ...quota, blockMs, headers: [] }, requests });
        assert.ok(service.refused <= windows * mostInFlight(service), `${service.refused} refusals`);
        assert.ok(tookMs <= atBest(quota, requests) * 1.2, `${tookMs}`);
      }
    });

    it(`given ${name}, when nothing reports it, then the client also sends single probes after 5 s and at growing intervals`, async () => {
      const limit: RateLimitOptions = { ...quota, blockMs: quota.windowMs, headers: [], retryAfter: "none" };
      const { service, tookMs } = await send({ limit, requests });
      assert.ok(service.refused <= windows * (mostInFlight(service) + 1), `${service.refused} refusals`);
      const longestMs = windows * (quota === sixty ? 15_500 : 5500);
      assert.ok(tookMs <= longestMs, `${tookMs} ms`);
    });
  }

  it("given the documented limit, when nothing reports it, then the client does not exceed it", async () => {
    const limit: RateLimitOptions = { ...documented, blockMs: 300_000, headers: [], retryAfter: "none" };
    const { service, tookMs } = await send({ limit, requests: 1300 });
    assert.equal(service.refused, 0);
    assert.ok(tookMs <= 305_000, `${tookMs}`);
  });

  it("given a block of five minutes that other programs caused, when nothing reports it, then the request succeeds after 6 refusals and at most 320 s", async () => {
    const limit: RateLimitOptions = { ...documented, blockMs: 300_000, headers: [], retryAfter: "none" };
    const { service, tookMs } = await send({ limit, requests: 1, spent: 1201 });
    assert.equal(service.refused, 6);
    assert.ok(tookMs > 300_000 && tookMs < 320_000, `${tookMs}`);
  });

  it("given 100 new policies, when headers report the limit or nothing does, then each policy is created once", async () => {
    for (const quota of [sixty, twenty]) {
      for (const headers of [["ratelimit" as const], []]) {
        const clock = new FakeClock();
        const service = new LimitedService(clock, { ...quota, blockMs: quota.windowMs, headers });
        const client = service.client();
        let created = 0;
        void client.getSettings(ZONE).then(() => {
          for (let n = 0; n < 100; n += 1) void client.createPolicy(ZONE, POLICY).then(() => (created += 1));
        });
        await clock.run();
        const accepted = service.seen.filter(({ method, refused }) => method === "POST" && !refused);
        assert.deepEqual([created, accepted.length], [100, 100]);
        assert.ok(headers.length === 0 || service.refused === 0, `${service.refused} refusals`);
      }
    }
  });

  it("given another run of the same user that has used up part of the limit, then the client uses only the rest", async () => {
    const limit = { ...sixty, blockMs: 10_000 };
    const { service, tookMs } = await send({ limit, requests: 100, startMs: 7000, spent: 50 });
    assert.equal(service.refused, 0);
    // 10 requests now, 50 after 3 seconds when the other run's requests no longer count, 10 after 10 seconds, the rest after 13.
    assert.ok(tookMs < 14_000, `${tookMs}`);
  });

  it("given three clients of one process, when one is aborted, then the others share the limit and nothing of the aborted one remains", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 20, windowMs: 10_000, blockMs: 10_000 });
    const controller = new AbortController();
    const limiter = new RateLimiter(clock);
    const aborted = service.client({ limiter, signal: controller.signal });
    const going = [service.client({ limiter }), service.client({ limiter })];
    const codes: unknown[] = [];
    let done = 0;
    for (let n = 0; n < 30; n += 1) {
      aborted.getSettings(ZONE).catch((error: { code?: unknown }) => codes.push(error.code));
      void going[n % 2]?.getSettings(ZONE).then(() => (done += 1));
    }
    await clock.advance(3000);
    controller.abort();
    await clock.run();
    assert.deepEqual([done, [...new Set(codes)]], [30, ["PG_ABORTED"]]);
    assert.deepEqual([clock.pending, service.refused], [0, 0]);
    assert.ok(clock.now() < 22_000, `${clock.now()}`);
  });

  it("given a request that hangs at the end of the window, then it does not delay any other request", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 20, windowMs: 10_000, blockMs: 0 });
    let sent = 0;
    const transport: Transport = (request, signal) => {
      sent += 1;
      if (sent !== 15) return service.transport(request, signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(aborted)));
    };
    const client = service.client({ transport });
    let done = 0;
    for (let n = 0; n < 50; n += 1) void client.getSettings(ZONE).then(() => (done += 1));
    await clock.advance(21_000);
    assert.equal(done, 49, "the one that hangs is given up after thirty seconds");
  });

  it("given any size, window and latency, then the client never exceeds the limit", async () => {
    await check(
      fc.asyncProperty(
        fc.record({
          limit: fc.integer({ min: 4, max: 60 }),
          windowMs: fc.constantFrom(1000, 2000, 5000, 10_000, 15_000, 30_000),
          omitHeaders: fc.constantFrom([], ["ratelimit"], ["ratelimit-policy"]),
          counting: fc.constantFrom("sliding" as const, "fixed" as const),
          isBlocking: fc.boolean(),
          startMs: fc.nat(20_000),
          ways: fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 40 }),
        }),
        async ({ omitHeaders, isBlocking, startMs, ways, ...quota }) => {
          let sent = 0;
          const wayMs = () => ways[++sent % ways.length] ?? 1;
          const limit = { ...quota, omitHeaders, blockMs: isBlocking ? quota.windowMs : 0 };
          const { service } = await send({ limit, requests: quota.limit * 3, startMs, way: { wayMs } });
          assert.equal(service.refused, 0);
        },
      ),
      { usually: 300 },
    );
  });

  it("given odd headers, then every request ends, and none is repeated endlessly", async () => {
    const names = ["ratelimit", "ratelimit-policy", "retry-after", "date"] as const;
    const values = [
      ...["", "0", "-1", "1", "60", "999999999999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"],
      ...['"a";r=0;t=0', '"a";r=0;t=999999999999', '"a";r=-1;t=-1', '"a";q=0;w=0'],
      ...['"a";q=1;w=999999999999', '"a";q=60;w=10, "b";q=1;w=1'],
    ];
    const answer = fc.record({
      status: fc.constantFrom(200, 200, 200, 429, 503),
      headers: fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...values)),
    });
    await check(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 8 }), async (answers) => {
        const clock = new FakeClock();
        let sent = 0;
        const transport: Transport = (_request, signal) =>
          new Promise((resolve) => {
            const { status, headers } = answers[sent % answers.length] ?? { status: 200, headers: {} };
            sent += 1;
            const cancel = clock.schedule(10, () => {
              const body = JSON.stringify({ success: status === 200, errors: [], result: { enabled: true } });
              resolve({ answer: { status, headers, body } });
            });
            signal.addEventListener("abort", () => {
              cancel();
              resolve(aborted);
            });
          });
        const client = createClient(
          { baseUrl: "https://odd.example/v4", token: "t", service: "page_guard" },
          { clock, transport, limiter: new RateLimiter(clock), random: () => 0.5, env: {} },
        );
        let ended = 0;
        const end = () => (ended += 1);
        for (let n = 0; n < 20; n += 1) void client.getSettings(ZONE).then(end, end);
        await clock.run(24 * hour);
        assert.equal(ended, 20);
        assert.ok(sent <= 20 * 15, `${sent} requests for 20`);
        assert.equal(clock.pending, 0, "a timer is left");
      }),
      { usually: 300 },
    );
  });
});
