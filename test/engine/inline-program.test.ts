import assert from "node:assert/strict";
import { delimiter } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { LocalWorkspace, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";
import { CspPolicy, type CspPolicyArgs, getScriptsOutput, PageGuardSettings } from "pulumi-page-guard";
import { type Simulator, startSimulator } from "../../simulator/src";
import { each } from "../support/each";
import { engine, newPlace } from "./real-engine/engine";

const zoneId = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf";

const problems = /Failed to declare PageGuardSettings watch of the stack dev: 1 problem/;

/** Programs of the Automation API that are functions. All of them run in this process. */
describe("On the engine: inline programs", () => {
  let sim: Simulator;

  beforeEach(async () => {
    sim = await startSimulator();
    sim.zones.seed(zoneId);
  });

  afterEach(() => sim?.stop());

  it("given a bad and a good program in one process, when they run one after the other, then the bad one is refused and the good one is applied", async () => {
    const bad = await stackOf(sim, async () => {
      const shop = new pulumi.ComponentResource("story:index:Shop", "shop");
      const watch = new PageGuardSettings("watch", { zoneId: "abc", enabled: true }, { parent: shop });
      const csp = new CspPolicy("csp", policyFor(watch.zoneId), { parent: watch });
      return { id: watch.id, policyId: pulumi.interpolate`policy ${csp.policyId}`, nested: { csp } };
    });
    for (const refused of [() => bad.preview(), () => bad.up()]) {
      await assert.rejects(refused(), ({ message }: Error) => {
        assert.match(message, /zoneId: expected a zone id \(32 hexadecimal characters\), got "abc"/);
        assert.match(message, problems);
        return true;
      });
    }
    assert.equal(sim.journal.length, 0);
    const good = await stackOf(sim, async () => {
      const watch = new PageGuardSettings("watch", { zoneId, enabled: true });
      return { id: watch.id };
    });
    const { outputs, summary } = await good.up();
    assert.deepEqual([outputs["id"]?.value, summary.resourceChanges?.["create"]], [zoneId, 2]);
    assert.equal(sim.zone(zoneId).settings.enabled, true);
  });
  it("given a stack with a policy, when its next program is refused or a read in it fails, then nothing is deleted", async () => {
    let program = async (): Promise<void> => void new CspPolicy("csp", policyFor(zoneId));
    const stack = await stackOf(sim, () => program());
    await stack.up();
    program = async () => void new PageGuardSettings("watch", { zoneId: "abc", enabled: true });
    await assert.rejects(stack.up(), /Failed to declare .* of the stack dev: /);
    program = async () => {
      const scripts = getScriptsOutput({
        zoneId,
        connection: { tokenEnv: "PAGE_GUARD_TEST_NO_SUCH_TOKEN" },
      });
      scripts.apply(() => new CspPolicy("csp", policyFor(zoneId)));
    };
    await assert.rejects(stack.up(), /PAGE_GUARD_TEST_NO_SUCH_TOKEN/);
    assert.deepEqual(each(sim.changing(), "method"), ["POST"]);
  });
});

function policyFor(zone: pulumi.Input<string>): CspPolicyArgs {
  return { zoneId: zone, description: "", action: "log", expression: "true", value: "script-src 'self'" };
}

async function stackOf(sim: Simulator, program: PulumiFn): Promise<Stack> {
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
