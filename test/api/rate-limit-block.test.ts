import assert from "node:assert/strict";
import type { PageGuardClient } from "../../provider/src/api/client-types";
import { systemClock } from "../../provider/src/api/clock";
import { createClient } from "../../provider/src/api/create-client";
import { RateLimiter } from "../../provider/src/api/rate-limiter";
import { type RateLimitOptions, type Simulator, startSimulator } from "../../provider/src/simulator";
import { ZONE } from "./scripted-server";

/** As 60 in 10 s, but for the impatient. No client is told it. */
const LIMIT = 20;
const WINDOW_MS = 1000;
const limit = { limit: LIMIT, windowMs: WINDOW_MS, blockMs: WINDOW_MS };

describe("against a service that blocks whoever asks too often, over real sockets", () => {
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({ latencyMs: 5, rateLimit: limit });
    simulator.zones.seed(ZONE);
  });
  afterEach(() => simulator.stop());

  /** A client with a limiter of its own, as another process would have. */
  function client(): PageGuardClient {
    return createClient(
      { baseUrl: simulator.url, token: simulator.token, service: "page_guard" },
      { limiter: new RateLimiter({ clock: systemClock }), env: {} },
    );
  }

  function refused(): number {
    return simulator.journal.filter(({ status }) => status === 429).length;
  }

  /** In windows, on the simulator's clock; a busy machine makes it longer, so this is no bound to be narrow with. */
  function windows(): number {
    const times = simulator.journal.map(({ at }) => at);
    return (Math.max(...times) - Math.min(...times)) / WINDOW_MS;
  }

  const forms: [string, Partial<RateLimitOptions>][] = [
    ["x-ratelimit", {}],
    ["x-ratelimit with a date", { reset: "date", counting: "fixed" }],
    ["RateLimit and RateLimit-Policy", { headers: ["ratelimit"] }],
  ];
  for (const [name, form] of forms) {
    it(`work for several windows gets done without a single 429: ${name}`, async () => {
      simulator.setRateLimit({ ...limit, ...form });
      const c = client();
      await Promise.all(Array.from({ length: 60 }, () => c.getSettings(ZONE)));
      assert.equal(refused(), 0);
      assert.equal(simulator.journal.length, 60);
      assert.ok(windows() < 6, `${windows()} windows`);
    });
  }

  it("without any header it is refused once, by no more than was in flight and the questions after it", async () => {
    const twoSeconds = { limit: LIMIT, windowMs: 2000, blockMs: 2000 };
    simulator.setRateLimit({ ...twoSeconds, headers: [], retryAfter: "none" });
    const c = client();
    await Promise.all(Array.from({ length: 50 }, () => c.getSettings(ZONE)));
    assert.ok(refused() <= 16 + 2, `${refused()} answers of 429`);
    assert.equal(simulator.journal.filter(({ status }) => status === 200).length, 50);
    assert.ok(windows() < 12, `${windows()} windows`);
  });

  it("somebody else uses the budget up: it waits instead of asking on", async () => {
    const c = client();
    await c.getSettings(ZONE);
    simulator.rateLimit?.spend(LIMIT - 6);
    await Promise.all(Array.from({ length: 30 }, () => c.getSettings(ZONE)));
    assert.ok(windows() > 0.5);
    // What was on its way before the next answer told, at most.
    assert.ok(refused() <= 16, `${refused()} answers of 429`);
  });

  it("somebody else gets the user blocked: it waits as long as it is asked to and then finishes", async () => {
    const c = client();
    await c.getSettings(ZONE);
    simulator.rateLimit?.spend(LIMIT);
    await Promise.all(Array.from({ length: 20 }, () => c.getSettings(ZONE)));
    // Those under way when the block began, at most.
    assert.ok(refused() <= 16, `${refused()} answers of 429`);
  });

  it("policies are made one by one and each just once, refused or not", async () => {
    simulator.zones.seed(ZONE, { policyQuota: 100 });
    simulator.setRateLimit({ ...limit, headers: [] });
    const c = client();
    const policy = (n: number) => ({
      description: `p${n}`,
      action: "log",
      expression: "true",
      enabled: true,
      value: "script-src 'self'",
    });
    await Promise.all(Array.from({ length: 60 }, (_, n) => c.createPolicy(ZONE, policy(n))));
    assert.ok(refused() > 0, "nobody told it the limit before");
    const made = simulator.zone(ZONE).policies.map(({ description }) => description);
    assert.deepEqual([made.length, new Set(made).size], [60, 60]);
  });
});
