import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { type Simulator, startSimulator } from "../../../../simulator/src";
import { check } from "../../../support/random-runs";
import { VirtualTime } from "../../virtual-time/virtual-time";
import { play } from "../support/entrypoint-play";
import { scenario } from "../support/entrypoint-scenario";

describe("An entry point under faults, deaths and other people", function () {
  this.timeout(0);
  let sim: Simulator;
  const time = new VirtualTime();

  before(async () => {
    sim = await startSimulator({ now: time.now, token: randomBytes(20).toString("hex") });
  });
  after(() => sim.stop());

  // RUNS=20000 for the long form.
  it("leaves others alone, reaches the program, sends no list twice or in vain, and restores what was found", async () => {
    await check(
      fc.asyncProperty(scenario, (story) => play(sim, time, story)),
      { usually: 100 },
    );
  });
});
