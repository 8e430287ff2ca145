import assert from "node:assert/strict";
import fc from "fast-check";
import type { RateLimitOptions } from "../../provider/src/simulator/rate-limit";
import { FakeClock } from "../virtual-time/fake-clock";
import { LimitedService, type LimitedServiceOptions } from "../virtual-time/limited-service";
import { check } from "./random-runs";
import { ZONE } from "./scripted-server";

const forms: readonly [string, Partial<RateLimitOptions>][] = [
  ["RateLimit and RateLimit-Policy", { headers: ["ratelimit"] }],
  ["the same of draft 7", { headers: ["ratelimit-draft-7"] }],
  ["the same of draft 6", { headers: ["ratelimit-draft-6"] }],
  ["x-ratelimit-reset in seconds", {}],
  ["x-ratelimit-reset since 1970", { reset: "epoch" }],
  ["x-ratelimit-reset as a date", { reset: "date" }],
];

interface Run {
  readonly limit: RateLimitOptions;
  readonly requests: number;
  readonly way?: LimitedServiceOptions;
  /** When it begins on the service's clock. */
  readonly startMs?: number;
}

const POLICY = {
  description: "p",
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
};

/** Sends so many requests at once, as a client that was told nothing about the limit. */
async function send({
  limit,
  requests,
  way,
  startMs = 0,
}: Run): Promise<{ service: LimitedService; tookMs: number }> {
  const clock = new FakeClock();
  await clock.advance(startMs);
  const service = new LimitedService(clock, limit, way);
  const client = service.client();
  let tookMs: number | undefined;
  void Promise.all(Array.from({ length: requests }, () => client.getSettings(ZONE))).then(() => {
    tookMs = clock.now() - startMs;
  });
  await clock.run(24 * 3_600_000);
  assert.ok(tookMs !== undefined, "some requests never came back");
  return { service, tookMs };
}

/** What nobody can beat: a whole limit at once, then a window to wait. */
function atBest({ limit, windowMs }: Pick<RateLimitOptions, "limit" | "windowMs">, requests: number): number {
  return Math.floor((requests - 1) / limit) * windowMs;
}

const limits: readonly [string, Pick<RateLimitOptions, "limit" | "windowMs">, number][] = [
  ["60 in 10 s", { limit: 60, windowMs: 10_000 }, 101],
  ["20 in 2 s", { limit: 20, windowMs: 2000 }, 101],
  ["1,200 in 5 minutes", { limit: 1200, windowMs: 300_000 }, 1300],
];

