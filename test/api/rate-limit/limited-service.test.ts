import assert from "node:assert/strict";
import fc from "fast-check";
import type { Clock } from "../../../provider/src/api/clock";
import { createClient } from "../../../provider/src/api/create-client";
import type { Transport } from "../../../provider/src/api/http/transport";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import type { RateLimitOptions } from "../../../provider/src/simulator/wire/rate-limit";
import { FakeClock } from "../../virtual-time/fake-clock";
import { LimitedService, type LimitedServiceOptions } from "../../virtual-time/limited-service";
import { check } from "../random-runs";
import { POLICY } from "../scripted-client";
import { ZONE } from "../scripted-server";

const hour = 3_600_000;
const forms: readonly [string, Partial<RateLimitOptions>][] = [
  ["RateLimit and RateLimit-Policy", { headers: ["ratelimit"] }],
  ["the same of draft 7", { headers: ["ratelimit-draft-7"] }],
  ["the same of draft 6", { headers: ["ratelimit-draft-6"] }],
  ["x-ratelimit-reset in seconds", {}],
  ["x-ratelimit-reset since 1970", { reset: "epoch" }],
  ["x-ratelimit-reset as a date", { reset: "date" }],
];
const sixty = { limit: 60, windowMs: 10_000 };
const twenty = { limit: 20, windowMs: 2000 };
const documented = { limit: 1200, windowMs: 300_000 };
const limits = [
  ["60 in 10 s", sixty, 101],
  ["20 in 2 s", twenty, 101],
  ["1,200 in 5 minutes", documented, 1300],
] as const;

interface Run {
  readonly limit: RateLimitOptions;
  readonly requests: number;
  readonly way?: LimitedServiceOptions;
  /** When it begins on the service's clock. */
  readonly startMs?: number;
}

/** Sends so many requests at once, as a client that knows nothing of the limit. */
async function send({ limit, requests, way = { wayMs: 10 }, startMs = 0 }: Run) {
  const clock = new FakeClock();
  await clock.advance(startMs);
  const service = new LimitedService(clock, limit, way);
  const client = service.client();
  let tookMs: number | undefined;
  void Promise.all(Array.from({ length: requests }, () => client.getSettings(ZONE))).then(() => {
    tookMs = clock.now() - startMs;
  });
  await clock.run(24 * hour);
  assert.ok(tookMs !== undefined, "some requests never came back");
  return { service, tookMs };
}

/** What nobody can beat: a whole limit at once, then a window to wait. */
function atBest({ limit, windowMs }: Pick<RateLimitOptions, "limit" | "windowMs">, requests: number): number {
  return Math.floor((requests - 1) / limit) * windowMs;
}

function mostInFlight({ seen }: LimitedService): number {
  return Math.max(...seen.map(({ inFlight }) => inFlight));
}

