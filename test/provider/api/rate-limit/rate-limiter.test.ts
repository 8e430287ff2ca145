import assert from "node:assert/strict";
import fc from "fast-check";
import { type Permit, RateLimiter, type Wish } from "../../../../provider/src/api/rate-limit/rate-limiter";
import { FakeClock, settled } from "../../virtual-time/fake-clock";
import { check } from "../random-runs";

function granted(result: Awaited<ReturnType<RateLimiter["acquire"]>>): Permit {
  if (result.denied !== undefined) return assert.fail(result.denied);
  return result;
}

describe("the rate limiter", () => {
  let clock: FakeClock;
  let limiter: RateLimiter;
  beforeEach(() => {
    clock = new FakeClock();
    limiter = new RateLimiter(clock);
  });

  /** Asks for so many permits at once; they are added as they are given. */
  function ask(count: number, wish: Wish = {}): Permit[] {
    const permits: Permit[] = [];
    for (let n = 0; n < count; n += 1)
      void limiter.acquire(wish).then((result) => permits.push(granted(result)));
    return permits;
  }

  it("gives two permits until the first answer, then all that fit", async () => {
    const permits = ask(50);
    await settled();
    assert.equal(permits.length, 2);
    permits[0]?.end({});
    await settled();
    assert.equal(permits.length, 17, "sixteen under way, and the one that was answered");
    for (let n = 1; n < 50; n += 1) {
      permits[n]?.end({});
      await settled();
    }
    assert.equal(permits.length, 50);
  });

  it("serves in the order of asking", async () => {
    limiter = new RateLimiter(clock, { limit: 1, windowMs: 10 });
    const order: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      void limiter.acquire().then((permit) => {
        order.push(n);
        granted(permit).end({});
      });
    }
    await clock.run(10_000);
    assert.deepEqual(order, [...Array(20).keys()]);
  });

  it("continues after an abort and leaves no timer behind", async () => {
    limiter = new RateLimiter(clock, { limit: 1, windowMs: 10 });
    const permit = granted(await limiter.acquire());
    const controller = new AbortController();
    const aborted = limiter.acquire({ signal: controller.signal });
    const next = limiter.acquire();
    controller.abort();
    assert.deepEqual(await aborted, { denied: "aborted" });
    permit.end({});
    await clock.advance(100);
    granted(await next).end({});
    assert.equal(clock.pending, 0);
    assert.deepEqual(await limiter.acquire({ signal: AbortSignal.abort() }), { denied: "aborted" });
  });

  it("sends nothing while the service refuses, then one probe: the request that was refused", async () => {
    const first = granted(await limiter.acquire());
    const permits = ask(10);
    await settled();
    assert.equal(permits.length, 1, "under way when it began");
    first.end({ isRefusal: true, retryAfterMs: 5000 });
    const again = ask(1, { isAgain: true });
    for (const permit of permits.splice(0)) permit.end({ isRefusal: true, retryAfterMs: 5000 });
    await clock.advance(5049);
    assert.deepEqual([permits.length, again.length], [0, 0]);
    await clock.advance(1);
    assert.deepEqual([permits.length, again.length], [0, 1]);
    again[0]?.end({});
    await settled();
    assert.equal(permits.length, 9);
  });

  it("denies at once what a block outlasts, also to those that wait, and serves who has the patience", async () => {
    const [first] = [granted(await limiter.acquire()), granted(await limiter.acquire())];
    const waiting = limiter.acquire({ patienceMs: 4000 });
    first.end({ isRefusal: true, retryAfterMs: 4000 });
    assert.deepEqual(await waiting, { denied: "too-long", retryAfterMs: 4000 });
    await clock.advance(1000);
    assert.deepEqual(await limiter.acquire({ patienceMs: 3000 }), { denied: "too-long", retryAfterMs: 3000 });
    const permits = ask(1, { patienceMs: 3001 });
    await clock.advance(3040);
    assert.equal(permits.length, 1);
  });

  it("never stalls when requests fail without an answer, also between answers that say what is left", async () => {
    for (const tells of [false, true]) {
      limiter = new RateLimiter(clock);
      let passed = 0;
      for (let n = 0; n < 100; n += 1) {
        void limiter.acquire().then((permit) => {
          passed += 1;
          const rate = tells && n % 7 === 0 ? { remaining: 0, resetMs: 2000 } : undefined;
          clock.schedule(5, () => granted(permit).end(rate));
        });
      }
      await clock.run(600_000);
      assert.equal(passed, 100);
    }
  });

  describe("reports a wait of over ten seconds", () => {
    function waits(count: number): [number, string][] {
      const reports: [number, string][] = [];
      const onLongWait = (text: string) => reports.push([clock.now(), text]);
      for (let n = 0; n < count; n += 1) {
        void limiter.acquire({ onLongWait }).then((permit) => granted(permit).end({}));
      }
      return reports;
    }

    it("at once where it is known, once a minute, with the reason", async () => {
      await clock.advance(7000);
      granted(await limiter.acquire()).end({ isRefusal: true, retryAfterMs: 150_000 });
      const reports = waits(5);
      await clock.run();
      assert.deepEqual(
        reports.map(([at, text]) => [at, /service(.* more: .*) requests/.exec(text)?.[1]]),
        [
          [7000, ", up to 151 s more: the service has refused"],
          [67_000, " after 60 s, up to 91 s more: the service has refused"],
          [127_000, " after 120 s, up to 31 s more: the service has refused"],
        ],
      );
    });

    it("after ten seconds where each single wait is short", async () => {
      limiter = new RateLimiter(clock, { limit: 10, windowMs: 2000 });
      const reports = waits(200);
      await clock.run();
      assert.equal(reports.length, 1);
      assert.match(
        reports[0]?.[1] ?? "",
        /after 1\d s.* used up \(10 requests in 2 s\)\. Nothing is lost\.$/,
      );
    });

    it("but not a short one, nor one for an answer", async () => {
      limiter = new RateLimiter(clock, { limit: 10, windowMs: 2000 });
      const reports = waits(45);
      await clock.run();
      limiter = new RateLimiter(clock);
      for (let n = 0; n < 2; n += 1) granted(await limiter.acquire());
      reports.push(...waits(3));
      await clock.advance(60_000);
      assert.deepEqual(reports, []);
    });
  });

  it("reports each request that is sent", async () => {
    let sent = 0;
    limiter = new RateLimiter(clock, undefined, () => {
      sent += 1;
    });
    const permits = ask(3);
    await settled();
    assert.equal(sent, 2);
    permits[0]?.end({});
    await settled();
    assert.equal(sent, 3);
  });

  it("goes on after a refusal without a time, or one that was wrong: after 5 s, then after twice as long each time", async () => {
    const askedAt: number[] = [];
    const refuse = async (): Promise<void> => {
      const permit = granted(await limiter.acquire({ isAgain: true }));
      askedAt.push(clock.now());
      permit.end({ isRefusal: true, ...(askedAt.length > 1 && { retryAfterMs: 0 }) });
      if (askedAt.length < 5) await refuse();
    };
    void refuse();
    await clock.run(600_000);
    assert.deepEqual(askedAt, [0, 5050, 15_150, 35_350, 75_750]);
  });

  it("never sends more than the limit within any window, as the service counts it, whatever the latencies", async () => {
    await check(
      fc.asyncProperty(
        fc.record({
          limit: fc.integer({ min: 1, max: 12 }),
          // [when it is asked for, way there, way back]
          requests: fc.array(fc.tuple(fc.nat(3000), fc.nat(700), fc.nat(700)), {
            minLength: 1,
            maxLength: 60,
          }),
          tells: fc.boolean(),
        }),
        async ({ limit, requests, tells }) => {
          const clock = new FakeClock();
          const windowMs = 1000;
          const limiter = new RateLimiter(clock, { limit, windowMs });
          const arrivals: number[] = [];
          let done = 0;
          for (const [at, there, back] of requests) {
            clock.schedule(at, () => {
              void limiter.acquire().then((permit) => {
                clock.schedule(there, () => {
                  arrivals.push(clock.now());
                  const counted = arrivals.filter((time) => time > clock.now() - windowMs).length;
                  assert.ok(counted <= limit, `${counted} within a window of ${limit}`);
                  clock.schedule(back, () => {
                    done += 1;
                    granted(permit).end(tells ? { remaining: limit - counted, resetMs: windowMs } : {});
                  });
                });
              });
            });
          }
          await clock.run(3_000_000);
          assert.equal(done, requests.length, "every request gets its turn");
        },
      ),
    );
  });
});
