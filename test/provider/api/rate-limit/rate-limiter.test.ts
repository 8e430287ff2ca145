import assert from "node:assert/strict";
import { type Permit, RateLimiter, type Wish } from "../../../../provider/src/api/rate-limit/rate-limiter";
import { FakeClock, settled } from "../../virtual-time/fake-clock";

function granted(result: Awaited<ReturnType<RateLimiter["acquire"]>>): Permit {
  return typeof result === "function" ? result : assert.fail(result.denied);
}

describe("The rate limiter", () => {
  let clock: FakeClock;
  let limiter: RateLimiter;
  beforeEach(() => {
    clock = new FakeClock();
    limiter = new RateLimiter(clock);
  });

  /** Asks for `count` permits at once. The limiter adds each to the returned list when it grants it. */
  function ask(count: number, wish: Wish = {}): Permit[] {
    const permits: Permit[] = [];
    for (let n = 0; n < count; n += 1)
      void limiter.acquire(wish).then((result) => permits.push(granted(result)));
    return permits;
  }

  it("grants permits in the order of the requests", async () => {
    limiter = new RateLimiter(clock, { limit: 1, windowMs: 10 });
    const order: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      void limiter.acquire().then((permit) => {
        order.push(n);
        granted(permit)({});
      });
    }
    await clock.run(10_000);
    assert.deepEqual(order, [...Array(20).keys()]);
  });

  it("keeps the user's own quota beside the quotas of the service, and waits a little longer than a window", async () => {
    limiter = new RateLimiter(clock, { limit: 2, windowMs: 1000 });
    const quotas = [{ limit: 100, windowMs: 1000 }];
    for (const permit of [await limiter.acquire(), await limiter.acquire()]) granted(permit)({ quotas });
    const waiting = ask(1);
    await clock.advance(1019);
    assert.equal(waiting.length, 0);
    await clock.advance(1);
    assert.equal(waiting.length, 1);
  });

  it("denies requests at once, also waiting ones, if a block lasts longer than they can wait, and serves the others", async () => {
    const [first] = [granted(await limiter.acquire()), granted(await limiter.acquire())];
    const waiting = limiter.acquire({ patienceMs: 4000 });
    first({ isRefusal: true, retryAfterMs: 4000 });
    assert.deepEqual(await waiting, { denied: "too-long", retryAfterMs: 4000 });
    await clock.advance(1000);
    assert.deepEqual(await limiter.acquire({ patienceMs: 3000 }), { denied: "too-long", retryAfterMs: 3000 });
    const permits = ask(1, { patienceMs: 3001 });
    await clock.advance(3040);
    permits[0]?.();
    // The block is over, so a request without patience gets its permit.
    granted(await limiter.acquire({ patienceMs: -9999 }));
  });

  describe("reports a wait of over ten seconds", () => {
    function waits(count: number): [number, string][] {
      const reports: [number, string][] = [];
      const onLongWait = (text: string) => reports.push([clock.now(), text]);
      for (let n = 0; n < count; n += 1) {
        void limiter.acquire({ onLongWait }).then((permit) => granted(permit)({}));
      }
      return reports;
    }

    it("at once if the length of the wait is known, then once a minute, with the reason", async () => {
      await clock.advance(7000);
      granted(await limiter.acquire())({ isRefusal: true, retryAfterMs: 150_000 });
      const reports = waits(5);
      await clock.run();
      assert.deepEqual(
        reports.map(([at, text]) => [at, /service(.* more: .*) requests/.exec(text)?.[1]]),
        [
          [7000, ", up to 151 s more: the service has refused"],
          [67_000, ", up to 91 s more: the service has refused"],
          [127_000, ", up to 31 s more: the service has refused"],
        ],
      );
    });

    it("after ten seconds if the wait consists of several short ones", async () => {
      for (const [limit, said] of [
        [10, "10 requests"],
        [1, "1 request"],
      ] as const) {
        limiter = new RateLimiter(clock, { limit, windowMs: 2000 });
        const reports = waits(20 * limit);
        await clock.run();
        assert.equal(reports.length, 1);
        assert.match(reports[0]?.[1] ?? "", /: the limit is used up \(1.* in 2 s\)\. Nothing is lost\.$/);
        assert.ok(reports[0]?.[1].includes(`(${said} in`));
      }
    });

    it("but does not report a shorter wait or a wait for a response", async () => {
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
    permits[0]?.({});
    await settled();
    assert.equal(sent, 3);
  });
});