describe("a limit that only the service knows", () => {
  for (const [name, quota, requests] of limits) {
    for (const [form, told] of forms) {
      it(`${name}, told by ${form}: no refusal, no wait beyond a window, hardly slower than it allows`, async () => {
        for (const counting of ["sliding", "fixed"] as const) {
          for (const blockMs of [0, quota.windowMs]) {
            for (const startMs of [0, 730]) {
              const limit = { ...quota, ...told, counting, blockMs };
              const { service, tookMs } = await send({ limit, requests, startMs, way: { wayMs: 10 } });
              const what = `${counting}, block of ${blockMs} ms, begun at ${startMs} ms`;
              assert.equal(service.refused, 0, what);
              assert.equal(service.seen.length, requests, what);
              assert.ok(
                service.longestPauseMs <= quota.windowMs * 1.02 + (told.reset === undefined ? 0 : 1000),
                `${service.longestPauseMs}: ${what}`,
              );
              const best = atBest(limit, requests);
              assert.ok(tookMs <= best * 1.2, `${tookMs} ms where ${best} are possible: ${what}`);
            }
          }
        }
      });
    }

    it(`${name}, told by retry-after alone: refused once, at most what was in flight`, async () => {
      for (const blockMs of [0, quota.windowMs]) {
        const limit: RateLimitOptions = { ...quota, blockMs, headers: [] };
        const { service, tookMs } = await send({ limit, requests, way: { wayMs: 10 } });
        assert.ok(service.refused <= mostInFlight(service), `${service.refused} refusals`);
        assert.ok(service.longestPauseMs <= quota.windowMs * 1.02, `${service.longestPauseMs}`);
        assert.ok(tookMs <= atBest(limit, requests) * 1.2, `${tookMs}`);
      }
    });
  }

  for (const [name, quota, requests] of limits.slice(0, 2)) {
    it(`${name}, told by nothing: what was in flight is refused, then single questions, and that just once`, async () => {
      const limit: RateLimitOptions = { ...quota, blockMs: quota.windowMs, headers: [], retryAfter: "none" };
      const { service, tookMs } = await send({ limit, requests, way: { wayMs: 10 } });
      // After 2 seconds.
      assert.ok(service.refused <= mostInFlight(service) + 1, `${service.refused} refusals`);
      assert.ok(service.longestPauseMs <= quota.windowMs * 1.02, `${service.longestPauseMs}`);
      assert.ok(tookMs <= atBest(limit, requests) * 1.2, `${tookMs}`);
    });
  }

  for (const [form, told] of [...forms, ["retry-after alone", { headers: [] }]] as const) {
    it(`a zone's 100 policies are made one time each, told by ${form}`, async () => {
      for (const quota of [
        { limit: 60, windowMs: 10_000 },
        { limit: 20, windowMs: 2000 },
      ]) {
        const clock = new FakeClock();
        const service = new LimitedService(clock, { ...quota, blockMs: quota.windowMs, ...told });
        const client = service.client();
        let made = 0;
        void client.getSettings(ZONE).then(() => {
          for (let n = 0; n < 100; n += 1) void client.createPolicy(ZONE, POLICY).then(() => (made += 1));
        });
        await clock.run();
        const accepted = service.seen.filter(({ method, refused }) => method === "POST" && !refused);
        assert.deepEqual([made, accepted.length], [100, 100]);
        assert.ok(form === "retry-after alone" || service.refused === 0, `${service.refused} refusals`);
        assert.ok(clock.now() <= atBest(quota, 101) * 1.2, `${clock.now()} ms`);
      }
    });
  }

  it("reads and changes that may be repeated go on after a refusal without a word", async () => {
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

  it("uses the last request of a limit, and no more", async () => {
    const quota = { limit: 60, windowMs: 10_000, blockMs: 10_000 };
    for (const requests of [60, 120]) {
      const { service, tookMs } = await send({ limit: quota, requests, way: { wayMs: 10 } });
      assert.equal(service.refused, 0);
      assert.ok(tookMs <= atBest(quota, requests) + 1000, `${tookMs} ms for ${requests}`);
    }
  });

  it("asks in time although the service tells what is left, but not until when", async () => {
    const omitHeaders = ["x-ratelimit-reset"];
    const limit: RateLimitOptions = { limit: 60, windowMs: 10_000, blockMs: 10_000, omitHeaders };
    const { service, tookMs } = await send({ limit, requests: 101, way: { wayMs: 10 } });
    assert.equal(service.refused, 0);
    assert.ok(tookMs < 15_000, `${tookMs}`);
  });

  it("goes by the service's clock where it is another one", async () => {
    for (const skewMs of [-3_600_000, -7300, 5100, 86_400_000]) {
      for (const reset of ["epoch", "date"] as const) {
        const limit: RateLimitOptions = { limit: 60, windowMs: 10_000, blockMs: 10_000, reset };
        const { service, tookMs } = await send({ limit, requests: 101, way: { wayMs: 10, skewMs } });
        assert.equal(service.refused, 0, `${skewMs} ms`);
        assert.ok(tookMs <= 12_000, `${tookMs} with a clock that is ${skewMs} ms ahead`);
      }
    }
  });

  it("takes what another run of the same user has used up", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(
      clock,
      { limit: 60, windowMs: 10_000, blockMs: 10_000 },
      { wayMs: 10 },
    );
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
      const service = new LimitedService(
        clock,
        { limit: 60, windowMs: 10_000, blockMs: 10_000 },
        { wayMs: 10 },
      );
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

  it("of any size and window, over any way, is not passed by us", async () => {
    const usual = [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000);
    let refusals = 0;
    let runs = 0;
    await check(
      fc.asyncProperty(
        fc.record({
          limit: fc.integer({ min: 4, max: 60 }),
          windowMs: fc.constantFrom(...usual),
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
          runs += 1;
          refusals += service.refused;
          // A word that was overtaken on its way may lead to a question too early; never more than that.
          assert.ok(service.refused <= 1, `${service.refused} refusals`);
        },
      ),
      // One run in a hundred has such a question: a hundred runs could not tell that from one in fifty.
      { usually: 1000 },
    );
    assert.ok(refusals <= runs / 50, `${refusals} refusals in ${runs} runs`);
  });
});

function mostInFlight({ seen }: LimitedService): number {
  return Math.max(...seen.map(({ inFlight }) => inFlight));
}
