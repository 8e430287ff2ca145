import assert from "node:assert/strict";
import { afterEach, describe, it } from "mocha";
import { call, start, stopAll, zoneId } from "./raw-client";

const minutes = 60_000;

describe("the rate limit", () => {
  afterEach(stopAll);

  it("lets the limit pass in a window, then blocks every request for the time of the block", async () => {
    let clock = 1_000_000;
    const sim = await start({
      now: () => clock,
      rateLimit: { limit: 3, windowMs: 5 * minutes, blockMs: 5 * minutes },
    });
    sim.zones.seed(zoneId);
    for (const remaining of ["2", "1", "0"]) {
      const reply = await call(sim, "GET", "page_guard");
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get("ratelimit-policy"), '"default";q=3;w=300');
      assert.equal(reply.headers.get("ratelimit"), `"default";r=${remaining};t=300`);
      assert.equal(reply.headers.get("retry-after"), null);
    }
    const blocked = await call(sim, "GET", "page_guard");
    assert.deepEqual([blocked.status, blocked.error.code], [429, 10100]);
    assert.equal(blocked.headers.get("retry-after"), "300");
    assert.equal(sim.journal.at(-1)?.fault, "rate-limit");

    clock += 5 * minutes - 1;
    const late = await call(sim, "PUT", "page_guard", { enabled: true });
    assert.equal(late.status, 429);
    assert.equal(late.headers.get("retry-after"), "1");
    assert.equal(sim.zone(zoneId).settings.enabled, false);
    clock += 1;
    const free = await call(sim, "GET", "page_guard");
    assert.deepEqual([free.status, free.headers.get("ratelimit")], [200, '"default";r=2;t=300']);
  });

  it("slides: what is older than the window does not count", async () => {
    let clock = 0;
    const sim = await start({ now: () => clock, rateLimit: { limit: 2, windowMs: 1000, blockMs: 1000 } });
    sim.zones.seed(zoneId);
    for (let step = 0; step < 6; step += 1) {
      assert.equal((await call(sim, "GET", "page_guard")).status, 200);
      clock += 500;
    }
    await call(sim, "GET", "page_guard");
    assert.equal((await call(sim, "GET", "page_guard")).status, 429);
  });

  it("counts refused tokens too, and what other processes use up", async () => {
    const sim = await start({ rateLimit: { limit: 10, windowMs: minutes, blockMs: minutes } });
    sim.zones.seed(zoneId);
    sim.rateLimit?.spend(7);
    const wrong = await call(sim, "GET", "page_guard", undefined, { authorization: "Bearer wrong" });
    assert.deepEqual([wrong.status, wrong.headers.get("ratelimit")], [403, '"default";r=2;t=60']);
    sim.rateLimit?.spend(3);
    assert.equal((await call(sim, "GET", "page_guard")).status, 429);
    sim.setRateLimit(undefined);
    const free = await call(sim, "GET", "page_guard");
    assert.deepEqual([free.status, free.headers.get("ratelimit")], [200, null]);
  });

  it("leaves out headers as a service may", async () => {
    const sim = await start({
      now: () => 50_000,
      rateLimit: {
        limit: 1,
        windowMs: 1500,
        blockMs: 2500,
        omitHeaders: ["retry-after", "ratelimit-policy"],
      },
    });
    sim.zones.seed(zoneId);
    const first = await call(sim, "GET", "page_guard");
    assert.equal(first.headers.get("ratelimit"), '"default";r=0;t=2');
    assert.equal(first.headers.get("ratelimit-policy"), null);
    const second = await call(sim, "GET", "page_guard");
    assert.deepEqual([second.status, second.headers.get("retry-after")], [429, null]);
    assert.equal(second.headers.get("ratelimit"), '"default";r=0;t=3');
  });

  it("restarts with each fixed window, and refuses without a block just what exceeds it", async () => {
    let clock = 10_900;
    const sim = await start({
      now: () => clock,
      rateLimit: { limit: 2, windowMs: 2000, blockMs: 0, counting: "fixed" },
    });
    sim.zones.seed(zoneId);
    const statuses = async (count: number) => {
      const seen: number[] = [];
      for (let sent = 0; sent < count; sent += 1) seen.push((await call(sim, "GET", "page_guard")).status);
      return seen;
    };
    assert.deepEqual(await statuses(3), [200, 200, 429]);
    clock = 11_999;
    const late = await call(sim, "GET", "page_guard");
    assert.deepEqual([late.status, late.headers.get("retry-after")], [429, "1"]);
    clock = 12_000;
    assert.deepEqual(await statuses(3), [200, 200, 429]);
  });

  it("reports nothing at all, or the time to return as a date", async () => {
    const at = Date.UTC(2026, 0, 1, 12, 0, 0, 300);
    const limit = { limit: 1, windowMs: 10_000, blockMs: 20_000 };
    const sim = await start({
      now: () => at,
      rateLimit: { ...limit, headers: [], retryAfter: "none" },
    });
    sim.zones.seed(zoneId);
    const limits = async () => {
      const { status, headers } = await call(sim, "GET", "page_guard");
      return [status, ...[...headers].filter(([name]) => /ratelimit|retry-after/.test(name))];
    };
    assert.deepEqual([await limits(), await limits()], [[200], [429]]);
    sim.setRateLimit({ ...limit, headers: [], retryAfter: "date" });
    assert.deepEqual(await limits(), [200]);
    assert.deepEqual(await limits(), [429, ["retry-after", "Thu, 01 Jan 2026 12:00:21 GMT"]]);
  });
});
