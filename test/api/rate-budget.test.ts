import assert from "node:assert/strict";
import { DOCUMENTED, RateBudget, type Start } from "../../provider/src/api/rate-budget";
import type { RateHeaders } from "../../provider/src/api/rate-headers";

const budgetOf = (ceiling?: { limit: number; windowMs: number }) => new RateBudget(ceiling, DOCUMENTED);

/** One request after the other, each answered at one of the times. */
function answered(budget: RateBudget, headers: RateHeaders, ...times: readonly number[]): void {
  for (const now of times) budget.end(budget.start(now), headers, { now, inFlight: 0 });
}

const every = (stepMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => index * stepMs);

describe("The limit that is held", () => {
  it("is the documented one until the service tells its own", () => {
    const budget = budgetOf();
    assert.deepEqual([budget.quota, budget.windowMs], [DOCUMENTED, DOCUMENTED.windowMs]);
    answered(budget, { limit: 60, windowMs: 10_000 }, 0);
    assert.deepEqual(budget.quota, { limit: 60, windowMs: 10_000 });
  });

  it("is the user's own where that lets less through", () => {
    const ceiling = { limit: 10, windowMs: 10_000 };
    assert.deepEqual(budgetOf(ceiling).quota, ceiling);
    assert.deepEqual(budgetOf({ limit: 100, windowMs: 10_000 }).quota, DOCUMENTED);
    // As much as the service allows: it is the service's.
    assert.deepEqual(budgetOf({ limit: 40, windowMs: 10_000 }).quota, DOCUMENTED);
  });

  it("has the longest reset that was told for its window, as long as none is named, and never more than is documented", () => {
    const budget = budgetOf();
    answered(budget, { limit: 60, remaining: 59, resetMs: 4000 }, 0);
    answered(budget, { limit: 60, remaining: 58, resetMs: 3000 }, 1000);
    assert.equal(budget.windowMs, 4000);
    answered(budget, { limit: 60, remaining: 58, resetMs: 9_000_000 }, 2000);
    assert.equal(budget.windowMs, 300_000);
    answered(budget, { limit: 60, remaining: 58, windowMs: 10_000, resetMs: 9_000_000 }, 3000);
    assert.equal(budget.windowMs, 10_000);
    assert.deepEqual(
      [undefined, 5, 20_000].map((ms) => budget.withinWindow(ms)),
      [undefined, 5, 10_000],
    );
  });
});

describe("Whether others use the same budget", () => {
  it("shows in what the service counts and this process has not sent", () => {
    const budget = budgetOf();
    answered(budget, { limit: 10, remaining: 9, resetMs: 1000 }, 0);
    assert.equal(budget.isShared, false);
    answered(budget, { limit: 10, remaining: 7, resetMs: 1000 }, 10);
    assert.equal(budget.isShared, true, "three are counted, of which two are ours");
    const start = budget.start(20);
    budget.end(start, { limit: 10, remaining: 6, resetMs: 1000 }, { now: 30, inFlight: 1 });
    assert.equal(budget.isShared, false, "four, of which three are ours and one is under way");
  });

  it("is so where the service tells no limit: nobody can say how many it counts", () => {
    const budget = budgetOf();
    answered(budget, { remaining: 9, resetMs: 1000 }, 0);
    assert.equal(budget.isShared, true);
  });
});

describe("A limit that nothing but a refusal tells", () => {
  it("is as many as were let through within the time after which the service was ready again", () => {
    const budget = budgetOf();
    answered(budget, {}, ...every(10, 20), 1300);
    budget.learn({ since: 200, waitMs: 1000 });
    assert.deepEqual(budget.quota, { limit: 20, windowMs: 1000 });
  });

  const passed: readonly [number, boolean][] = [
    [9, false],
    [10, true],
  ];
  for (const [count, isLearnt] of passed) {
    it(`is ${isLearnt ? "" : "not "}learnt from ${count} requests`, () => {
      const budget = budgetOf();
      answered(budget, {}, ...every(10, count), 1300);
      budget.learn({ since: 200, waitMs: 1000 });
      assert.equal(budget.quota.limit === count, isLearnt);
    });
  }

  it("counts no request that was answered before that time", () => {
    const budget = budgetOf();
    answered(budget, {}, ...every(50, 80), 5000);
    budget.learn({ since: 4000, waitMs: 1000 });
    assert.deepEqual(budget.quota, { limit: 19, windowMs: 1000 });
  });

  it("is not learnt where the service tells what is left, or its limit, or takes as long as any window", () => {
    for (const headers of [{ remaining: 5, resetMs: 10 }, { limit: 700 }]) {
      const budget = budgetOf();
      answered(budget, headers, ...every(10, 20), 1300);
      const before = budget.quota;
      budget.learn({ since: 200, waitMs: 1000 });
      assert.deepEqual(budget.quota, before);
    }
    const budget = budgetOf();
    answered(budget, {}, ...every(10, 20), 400_000);
    budget.learn({ since: 200, waitMs: DOCUMENTED.windowMs });
    assert.deepEqual(budget.quota, DOCUMENTED);
  });

  it("has a longer window where it was kept and the service refused nevertheless, and never more room", () => {
    const budget = budgetOf();
    answered(budget, {}, ...every(10, 20), 1300);
    budget.learn({ since: 200, waitMs: 1000 });
    // Twenty more in its window, of which the first is answered at 2000, and then a refusal at 2500.
    answered(budget, {}, ...every(10, 20).map((at) => at + 2000), 3600);
    budget.learn({ since: 2500, waitMs: 1000 });
    const { limit, windowMs } = budget.quota;
    assert.equal(windowMs, 1500, "from the first of the twenty to when it was ready");
    assert.equal(limit, 20);
  });
});

