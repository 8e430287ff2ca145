import assert from "node:assert/strict";
import { RateLimit, type RateLimitOptions } from "../../simulator/src/wire/rate-limit";
import { call, seeded, stopAll, zoneId } from "./raw-client";

afterEach(stopAll);

/** What so many requests at one moment of the clock come to: `429` or `ok`, with the headers. */
function limited(options: Partial<RateLimitOptions>) {
  let clock = 0;
  const limit = new RateLimit({ limit: 2, windowMs: 1000, blockMs: 1000, ...options }, () => clock);
  const ask = (at: number): Record<string, string | number> => {
    clock = at;
    const { blocked, headers } = limit.judge();
    return { ...headers, is: blocked ? 429 : 200 };
  };
  const statuses = (at: number, count: number) => Array.from({ length: count }, () => ask(at)["is"]);
  return { limit, ask, statuses };
}

describe("the rate limit", () => {
  it("lets the limit pass in a window, then blocks every request for the time of the block", () => {
    const five = 300_000;
    const { ask } = limited({ limit: 3, windowMs: five, blockMs: five });
    const policy = { "ratelimit-policy": '"default";q=3;w=300' };
    for (const left of [2, 1, 0])
      assert.deepEqual(ask(0), { is: 200, ...policy, ratelimit: `"default";r=${left};t=300` });
    const blocked = { is: 429, ...policy };
    assert.deepEqual(ask(0), { ...blocked, ratelimit: '"default";r=0;t=300', "retry-after": "300" });
    assert.deepEqual(ask(five - 1), { ...blocked, ratelimit: '"default";r=0;t=1', "retry-after": "1" });
    assert.deepEqual(ask(five), { is: 200, ...policy, ratelimit: '"default";r=2;t=300' });
  });

  it("slides: what is older than the window does not count", () => {
    const { ask, statuses } = limited({});
    for (let step = 0; step < 6; step += 1) assert.equal(ask(step * 500)["is"], 200);
    assert.deepEqual(statuses(3000, 2), [200, 429]);
  });

  it("restarts with each fixed window, and refuses without a block just what exceeds it", () => {
    const { ask, statuses } = limited({ windowMs: 2000, blockMs: 0, counting: "fixed" });
    assert.deepEqual(statuses(10_900, 3), [200, 200, 429]);
    assert.equal(ask(11_999)["retry-after"], "1");
    assert.deepEqual(statuses(12_000, 3), [200, 200, 429]);
  });

  it("reports nothing at all, single headers, or the time to return as a date", () => {
    const once = { limit: 1, windowMs: 1500, blockMs: 2500 };
    const silent = limited({ ...once, headers: [], retryAfter: "none" });
    assert.deepEqual([silent.ask(0), silent.ask(0)], [{ is: 200 }, { is: 429 }]);
    const some = limited({ ...once, omitHeaders: ["retry-after", "ratelimit-policy"] });
    assert.deepEqual(some.ask(50_000), { is: 200, ratelimit: '"default";r=0;t=2' });
    assert.deepEqual(some.ask(50_000), { is: 429, ratelimit: '"default";r=0;t=3' });
    const dated = limited({ ...once, blockMs: 20_000, headers: [], retryAfter: "date" });
    const at = Date.UTC(2026, 0, 1, 12, 0, 0, 300);
    assert.deepEqual(dated.statuses(at, 1), [200]);
    assert.deepEqual(dated.ask(at), { is: 429, "retry-after": "Thu, 01 Jan 2026 12:00:21 GMT" });
  });

  it("counts refused tokens too, and what other processes use up; a refused request does nothing", async () => {
    const sim = await seeded({}, { rateLimit: { limit: 10, windowMs: 60_000, blockMs: 60_000 } });
    sim.rateLimit?.spend(7);
    const wrong = await call(sim, "GET", "page_guard", undefined, { authorization: "Bearer wrong" });
    assert.deepEqual([wrong.status, wrong.headers.get("ratelimit")], [403, '"default";r=2;t=60']);
    sim.rateLimit?.spend(3);
    const late = await call(sim, "PUT", "page_guard", { enabled: true });
    assert.deepEqual([late.status, late.error.code], [429, 10100]);
    assert.deepEqual([sim.journal.at(-1)?.fault, sim.zone(zoneId).settings.enabled], ["rate-limit", false]);
    sim.setRateLimit(undefined);
    const free = await call(sim, "GET", "page_guard");
    assert.deepEqual([free.status, free.headers.get("ratelimit")], [200, null]);
  });
});
