import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { Grants } from "../../../command/src/fleet/grants";
import { OwnFolder } from "../../../command/src/pulumi/own-folder";
import { processSession } from "../../../command/src/shared/session";
import { apiSettings } from "../../../provider/src/api/api-settings";
import { FakeClock, settled } from "../../provider/virtual-time/fake-clock";

describe("The rate limit of a fleet's runs", () => {
  let clock: FakeClock;
  let folder: OwnFolder;
  let told: string[];
  let begun: number[];
  const signal = new AbortController().signal;

  beforeEach(() => {
    clock = new FakeClock();
    folder = new OwnFolder();
    [told, begun] = [[], []];
  });
  afterEach(() => folder.close());

  function grantsOf(parallel: number, limit = ""): Grants {
    const env = { PAGE_GUARD_MAX_REQUESTS_PER_5M: limit };
    return new Grants({ ...processSession(), env, clock }, folder, parallel);
  }

  /** Plays a run that sends `requests` requests and takes `tookMs`. */
  const play = (grants: Grants, requests: number, tookMs = 1000): Promise<void> =>
    grants.with(
      signal,
      (text) => told.push(text),
      async ({ env }) => {
        const { maxRequests = 0, requestsFile = "" } = apiSettings(env);
        begun.push(maxRequests);
        appendFileSync(requestsFile, ".".repeat(requests));
        await new Promise<void>((done) => clock.schedule(tookMs, done));
      },
    );

  it("given fewer than 50 requests left, then makes the next run wait and say so, until the earlier requests are five minutes old", async () => {
    const grants = grantsOf(1);
    await Promise.all([play(grants, 1160), clock.run()]);
    const next = play(grants, 5);
    await clock.advance(298_000);
    assert.deepEqual(begun, [1200]);
    assert.deepEqual(told, ["waiting for the rate limit: 40 of 1200 requests left"]);
    await clock.run();
    await next;
    assert.deepEqual(begun, [1200, 1200]);
  });

  it("given a limit of one request, then lets one run send it, and makes the next one wait", async () => {
    const grants = grantsOf(1, "1");
    await Promise.all([play(grants, 1), play(grants, 1), clock.run()]);
    assert.deepEqual(begun, [1, 1]);
    assert.deepEqual(told, ["waiting for the rate limit: 0 of 1 request left"]);
  });

  it("given running runs that have reserved the whole limit, then lets the next one begin when enough of it is left", async () => {
    const grants = grantsOf(2, "100");
    const runs = [play(grants, 3), play(grants, 3, 20_000), play(grants, 3)];
    await settled();
    assert.deepEqual(begun, [50, 50]);
    await clock.advance(1000);
    await settled();
    // 97 requests are left, but the run under way has reserved 50 of them.
    assert.deepEqual(begun, [50, 50]);
    await clock.run();
    await Promise.all(runs);
    assert.deepEqual(begun, [50, 50, 50]);
    assert.deepEqual(told, ["waiting for the rate limit: 0 of 100 requests left"]);
  });
});
