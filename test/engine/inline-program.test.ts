import assert from "node:assert/strict";
import { delimiter } from "node:path";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { PageGuardSettings } from "pulumi-page-guard";
import { type Simulator, startSimulator } from "../../provider/src/simulator";
import { engine, newPlace } from "../real-engine/engine";

const zoneId = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf";

/** Programs of the Automation API that are functions: all of them run in this one process. */
describe("On the engine: inline programs", function () {
  this.timeout(180_000);

  it("given a bad and a good program in one process, when they run after one another, then the bad one is refused in time and the good one is not held up", async () => {
    const sim = await startSimulator();
    sim.zones.seed(zoneId);
    try {
      const bad = await stackOf(sim, async () => {
        new PageGuardSettings("watch", { zoneId: "abc", enabled: true });
      });
      await assert.rejects(
        bad.preview(),
        /1 problem in what the program declares \(PageGuardSettings watch\)/,
      );
      const good = await stackOf(sim, async () => {
        new PageGuardSettings("watch", { zoneId, enabled: true });
      });
      const { changeSummary } = await good.preview();
      assert.equal(changeSummary["create"], 2);
      await good.up();
      assert.equal(sim.zone(zoneId).settings.enabled, true);
      await good.destroy();
      assert.equal(sim.zone(zoneId).settings.enabled, false);
    } finally {
      await sim.stop();
    }
  });
});

async function stackOf(sim: Simulator, program: () => Promise<void>): Promise<Stack> {
  const place = await newPlace();
  // The SDK looks for the CLI on this process's own PATH.
  process.env["PATH"] = `${await engine()}${delimiter}${process.env["PATH"]}`;
  const { PATH: _path, ...env } = place.env;
  const envVars = Object.entries({ ...env, PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token });
  return LocalWorkspace.createOrSelectStack(
    { stackName: "dev", projectName: "story", program },
    {
      workDir: place.project,
      pulumiHome: place.pulumiHome,
      envVars: Object.fromEntries(envVars.map(([name, value]) => [name, value ?? ""])),
    },
  );
}
