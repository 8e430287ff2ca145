import assert from "node:assert/strict";
import { systemClock } from "../../../../provider/src/api/clock";
import type { PageGuardClient } from "../../../../provider/src/api/create-client";
import { createClient } from "../../../../provider/src/api/create-client";
import { RateLimiter } from "../../../../provider/src/api/rate-limit/rate-limiter";
import { type Simulator, startSimulator } from "../../../../simulator/src";
import { POLICY } from "../scripted-client";
import { ZONE } from "../scripted-server";

/** Like 60 in 10 s, but with shorter waits. The client learns the limit only from the headers of responses. */
const limit = { limit: 20, windowMs: 1000, blockMs: 1000 };

describe("The client, with a service that blocks users who send too many requests, over real sockets", function () {
  this.timeout(120_000);
  let simulator: Simulator;
  let client: PageGuardClient;
  beforeEach(async () => {
    simulator = await startSimulator({ latencyMs: 5, rateLimit: limit });
    simulator.zones.seed(ZONE, { policyQuota: 100 });
    const connection = { baseUrl: simulator.url, token: simulator.token, service: "page_guard" } as const;
    // It has its own limiter, like a client in another process.
    client = createClient(connection, { limiter: new RateLimiter(systemClock), env: {} });
  });
  afterEach(() => simulator.stop());

  const refused = () => simulator.journal.filter(({ status }) => status === 429).length;

  it("sends the requests of several windows without a single 429", async () => {
    await Promise.all(Array.from({ length: 60 }, () => client.getSettings(ZONE)));
    assert.deepEqual([refused(), simulator.journal.length], [0, 60]);
  });

  it("creates each policy exactly once, although the service refuses some of the requests", async () => {
    simulator.setRateLimit({ ...limit, headers: [] });
    const named = (n: number) => ({ ...POLICY, description: `p${n}` });
    await Promise.all(Array.from({ length: 60 }, (_, n) => client.createPolicy(ZONE, named(n))));
    assert.ok(refused() > 0, "no header announces the limit, so some requests are refused");
    const created = simulator.zone(ZONE).policies.map(({ description }) => description);
    assert.deepEqual([created.length, new Set(created).size], [60, 60]);
  });
});
