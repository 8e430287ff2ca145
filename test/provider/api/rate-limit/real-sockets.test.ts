import assert from "node:assert/strict";
import { systemClock } from "../../../../provider/src/api/clock";
import type { PageGuardClient } from "../../../../provider/src/api/create-client";
import { createClient } from "../../../../provider/src/api/create-client";
import { RateLimiter } from "../../../../provider/src/api/rate-limit/rate-limiter";
import { type Simulator, startSimulator } from "../../../../simulator/src";
import { POLICY } from "../scripted-client";
import { ZONE } from "../scripted-server";

/** As 60 in 10 s, but for the impatient. No client is told it. */
const limit = { limit: 20, windowMs: 1000, blockMs: 1000 };

describe("against a service that blocks whoever asks too often, over real sockets", function () {
  this.timeout(120_000);
  let simulator: Simulator;
  let client: PageGuardClient;
  beforeEach(async () => {
    simulator = await startSimulator({ latencyMs: 5, rateLimit: limit });
    simulator.zones.seed(ZONE, { policyQuota: 100 });
    const connection = { baseUrl: simulator.url, token: simulator.token, service: "page_guard" } as const;
    // A limiter of its own, as another process would have.
    client = createClient(connection, { limiter: new RateLimiter(systemClock), env: {} });
  });
  afterEach(() => simulator.stop());

  const refused = () => simulator.journal.filter(({ status }) => status === 429).length;

  it("work for several windows gets done without a single 429", async () => {
    await Promise.all(Array.from({ length: 60 }, () => client.getSettings(ZONE)));
    assert.deepEqual([refused(), simulator.journal.length], [0, 60]);
  });

  it("another program gets the user blocked: it waits as long as requested and then finishes", async () => {
    await client.getSettings(ZONE);
    simulator.rateLimit?.spend(20);
    await Promise.all(Array.from({ length: 20 }, () => client.getSettings(ZONE)));
    // Those under way when the block began, at most.
    assert.ok(refused() <= 16, `${refused()} answers of 429`);
  });

  it("policies are created one by one and each just once, refused or not", async () => {
    simulator.setRateLimit({ ...limit, headers: [] });
    const named = (n: number) => ({ ...POLICY, description: `p${n}` });
    await Promise.all(Array.from({ length: 60 }, (_, n) => client.createPolicy(ZONE, named(n))));
    assert.ok(refused() > 0, "nothing said the limit before");
    const made = simulator.zone(ZONE).policies.map(({ description }) => description);
    assert.deepEqual([made.length, new Set(made).size], [60, 60]);
  });
});