describe("a limit that only the service knows", function () {
  this.timeout(60_000);

  for (const [name, quota, requests] of limits) {
    for (const [form, told] of forms) {
      it(`${name}, reported by ${form}: no refusal, no wait beyond a window, hardly slower than it allows`, async () => {
        for (const counting of ["sliding", "fixed"] as const) {
          // A short window that slides, told in whole seconds since 1970: up to a second of each is lost.
          const isRough = quota === twenty && told.reset === "epoch" && counting === "sliding";
          for (const blockMs of [0, quota.windowMs]) {
            for (const startMs of [0, 730]) {
              const limit = { ...quota, ...told, counting, blockMs };
              const { service, tookMs } = await send({ limit, requests, startMs });
              const what = `${counting}, block of ${blockMs} ms, begun at ${startMs} ms`;
              assert.equal(service.refused, 0, what);
              assert.equal(service.seen.length, requests, what);
              const longestMs = quota.windowMs * 1.02 + (told.reset === undefined ? 0 : 1000);
              assert.ok(service.longestPauseMs <= longestMs, `${service.longestPauseMs}: ${what}`);
              const best = atBest(limit, requests);
              assert.ok(
                tookMs <= best * (isRough ? 1.52 : 1.2),
                `${tookMs} ms where ${best} are possible: ${what}`,
              );
            }
          }
        }
      });
    }
  }

  for (const [name, quota, requests] of limits.slice(0, 2)) {
    const windows = Math.floor((requests - 1) / quota.limit);

    it(`${name}, reported by retry-after alone: each window refuses what was in flight, and is waited for`, async () => {
      for (const blockMs of [0, quota.windowMs]) {
        const { service, tookMs } = await send({ limit: { ...quota, blockMs, headers: [] }, requests });
        assert.ok(service.refused <= windows * mostInFlight(service), `${service.refused} refusals`);
        assert.ok(tookMs <= atBest(quota, requests) * 1.2, `${tookMs}`);
      }
    });

    it(`${name}, not reported: the same, and single probes after 5 s and at growing intervals`, async () => {
      const limit: RateLimitOptions = { ...quota, blockMs: quota.windowMs, headers: [], retryAfter: "none" };
      const { service, tookMs } = await send({ limit, requests });
      assert.ok(service.refused <= windows * (mostInFlight(service) + 1), `${service.refused} refusals`);
      const longestMs = windows * (quota === sixty ? 15_500 : 5500);
      assert.ok(tookMs <= longestMs, `${tookMs} ms`);
    });
  }

  it("the documented one is not passed where nothing is said", async () => {
    const limit: RateLimitOptions = { ...documented, blockMs: 300_000, headers: [], retryAfter: "none" };
    const { service, tookMs } = await send({ limit, requests: 1300 });
    assert.equal(service.refused, 0);
    assert.ok(tookMs <= 305_000, `${tookMs}`);
  });

  it("a documented block that others have caused is waited for, without a word on it: 6 refusals, 5 and a quarter minutes", async () => {
    const clock = new FakeClock();
    const limit: RateLimitOptions = { ...documented, blockMs: 300_000, headers: [], retryAfter: "none" };
    const service = new LimitedService(clock, limit);
    service.limit.spend(1201);
    let tookMs = 0;
    void service
      .client()
      .getSettings(ZONE)
      .then(() => (tookMs = clock.now()));
    await clock.run();
    assert.equal(service.refused, 6);
    assert.ok(tookMs > 300_000 && tookMs < 320_000, `${tookMs}`);
  });

  it("a zone's 100 policies are created once each, however the limit is given", async () => {
    for (const quota of [sixty, twenty]) {
      for (const [form, told] of [...forms, ["retry-after alone", { headers: [] }]] as const) {
        const clock = new FakeClock();
        const service = new LimitedService(clock, { ...quota, blockMs: quota.windowMs, ...told });
        const client = service.client();
        let made = 0;
        void client.getSettings(ZONE).then(() => {
          for (let n = 0; n < 100; n += 1) void client.createPolicy(ZONE, POLICY).then(() => (made += 1));
        });
        await clock.run();
        const accepted = service.seen.filter(({ method, refused }) => method === "POST" && !refused);
        assert.deepEqual([made, accepted.length], [100, 100], form);
        assert.ok(
          form === "retry-after alone" || service.refused === 0,
          `${service.refused} refusals: ${form}`,
        );
      }
    }
  });

  it("reads and changes that may be repeated continue after a refusal without a word", async () => {
    const clock = new FakeClock();
    const limit: RateLimitOptions = {
      limit: 5,
      windowMs: 2000,
      blockMs: 2000,
      headers: [],
      retryAfter: "none",
    };
    const service = new LimitedService(clock, limit);
    const client = service.client();
    let done = 0;
    for (let n = 0; n < 5; n += 1) {
      void client.getSettings(ZONE).then(() => (done += 1));
      void client.updateSettings(ZONE, { enabled: true }).then(() => (done += 1));
      void client.deletePolicy(ZONE, "p").then(() => (done += 1));
    }
    await clock.run();
    assert.equal(done, 15);
    assert.ok(service.refused > 0);
  });

  it("the last request of a limit is used, and no more", async () => {
    for (const requests of [60, 120]) {
      const { service, tookMs } = await send({ limit: { ...sixty, blockMs: 10_000 }, requests });
      assert.equal(service.refused, 0);
      assert.ok(tookMs <= atBest(sixty, requests) + 1000, `${tookMs} ms for ${requests}`);
    }
  });

  it("where no reset is given, a window is waited for: the documented one, where none is named", async () => {
    for (const [told, longestMs] of [
      [{ omitHeaders: ["x-ratelimit-reset"] }, 302_000],
      [{ omitHeaders: ["ratelimit-reset"], headers: ["ratelimit-draft-6"] }, 12_000],
    ] as const) {
      const { service, tookMs } = await send({
        limit: { ...sixty, blockMs: 10_000, ...told },
        requests: 101,
      });
      assert.equal(service.refused, 0);
      assert.ok(tookMs < longestMs, `${tookMs}`);
    }
  });

  it("a service that rounds its resets down refuses one request, once", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 20, windowMs: 1900, blockMs: 0 });
    const transport: Transport = async (request, signal) => {
      const { answer, failure } = await service.transport(request, signal);
      if (answer === undefined) return { failure };
      const reset = String(Number(answer.headers["x-ratelimit-reset"]) - 1);
      return { answer: { ...answer, headers: { ...answer.headers, "x-ratelimit-reset": reset } } };
    };
    const client = service.client({ transport });
    let done = 0;
    for (let n = 0; n < 100; n += 1) void client.getSettings(ZONE).then(() => (done += 1));
    await clock.run();
    assert.deepEqual([done, service.refused], [100, 1]);
  });

  it("goes by the service's clock where that differs", async () => {
    for (const skewMs of [-3_600_000, -7300, 5100, 86_400_000]) {
      for (const reset of ["epoch", "date"] as const) {
        const limit: RateLimitOptions = { ...sixty, blockMs: 10_000, reset };
        const { service, tookMs } = await send({ limit, requests: 101, way: { wayMs: 10, skewMs } });
        assert.equal(service.refused, 0, `${skewMs} ms`);
        assert.ok(tookMs <= 12_000, `${tookMs} with a clock that is ${skewMs} ms ahead`);
      }
    }
  });

  it("a clock that is set back in the middle costs no more than five minutes", async () => {
    const clock = new FakeClock();
    const own: Clock = {
      now: () => clock.now(),
      epochNow: () => clock.epochNow() - (clock.now() > 5000 ? hour : 0),
      schedule: (ms, callback) => clock.schedule(ms, callback),
    };
    const limit: RateLimitOptions = { limit: 20, windowMs: 10_000, blockMs: 10_000, reset: "epoch" };
    const service = new LimitedService(clock, limit, { tellsDate: false });
    const client = service.client({ clock: own, limiter: new RateLimiter(own) });
    let done = 0;
    for (let n = 0; n < 50; n += 1) void client.getSettings(ZONE).then(() => (done += 1));
    await clock.run();
    assert.equal(done, 50);
    assert.ok(clock.now() < 320_000, `${clock.now()}`);
  });

  it("what another run of the same user has used up is left to it", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { ...sixty, blockMs: 10_000 }, { wayMs: 10 });
    service.limit.spend(50);
    await clock.advance(7000);
    let tookMs: number | undefined;
    const client = service.client();
    void Promise.all(Array.from({ length: 100 }, () => client.getSettings(ZONE))).then(() => {
      tookMs = clock.now() - 7000;
    });
    await clock.run();
    assert.equal(service.refused, 0);
    // 10 now, 50 when the other ones are forgotten after 3 seconds, 10 after 10 seconds, the rest after 13.
    assert.ok(tookMs !== undefined && tookMs < 14_000, `${tookMs}`);
  });

  it("two programs in step share it almost; one that begins when nothing is left finds that out with two requests", async () => {
    for (const [lateMs, most] of [
      [0, 8],
      [900, 2],
    ] as const) {
      const clock = new FakeClock();
      const service = new LimitedService(clock, { ...sixty, blockMs: 10_000 }, { wayMs: 10 });
      let done = 0;
      for (const startMs of [0, lateMs]) {
        const client = service.client();
        clock.schedule(startMs, () => {
          for (let n = 0; n < 60; n += 1) void client.getSettings(ZONE).then(() => (done += 1));
        });
      }
      await clock.run();
      assert.equal(done, 120);
      assert.ok(service.refused <= most, `${service.refused} refusals, the second one ${lateMs} ms later`);
    }
  });

  it("clients of one process share what is left; those of one that is aborted leave nothing behind", async () => {
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

  it("a request that hangs when the window ends delays no other", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 20, windowMs: 10_000, blockMs: 0 });
    let sent = 0;
    const transport: Transport = (request, signal) => {
      sent += 1;
      if (sent !== 15) return service.transport(request, signal);
      return new Promise((resolve) =>
        signal.addEventListener("abort", () =>
          resolve({ failure: { reason: "ABORTED", sent: true, viaProxy: false } }),
        ),
      );
    };
    const client = service.client({ transport });
    let done = 0;
    for (let n = 0; n < 50; n += 1) void client.getSettings(ZONE).then(() => (done += 1));
    await clock.advance(21_000);
    assert.equal(done, 49, "the one that hangs is given up after thirty seconds");
  });

  it("of any size and window, over any way, is never passed by us", async () => {
    await check(
      fc.asyncProperty(
        fc.record({
          limit: fc.integer({ min: 4, max: 60 }),
          windowMs: fc.constantFrom(1000, 2000, 5000, 10_000, 15_000, 30_000),
          form: fc.nat(forms.length - 1),
          counting: fc.constantFrom("sliding" as const, "fixed" as const),
          isBlocking: fc.boolean(),
          startMs: fc.nat(20_000),
          ways: fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 40 }),
        }),
        async ({ form, isBlocking, startMs, ways, ...quota }) => {
          let sent = 0;
          const wayMs = () => {
            sent += 1;
            return ways[sent % ways.length] ?? 1;
          };
          const limit = { ...quota, ...forms[form]?.[1], blockMs: isBlocking ? quota.windowMs : 0 };
          const { service } = await send({ limit, requests: quota.limit * 3, startMs, way: { wayMs } });
          assert.equal(service.refused, 0);
        },
      ),
      { usually: 300 },
    );
  });

  it("odd headers: every request ends, and none is repeated endlessly", async () => {
    const names = [
      "x-ratelimit-limit",
      "x-ratelimit-remaining",
      "x-ratelimit-reset",
      "ratelimit",
      "ratelimit-policy",
      "retry-after",
      "date",
    ] as const;
    const values = [
      "",
      "0",
      "-1",
      "1",
      "60",
      "1e300",
      "NaN",
      "Infinity",
      "999999999999999",
      "9".repeat(400),
      "1767225600",
      "Thu, 01 Jan 2026 00:00:10 GMT",
      "Thu, 01 Jan 1970 00:00:00 GMT",
      "Fri, 31 Dec 9999 23:59:59 GMT",
      '"a";r=0;t=0',
      '"a";r=0;t=999999999999',
      '"a";r=-1;t=-1',
      '"a";q=0;w=0',
      '"a";q=1;w=999999999999',
      '"a";q=60;w=10, "b";q=1;w=1',
      "limit=0, remaining=0, reset=0",
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
              resolve({ failure: { reason: "ABORTED", sent: true, viaProxy: false } });
            });
          });
        const client = createClient(
          { baseUrl: "https://odd.example/v4", token: "t", service: "page_guard" },
          { clock, transport, limiter: new RateLimiter(clock), random: () => 0.5, env: {} },
        );
        let ended = 0;
        const end = () => {
          ended += 1;
        };
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
