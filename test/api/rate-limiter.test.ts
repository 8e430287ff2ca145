import assert from "node:assert/strict";
import fc from "fast-check";
import { type Denied, RateLimiter, type Ticket } from "../../provider/src/api/rate-limiter";
import { FakeClock, settled } from "../virtual-time/fake-clock";
import { check } from "./random-runs";

function granted(result: Ticket | Denied): Ticket {
  assert.equal(result.denied, undefined);
  return result as Ticket;
}

describe("the rate limiter", () => {
  it("lets a few requests go until the first answer, then all that fit", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 100, windowMs: 1000 });
    const tickets: Ticket[] = [];
    for (let n = 0; n < 50; n += 1) void limiter.acquire().then((ticket) => tickets.push(granted(ticket)));
    await settled();
    assert.equal(tickets.length, 8);
    tickets[0]?.done({});
    await settled();
    assert.equal(tickets.length, 17, "sixteen under way, and the one that was answered");
    for (let n = 1; n < 50; n += 1) {
      tickets[n]?.done({});
      await settled();
    }
    assert.equal(tickets.length, 50);
  });

  it("holds back what does not fit until the window has moved on from the answers", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 3, windowMs: 1000 });
    const first = await Promise.all([limiter.acquire(), limiter.acquire(), limiter.acquire()]);
    let fourth = false;
    void limiter.acquire().then(() => {
      fourth = true;
    });
    await clock.advance(5000);
    assert.equal(fourth, false, "the requests are still under way: the service may count them any time");
    for (const ticket of first) granted(ticket).done({});
    await clock.advance(999);
    assert.equal(fourth, false);
    await clock.advance(50);
    assert.equal(fourth, true);
  });

  it("serves in the order of asking", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 1, windowMs: 10 });
    const order: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      void limiter.acquire().then((ticket) => {
        order.push(n);
        granted(ticket).done({});
      });
    }
    await clock.run(10_000);
    assert.deepEqual(order, [...Array(20).keys()]);
  });

  it("goes on after an abort and leaves no timer behind", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 1, windowMs: 10 });
    const ticket = granted(await limiter.acquire());
    const controller = new AbortController();
    const aborted = limiter.acquire(controller.signal);
    const next = limiter.acquire();
    controller.abort();
    assert.deepEqual(await aborted, { denied: "aborted" });
    ticket.done({});
    await clock.advance(100);
    granted(await next).done({});
    await clock.advance(100);
    assert.equal(clock.pending, 0);
    assert.deepEqual(await limiter.acquire(AbortSignal.abort()), { denied: "aborted" });
  });

  it("bounds the wait", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 1, windowMs: 10, maxWaitMs: 500 });
    granted(await limiter.acquire());
    const waiting = limiter.acquire();
    await clock.advance(501);
    assert.deepEqual(await waiting, { denied: "too-long", patienceMs: 500 });
  });

  it("sends nobody while the service blocks, then one to ask", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 100, windowMs: 1000 });
    limiter.block(5000);
    const tickets: Ticket[] = [];
    for (let n = 0; n < 10; n += 1) void limiter.acquire().then((ticket) => tickets.push(granted(ticket)));
    await clock.advance(4999);
    assert.equal(tickets.length, 0);
    await clock.advance(1);
    assert.equal(tickets.length, 1);
    tickets[0]?.done({});
    await settled();
    assert.equal(tickets.length, 10);
  });

  it("refuses at once what a block makes wait for longer than ten minutes", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 100, windowMs: 1000 });
    limiter.block(3_600_000);
    const result = await limiter.acquire();
    assert.deepEqual(result, { denied: "too-long", patienceMs: 600_000, retryAfterSeconds: 3600 });
  });

  it("slows down when the headers say that others use the budget, and stops before it is used up", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 100, windowMs: 10_000 });
    granted(await limiter.acquire()).done({ limit: 100, remaining: 2, resetMs: 4000 });
    let passed = false;
    void limiter.acquire().then(() => {
      passed = true;
    });
    await clock.advance(3999);
    assert.equal(passed, false);
    await clock.advance(200);
    assert.equal(passed, true);
  });

  it("is only ever slowed down by headers, never sped up", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 2, windowMs: 1000 });
    granted(await limiter.acquire()).done({ limit: 1000, remaining: 999, resetMs: 1 });
    granted(await limiter.acquire()).done({ limit: 1000, remaining: 998, resetMs: 1 });
    let third = false;
    void limiter.acquire().then(() => {
      third = true;
    });
    await clock.advance(900);
    assert.equal(third, false);
  });

  it("never stalls when requests fail without an answer", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, maxRequests: 1000, windowMs: 1000 });
    let passed = 0;
    for (let n = 0; n < 100; n += 1) {
      void limiter.acquire().then((ticket) => {
        passed += 1;
        clock.schedule(5, () => granted(ticket).done());
      });
    }
    await clock.run(60_000);
    assert.equal(passed, 100);
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
          headers: fc.boolean(),
        }),
        async ({ limit, requests, headers }) => {
          const clock = new FakeClock();
          const windowMs = 1000;
          const limiter = new RateLimiter({ clock, maxRequests: limit, windowMs });
          const arrivals: number[] = [];
          let done = 0;
          for (const [at, there, back] of requests) {
            clock.schedule(at, () => {
              void limiter.acquire().then((ticket) => {
                clock.schedule(there, () => {
                  arrivals.push(clock.now());
                  const counted = arrivals.filter((time) => time > clock.now() - windowMs).length;
                  assert.ok(counted <= limit, `${counted} within a window of ${limit}`);
                  clock.schedule(back, () => {
                    done += 1;
                    granted(ticket).done(
                      headers ? { limit, remaining: limit - counted, resetMs: windowMs } : {},
                    );
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
