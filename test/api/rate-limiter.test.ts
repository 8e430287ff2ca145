import assert from "node:assert/strict";
import fc from "fast-check";
import { type Denied, RateLimiter, type Ticket } from "../../provider/src/api/rate-limiter";
import type { RateWait } from "../../provider/src/api/rate-wait";
import { FakeClock, settled } from "../virtual-time/fake-clock";
import { check } from "./random-runs";

function granted(result: Ticket | Denied): Ticket {
  assert.equal(result.denied, undefined);
  return result as Ticket;
}

/** Asks for so many tickets at once; they are added as they are given. */
function ask(limiter: RateLimiter, count: number): Ticket[] {
  const tickets: Ticket[] = [];
  for (let n = 0; n < count; n += 1) void limiter.acquire().then((ticket) => tickets.push(granted(ticket)));
  return tickets;
}

describe("the rate limiter", () => {
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock();
  });

  it("lets a few requests go until the first answer, then all that fit", async () => {
    const limiter = new RateLimiter({ clock, maxRequests: 100, windowMs: 1000 });
    const tickets = ask(limiter, 50);
    await settled();
    assert.equal(tickets.length, 2);
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
    const limiter = new RateLimiter({ clock, maxRequests: 3, windowMs: 1000 });
    const tickets = ask(limiter, 4);
    await settled();
    tickets[0]?.done({});
    await clock.advance(990);
    assert.equal(tickets.length, 3, "two are still under way: the service may count them any time");
    tickets[1]?.done({});
    tickets[2]?.done({});
    await clock.advance(20);
    assert.equal(tickets.length, 3);
    await clock.advance(20);
    assert.equal(tickets.length, 4, "a window and a little after the first answer");
  });

  it("serves in the order of asking", async () => {
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
    const limiter = new RateLimiter({ clock, maxRequests: 1, windowMs: 10 });
    const ticket = granted(await limiter.acquire());
    const controller = new AbortController();
    const aborted = limiter.acquire({ signal: controller.signal });
    const next = limiter.acquire();
    controller.abort();
    assert.deepEqual(await aborted, { denied: "aborted" });
    ticket.done({});
    await clock.advance(100);
    granted(await next).done({});
    await clock.advance(100);
    assert.equal(clock.pending, 0);
    assert.deepEqual(await limiter.acquire({ signal: AbortSignal.abort() }), { denied: "aborted" });
  });

  it("bounds the wait", async () => {
    const limiter = new RateLimiter({ clock, maxRequests: 1, windowMs: 1000, maxWaitMs: 500 });
    granted(await limiter.acquire()).done({});
    const waiting = limiter.acquire();
    await clock.advance(501);
    assert.deepEqual(await waiting, { denied: "too-long", patienceMs: 500 });
  });

  it("sends nobody while the service blocks, then one to ask: the one that was refused", async () => {
    const limiter = new RateLimiter({ clock });
    const first = granted(await limiter.acquire());
    const tickets = ask(limiter, 10);
    await settled();
    assert.equal(tickets.length, 1, "under way when it began");
    assert.ok((first.refused(5000) ?? 0) >= 5000);
    let isAgain: Ticket | undefined;
    void limiter.acquire({ isAgain: true }).then((ticket) => {
      isAgain = granted(ticket);
    });
    for (const ticket of tickets.splice(0)) ticket.refused(5000);
    await clock.advance(4999);
    assert.deepEqual([tickets.length, isAgain], [0, undefined]);
    await clock.advance(100);
    assert.equal(tickets.length, 0);
    isAgain?.done({});
    await settled();
    assert.equal(tickets.length, 9);
  });

  it("gives up at once on a block that nobody waits for, and asks again after a window", async () => {
    const limiter = new RateLimiter({ clock });
    const [one, two] = [granted(await limiter.acquire()), granted(await limiter.acquire())];
    await clock.advance(7000);
    assert.equal(one.refused(4_000_000), undefined);
    assert.equal(two.refused(undefined), undefined);
    assert.deepEqual(await limiter.acquire(), {
      denied: "too-long",
      patienceMs: 600_000,
      retryAfterSeconds: 4000,
    });
    await clock.advance(300_000);
    granted(await limiter.acquire());
  });

  it("takes a reset that is longer than any window for the window", async () => {
    const limiter = new RateLimiter({ clock });
    granted(await limiter.acquire()).done({ limit: 60, remaining: 0, resetMs: 9_000_000 });
    const tickets = ask(limiter, 1);
    await clock.advance(299_000);
    assert.equal(tickets.length, 0);
    await clock.advance(5000);
    assert.equal(tickets.length, 1);
  });

  it("asks a service that refuses without a word ever later, and gives up in the end", async () => {
    const limiter = new RateLimiter({ clock });
    const waits: number[] = [];
    for (;;) {
      const wait = granted(await acquireLater(limiter)).refused(undefined);
      if (wait === undefined) break;
      waits.push(Math.floor(clock.now() + wait) / 1000);
    }
    assert.deepEqual(waits.map(Math.floor), [2, 10, 60, 301]);
  });

  async function acquireLater(limiter: RateLimiter): Promise<Ticket | Denied> {
    const ticket = limiter.acquire({ isAgain: true });
    await clock.run(400_000);
    return ticket;
  }

  it("believes a time that was asked for just once: it does not ask in a tight circle", async () => {
    const limiter = new RateLimiter({ clock });
    let asked = 0;
    for (; asked < 100; asked += 1) {
      const wait = granted(await acquireLater(limiter)).refused(0);
      if (wait === undefined) break;
    }
    assert.ok(asked < 12 && clock.now() < 320_000, `${asked} times in ${clock.now()} ms`);
  });

  it("slows down when the headers say that others use the budget, and stops before it is used up", async () => {
    const limiter = new RateLimiter({ clock, maxRequests: 100, windowMs: 10_000 });
    granted(await limiter.acquire()).done({ limit: 100, remaining: 2, resetMs: 4000 });
    const tickets = ask(limiter, 1);
    await clock.advance(3999);
    assert.equal(tickets.length, 0);
    await clock.advance(200);
    assert.equal(tickets.length, 1);
  });

  it("holds the user's own limit, whatever the service allows", async () => {
    const limiter = new RateLimiter({ clock, maxRequests: 2, windowMs: 1000 });
    granted(await limiter.acquire()).done({ limit: 1000, remaining: 999, resetMs: 1 });
    granted(await limiter.acquire()).done({ limit: 1000, remaining: 998, resetMs: 1 });
    const tickets = ask(limiter, 1);
    await clock.advance(900);
    assert.equal(tickets.length, 0);
  });

  it("holds all limits of a policy, not just the tightest one", async () => {
    const limiter = new RateLimiter({ clock });
    const further = [{ limit: 3, windowMs: 60_000 }];
    for (let n = 0; n < 3; n += 1) {
      granted(await limiter.acquire()).done({ limit: 20, remaining: 19 - n, windowMs: 1000, further });
    }
    const tickets = ask(limiter, 1);
    await clock.advance(59_000);
    assert.equal(tickets.length, 0);
    await clock.advance(3000);
    assert.equal(tickets.length, 1);
  });

  it("never stalls when requests fail without an answer, also between answers that tell", async () => {
    for (const tells of [false, true]) {
      const limiter = new RateLimiter({ clock });
      let passed = 0;
      for (let n = 0; n < 100; n += 1) {
        void limiter.acquire().then((ticket) => {
          passed += 1;
          const told = tells && n % 7 === 0 ? { limit: 30, remaining: 0, resetMs: 2000 } : undefined;
          clock.schedule(5, () => granted(ticket).done(told));
        });
      }
      await clock.run(600_000);
      assert.equal(passed, 100);
    }
  });

  describe("tells a wait of over ten seconds", () => {
    function waits(limiter: RateLimiter, count: number): [number, RateWait][] {
      const told: [number, RateWait][] = [];
      const onLongWait = (wait: RateWait) => told.push([clock.now(), wait]);
      for (let n = 0; n < count; n += 1) {
        void limiter.acquire({ onLongWait }).then((ticket) => granted(ticket).done({}));
      }
      return told;
    }

    it("at once where it is known, once a minute, with the reason", async () => {
      const limiter = new RateLimiter({ clock });
      await clock.advance(7000);
      granted(await limiter.acquire()).refused(150_000);
      const told = waits(limiter, 5);
      await clock.run();
      assert.deepEqual(
        told.map(([at, { remainingMs, waitedMs, reason }]) => [at, remainingMs, waitedMs, reason]),
        [
          [7000, 151_000, 0, "blocked"],
          [67_000, 91_000, 60_000, "blocked"],
          [127_000, 31_000, 120_000, "blocked"],
        ],
      );
    });

    it("after ten seconds where each single wait is short", async () => {
      const limiter = new RateLimiter({ clock, maxRequests: 10, windowMs: 2000 });
      const told = waits(limiter, 200);
      await clock.run();
      assert.deepEqual(
        told.map(([at]) => Math.floor(at / 1000)),
        [10],
      );
      const [, wait] = told[0] ?? [];
      assert.deepEqual([wait?.reason, wait?.quota], ["used-up", { limit: 10, windowMs: 2000 }]);
    });

    it("but not a short one, nor one for an answer", async () => {
      const limiter = new RateLimiter({ clock, maxRequests: 10, windowMs: 2000 });
      const told = waits(limiter, 45);
      await clock.run();
      const slow = new RateLimiter({ clock });
      for (let n = 0; n < 2; n += 1) granted(await slow.acquire());
      told.push(...waits(slow, 3));
      await clock.advance(60_000);
      assert.deepEqual(told, []);
    });
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
