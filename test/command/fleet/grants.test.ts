import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { Grants } from "../../../command/src/fleet/grants";
import { OwnFolder } from "../../../command/src/pulumi/own-folder";
import { processSession } from "../../../command/src/shared/session";
import { apiSettings } from "../../../provider/src/api/api-settings";
import { FakeClock, settled } from "../../provider/virtual-time/fake-clock";

describe("What each run of a fleet may send", () => {
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

  const grantsOf = (parallel: number, limit = ""): Grants =>
    new Grants(
      { ...processSession(), env: { PAGE_GUARD_MAX_REQUESTS_PER_5M: limit }, clock },
      folder,
      parallel,
    );

  /** A run that sends so many requests and takes so long. */
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

  it("given less than 50 that are left, then the next run waits, says so, and begins when runs are five minutes old", async () => {
    const grants = grantsOf(1);
    await Promise.all([play(grants, 1160), clock.run()]);
    const next = play(grants, 5);
    await clock.advance(298_000);
    assert.deepEqual(begun, [1200]);
    assert.deepEqual(told, ["waiting for the rate limit: 40 left of 1200 requests"]);
    await clock.run();
    await next;
    assert.deepEqual(begun, [1200, 1200]);
  });

  it("given a limit of one request, then a run may send it, and the next one waits for it", async () => {
    const grants = grantsOf(1, "1");
    await Promise.all([play(grants, 1), play(grants, 1), clock.run()]);
    assert.deepEqual(begun, [1, 1]);
    assert.deepEqual(told, ["waiting for the rate limit: 0 left of 1 request"]);
  });

  it("given the limit in the hands of runs that have not ended, then the next one begins when one ends with less", async () => {
    const grants = grantsOf(2, "100");
    const runs = [play(grants, 3), play(grants, 3, 20_000), play(grants, 3)];
    await settled();
    assert.deepEqual(begun, [50, 50]);
    await clock.advance(1000);
    await settled();
    // 97 are left, but for the 50 of the one that runs.
    assert.deepEqual(begun, [50, 50]);
    await clock.run();
    await Promise.all(runs);
    assert.deepEqual(begun, [50, 50, 50]);
    assert.deepEqual(told, ["waiting for the rate limit: 0 left of 100 requests"]);
  });
});
