import assert from "node:assert/strict";
import { marginMs, RateBudget, RequestLog } from "../../../provider/src/api/rate-limit/rate-budget";
import type { Quota, RateHeaders } from "../../../provider/src/api/rate-limit/rate-headers";

/** A budget with a clock of its own, whose requests take no time unless it is said. */
class Desk {
  readonly budget: RateBudget;
  now = 0;

  constructor(ceiling?: Quota) {
    this.budget = new RateBudget(ceiling);
  }

  /** How many may be sent at this moment, at most 50; each fails at once, which says nothing. */
  get room(): number {
    let room = 0;
    while (room < 50 && this.budget.next(this.now).at <= this.now) {
      this.budget.start();
      room += 1;
    }
    return room;
  }

  /** Sends one now, as the budget allows. Gives back how to answer it. */
  send(): (rate?: RateHeaders) => void {
    const sentAt = this.now;
    assert.ok(this.budget.next(sentAt).at <= sentAt, `nothing may be sent at ${sentAt}`);
    this.budget.start();
    return (rate) => this.budget.end(sentAt, rate, this.now);
  }

  /** Sends one and gets this answer. */
  ask(rate?: RateHeaders): void {
    this.send()(rate);
  }

  get next() {
    return this.budget.next(this.now);
  }
}

const limit = 100;

