import assert from "node:assert/strict";
import type { PageGuardClient } from "../../provider/src/api/client-types";
import { systemClock } from "../../provider/src/api/clock";
import { createClient } from "../../provider/src/api/create-client";
import { RateLimiter } from "../../provider/src/api/rate-limiter";
import { type Simulator, startSimulator } from "../../provider/src/simulator";
import { ZONE } from "./scripted-server";

/** As the public one, 1,200 requests in 5 minutes and then a block as long, but for the impatient. */
const LIMIT = 60;
const WINDOW_MS = 1500;

describe("against a service that blocks whoever asks too often", function () {
  this.timeout(60_000);
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({
      latencyMs: 5,
      rateLimit: { limit: LIMIT, windowMs: WINDOW_MS, blockMs: WINDOW_MS },
    });
    simulator.zones.seed(ZONE);
  });
  afterEach(() => simulator.stop());

  /** A client with a limiter of its own, as another process would have. */
  function client(maxRequests = LIMIT): PageGuardClient {
    return createClient(
      { baseUrl: simulator.url, token: simulator.token, service: "page_guard" },
      { limiter: new RateLimiter({ clock: systemClock, maxRequests, windowMs: WINDOW_MS }) },
    );
  }

  function blocked(): number {
    return simulator.journal.filter(({ status }) => status === 429).length;
  }

  it("work for several windows gets done without a single 429", async () => {
    const c = client();
    const start = performance.now();
    await Promise.all(Array.from({ length: 200 }, () => c.getSettings(ZONE)));
    const took = performance.now() - start;
    assert.equal(blocked(), 0);
    assert.equal(simulator.journal.length, 200);
    assert.ok(took >= 3 * WINDOW_MS, "it cannot be faster than the limit allows");
  });

  it("also without any header", async () => {
    const omitHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
    simulator.setRateLimit({ limit: LIMIT, windowMs: WINDOW_MS, blockMs: WINDOW_MS, omitHeaders });
    const c = client();
    const start = performance.now();
    await Promise.all(Array.from({ length: 150 }, () => c.getSettings(ZONE)));
    assert.equal(blocked(), 0);
    assert.ok(performance.now() - start < 8 * WINDOW_MS, "it waits for windows, not for blocks");
  });

  it("also when the service allows less than was configured, and says so", async () => {
    const c = client(1200);
    await Promise.all(Array.from({ length: 100 }, () => c.getSettings(ZONE)));
    assert.equal(blocked(), 0);
  });

  it("two processes that share the budget slow each other down by the headers", async () => {
    const clients = [client(), client()];
    await Promise.all(clients.flatMap((c) => Array.from({ length: 60 }, () => c.getSettings(ZONE))));
    assert.equal(simulator.journal.filter(({ status }) => status === 200).length, 120);
    assert.equal(blocked(), 0);
  });

  it("somebody else uses the budget up: it waits instead of asking on", async () => {
    const c = client();
    await c.getSettings(ZONE);
    simulator.rateLimit?.spend(LIMIT - 6);
    const start = performance.now();
    await Promise.all(Array.from({ length: 30 }, () => c.getSettings(ZONE)));
    assert.ok(performance.now() - start > WINDOW_MS / 2);
    // What was on its way before the next answer told, at most.
    assert.ok(blocked() <= 16, `${blocked()} answers of 429`);
  });

  it("somebody else gets the user blocked: it waits as long as it is asked to and then finishes", async () => {
    const c = client();
    await c.getSettings(ZONE);
    simulator.rateLimit?.spend(LIMIT);
    await Promise.all(Array.from({ length: 20 }, () => c.getSettings(ZONE)));
    // Those under way when the block began, at most.
    assert.ok(blocked() <= 16, `${blocked()} answers of 429`);
  });
});