describe("A reset that comes a little too early", () => {
  /** When it is asked again, after the only answer has told that nothing is left. */
  const askedAt = (...refusals: readonly Partial<Start>[]): number => {
    const budget = budgetOf();
    for (const refusal of refusals) budget.refuse({ at: 0, over: 0, isAsk: true, ...refusal });
    answered(budget, { limit: 1, remaining: 0, resetMs: 10_000 }, 0);
    return budget.nextChance({ now: 1, inFlight: 0 });
  };

  it("is waited for a second longer each time that asking by it was refused, and no more than two", () => {
    assert.deepEqual(
      [askedAt(), askedAt({}), askedAt({}, {}), askedAt({}, {}, {})],
      [10_100, 11_100, 12_100, 12_100],
    );
  });

  it("is none where the refused request did not ask", () => {
    assert.equal(askedAt({ isAsk: false }), 10_100);
  });

  it("is none where others may have used the room", () => {
    const budget = budgetOf();
    answered(budget, { limit: 9, remaining: 0, resetMs: 10_000 }, 0);
    budget.refuse({ at: 0, over: 0, isAsk: true });
    answered(budget, { limit: 9, remaining: 0, resetMs: 10_000 }, 20_000);
    assert.equal(budget.nextChance({ now: 20_001, inFlight: 0 }), 30_100);
  });
});

describe("When the next request may go", () => {
  const at = (budget: RateBudget, now: number, inFlight = 0) => budget.nextChance({ now, inFlight });

  it("two may ask at first; the third waits for an answer", () => {
    const budget = budgetOf();
    assert.equal(at(budget, 0), 0);
    budget.start(0);
    assert.equal(at(budget, 0, 1), 0);
    const second = budget.start(0);
    assert.equal(at(budget, 0, 2), Number.POSITIVE_INFINITY);
    // One that failed has told nothing: another one may ask.
    budget.end(second, undefined, { now: 5, inFlight: 1 });
    assert.equal(at(budget, 5, 1), 5);
  });

  it("an answer that does not count lets all go; the own requests are counted", () => {
    const budget = new RateBudget(undefined, { limit: 3, windowMs: 1000 });
    answered(budget, {}, 0);
    assert.equal(at(budget, 10), 10);
    answered(budget, {}, 10, 20);
    assert.equal(at(budget, 30), 1020);
  });

  it("while the service tells that some are left, it is believed beyond what is assumed", () => {
    const budget = new RateBudget(undefined, { limit: 1, windowMs: 1000 });
    answered(budget, { limit: 100, remaining: 90, resetMs: 500 }, 0);
    assert.equal(at(budget, 10), 10);
  });

  it("the user's own limit and further ones hold whatever it tells", () => {
    const budget = new RateBudget({ limit: 1, windowMs: 2000 }, DOCUMENTED);
    answered(budget, { limit: 100, remaining: 90, resetMs: 500 }, 0);
    assert.equal(at(budget, 10), 2020);
    const further = new RateBudget(undefined, DOCUMENTED);
    const headers = { limit: 100, remaining: 90, resetMs: 500, further: [{ limit: 1, windowMs: 5000 }] };
    answered(further, headers, 0);
    assert.equal(at(further, 10), 5050);
  });

  it("at its reset a single one asks, and the next waits for its answer", () => {
    const budget = budgetOf();
    answered(budget, { limit: 2, remaining: 0, resetMs: 1000 }, 0);
    assert.equal(at(budget, 500), 1020);
    budget.pass({ now: 1019, inFlight: 0 });
    assert.equal(at(budget, 1019), 1020);
    budget.pass({ now: 1020, inFlight: 0 });
    assert.equal(at(budget, 1020), 1020);
    assert.equal(budget.start(1020).isAsk, true);
    assert.equal(at(budget, 1020, 1), Number.POSITIVE_INFINITY);
    assert.equal(budget.start(1020).isAsk, false);
  });
});