describe("How many requests may be sent", () => {
  it("two until the first answer, then sixteen at a time", () => {
    assert.equal(new Desk().room, 2);
    const desk = new Desk();
    desk.ask({});
    assert.equal(desk.room, 16);
  });

  it("one more where the first ones failed: they have said nothing", () => {
    const desk = new Desk();
    desk.ask();
    desk.ask();
    assert.equal(desk.room, 2);
  });

  describe("where the service counts down", () => {
    it("as many as are left, then a single one a little after the reset", () => {
      const desk = new Desk();
      desk.ask({ limit: 4, remaining: 3, resetMs: 5000 });
      assert.equal(desk.room, 3);
      assert.deepEqual(desk.next, { at: 5050, reason: "used-up", quota: { limit: 4, windowMs: 5000 } });
      desk.now = 5050;
      assert.equal(desk.room, 1);
    });

    it("less those that may have been counted after the answer was written", () => {
      const desk = new Desk();
      const [first, second] = [desk.send(), desk.send()];
      first({ limit: 10, remaining: 9, resetMs: 5000 });
      assert.equal(desk.room, 8);
      second({ limit: 10, remaining: 8, resetMs: 5000 });
      assert.equal(desk.room, 0);
    });

    it("less those under way when it was asked again", () => {
      const desk = new Desk();
      desk.ask({ limit: 10, remaining: 9, resetMs: 1000 });
      const slow = desk.send();
      desk.now = 1020;
      desk.ask({ limit: 10, remaining: 8, resetMs: 1000 });
      assert.equal(desk.room, 7);
      slow({ limit: 10, remaining: 9, resetMs: 1000 });
      assert.equal(desk.room, 0, "what an answer says that was overtaken adds nothing");
    });

    it("a single one when the time of the reset has come, however many were left", () => {
      const desk = new Desk();
      desk.ask({ limit, remaining: 99, resetMs: 5000 });
      desk.now = 6000;
      const probe = desk.send();
      assert.equal(desk.room, 0);
      probe();
      assert.equal(desk.room, 1, "it failed: another one asks");
    });

    it("none before a window has passed where it says no reset", () => {
      const desk = new Desk();
      desk.ask({ limit, remaining: 0, windowMs: 20_000 });
      assert.equal(desk.next.at, 20_200);
      const unnamed = new Desk();
      unnamed.ask({ remaining: 0 });
      assert.deepEqual(unnamed.next, { at: 301_000, reason: "used-up", quota: undefined });
    });

    it("half of what is left where others send too, and not the last of it", () => {
      for (const [remaining, room] of [
        [21, 10],
        [1, 0],
      ] as const) {
        const desk = new Desk();
        desk.ask({ limit, remaining, resetMs: 5000 });
        assert.equal(desk.room, room);
        assert.equal(desk.next.reason, "shared");
      }
    });

    it("all that is left where it counts no more than our own", () => {
      const desk = new Desk();
      desk.ask({ limit: 10, remaining: 9, resetMs: 5000 });
      desk.now = 100;
      const answers = [desk.send(), desk.send(), desk.send()];
      for (const [index, answer] of answers.entries())
        answer({ limit: 10, remaining: 8 - index, resetMs: 4900 });
      assert.equal(desk.room, 6);
      assert.equal(desk.next.reason, "used-up");
    });

    it("none for a second more from then on, where a reset turned out to be too early", () => {
      const desk = new Desk();
      desk.ask({ limit: 10, remaining: 0, resetMs: 5000 });
      desk.now = 5050;
      desk.ask({ isRefusal: true, retryAfterMs: 1000 });
      desk.now += 1020;
      desk.ask({ limit: 10, remaining: 0, resetMs: 5000 });
      assert.equal(desk.next.at, desk.now + 6050);
    });

    it("by a date: from the fraction of the second in which the oldest was sent, where all that counts is ours", () => {
      const date = { limit: 2, isResetDate: true } as const;
      const desk = new Desk();
      desk.now = 730;
      // Sliding, 2 s: there is room at 2730, the date says 2000, which may be anything until 3000.
      desk.ask({ ...date, remaining: 1, resetMs: 2270 });
      desk.now = 760;
      desk.ask({ ...date, remaining: 0, resetMs: 2240 });
      assert.equal(desk.next.at, 760 + 2000 + 20);
      const shared = new Desk();
      shared.now = 730;
      shared.ask({ ...date, remaining: 0, resetMs: 2270 });
      assert.equal(shared.next.at, 730 + 2270 + 22.7);
    });
  });

  describe("where it does not", () => {
    it("the documented 1,200 in 5 minutes, by our own count", () => {
      const desk = new Desk();
      for (let sent = 0; sent < 1200; sent += 1) desk.ask({});
      assert.deepEqual(desk.next, {
        at: 301_000,
        reason: "used-up",
        quota: { limit: 1200, windowMs: 300_000 },
      });
    });

    it("all limits with a window, not just the tightest one", () => {
      const quotas = [
        { limit: 20, windowMs: 1000 },
        { limit: 3, windowMs: 60_000 },
      ];
      const desk = new Desk();
      for (let sent = 0; sent < 3; sent += 1) desk.ask({ remaining: 19 - sent, resetMs: 1000, quotas });
      assert.deepEqual(desk.next, { at: 60_600, reason: "used-up", quota: quotas[1] });
    });

    it("again the documented one, where it has stopped counting down", () => {
      const desk = new Desk();
      desk.ask({ limit, remaining: 0, resetMs: 1000 });
      desk.now = 1020;
      for (let sent = 0; sent < 1199; sent += 1) desk.ask({});
      assert.equal(desk.next.at, 301_000);
    });

    it("what the user allows, whatever the service does", () => {
      const ceiling = { limit: 2, windowMs: 1000 };
      for (const rate of [{}, { limit: 1000, remaining: 999, resetMs: 1 }]) {
        const desk = new Desk(ceiling);
        desk.ask(rate);
        desk.now = 21;
        desk.ask(rate);
        assert.deepEqual(desk.next, { at: 1020, reason: "used-up", quota: ceiling });
      }
      const more = new Desk({ limit: 5000, windowMs: 300_000 });
      for (let sent = 0; sent < 5000; sent += 1) more.ask({});
      assert.equal(more.next.at, 301_000);
    });
  });

  describe("after a refusal", () => {
    const refused = (rate: RateHeaders = {}): RateHeaders => ({ ...rate, isRefusal: true });

    it("none until the time that it asks for, or else its reset, then a single one", () => {
      for (const [rate, at] of [
        [{ retryAfterMs: 5000, resetMs: 1000 }, 5050],
        [{ resetMs: 1000 }, 1020],
        [{ retryAfterMs: 0 }, 20],
      ] as const) {
        const desk = new Desk();
        desk.ask(refused(rate));
        assert.equal(desk.next.at, at);
        desk.now = at;
        assert.equal(desk.room, 1);
      }
    });

    it("without a time: one after 5 s, then after twice as long each time, at most after a window", () => {
      const desk = new Desk();
      const probes: number[] = [];
      for (let probe = 0; probe < 9; probe += 1) {
        desk.ask(refused());
        probes.push(Math.round((desk.next.at - desk.now) / 1000));
        desk.now = desk.next.at;
      }
      assert.deepEqual(probes, [5, 10, 20, 40, 81, 161, 301, 301, 301]);
    });

    it("a time is believed just once: nothing is asked in a tight circle", () => {
      const desk = new Desk();
      for (const waitMs of [20, 10_100, 20_200]) {
        desk.ask(refused({ retryAfterMs: 0 }));
        assert.equal(desk.next.at, desk.now + waitMs);
        desk.now = desk.next.at;
      }
      desk.ask({});
      desk.ask(refused({ retryAfterMs: 0 }));
      assert.equal(desk.next.at, desk.now + 20, "it was ready in between");
    });

    it("what was under way when it began neither ends it nor makes it longer than it asks for", () => {
      const desk = new Desk();
      desk.ask({});
      const [first, second, third, fourth] = [desk.send(), desk.send(), desk.send(), desk.send()];
      first(refused());
      second({ limit, remaining: 90, resetMs: 1000 });
      third();
      fourth(refused());
      assert.deepEqual(desk.next, { at: 5050, reason: "blocked", quota: undefined });
      desk.now = 5050;
      assert.equal(desk.room, 1);
    });

    it("continues with what the probe's answer says", () => {
      const desk = new Desk();
      desk.ask(refused({ retryAfterMs: 1000 }));
      desk.now = 1020;
      desk.ask({ limit, remaining: 99, resetMs: 5000 });
      assert.equal(desk.room, 16);
      const silent = new Desk();
      silent.ask(refused({ retryAfterMs: 1000 }));
      silent.now = 1020;
      silent.ask({});
      assert.equal(silent.room, 16);
    });
  });
});

const quota = { limit: 3, windowMs: 1000 };

/** A log of requests that were answered at these times, with so many under way. */
function log(endedAt: readonly number[], inFlight = 0): RequestLog {
  const made = new RequestLog();
  made.inFlight = endedAt.length + inFlight;
  for (const at of endedAt) made.end(at);
  return made;
}

describe("The log of our own requests", () => {
  it("has room for one more at once where the limit is not reached", () => {
    assert.equal(log([]).roomAt(quota, 50), 50);
    assert.equal(log([10, 20]).roomAt(quota, 50), 50);
    assert.equal(log([10], 1).roomAt(quota, 50), 50);
  });

  it("has room again a window and a little after the oldest answer that counts", () => {
    assert.equal(log([10, 20, 30]).roomAt(quota, 50), 1030);
    assert.equal(log([10, 20, 30, 40]).roomAt(quota, 50), 1040);
    assert.equal(log([10, 20], 1).roomAt(quota, 50), 1030, "one under way may be counted any time");
    assert.equal(log([10, 20, 30]).roomAt(quota, 2000), 2000);
  });

  it("waits for an answer where all that fit are under way", () => {
    assert.equal(log([], 3).roomAt(quota, 50), Infinity);
    assert.equal(log([10], 4).roomAt(quota, 50), Infinity);
  });

  it("adds a hundredth to a window, from 20 ms to a second", () => {
    assert.deepEqual([100, 2000, 10_000, 300_000].map(marginMs), [20, 20, 100, 1000]);
  });

  it("keeps the last million", () => {
    const long = new RequestLog();
    for (let at = 1; at <= 2_000_000; at += 1) long.end(at);
    assert.equal(long.latest(1), 2_000_000);
    assert.equal(long.latest(1_000_000), 1_000_001);
    assert.equal(long.latest(1_000_001), undefined);
  });
});
