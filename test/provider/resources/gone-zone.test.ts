import assert from "node:assert/strict";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import type { Properties } from "../small-engine/checkpoint";
import { policy, quickStory, zoneA } from "../small-engine/zones";

function ofAZone<Inputs, State extends object>(kind: Kind<Inputs, State>, args: Properties): void {
  describe(`${kind.name} of a zone that answers as if it were none`, () => {
    it("are gone after a refresh when the zone is, and their destroy has nothing to do", async () => {
      const { sim, engine } = quickStory(kind);
      await engine.previewFails({ mine: { ...args, zoneId: "c".repeat(32) } });
      await engine.up({ mine: args });
      const backup = engine.backup();
      sim.zones.remove(zoneA);
      await engine.refresh();
      assert.equal(engine.state.size, 0);
      engine.restore(backup);
      await engine.destroy();
      assert.equal(engine.state.size, 0);
    });

    it("stay in the state where it is their own route that does not answer, whatever the other one says", async () => {
      const { sim, engine } = quickStory(kind);
      await engine.up({ mine: args });
      sim.faults.add({ path: /page_guard/, kind: "status", status: 403 });
      sim.faults.add({ path: /entrypoint$/, kind: "status", status: 404, code: 7003 });
      await assert.rejects(engine.refresh(), /refused the API token.*403/);
      await assert.rejects(engine.destroy(), /refused the API token.*403/);
      assert.deepEqual([...engine.state.keys()], ["mine"]);
    });

    for (const code of [7000, 7003]) {
      it(`stay in the state where only the name of the service is the other one (code ${code})`, async () => {
        const { sim, engine } = quickStory(kind);
        await engine.up({ mine: args });
        sim.faults.add({ path: /page_guard/, kind: "status", status: 404, code });
        await assert.rejects(engine.refresh(), /has the wrong service name/);
        await assert.rejects(engine.destroy(), /has the wrong service name/);
        for (const answer of [{ status: 403 }, { status: 404, code: 1002 }]) {
          const nobodyCanTell = sim.faults.add({ path: /entrypoint$/, kind: "status", ...answer });
          await assert.rejects(engine.refresh(), /has the wrong service name/);
          sim.faults.remove(nobodyCanTell);
        }
        assert.deepEqual([...engine.state.keys()], ["mine"]);
        sim.faults.clear();
        await engine.destroy();
        assert.equal(engine.state.size, 0);
      });
    }
  });
}

const { zoneId: _, description: __, ...entry } = policy();

ofAZone(pageGuardSettings, { zoneId: zoneA, enabled: true });
ofAZone(cspPolicy, policy());

describe("A zone of whose settings the service knows nothing", () => {
  it("has none to keep in the state, and none to restore", async () => {
    const { sim, engine } = quickStory(pageGuardSettings);
    await engine.up({ mine: { zoneId: zoneA, enabled: true } });
    const backup = engine.backup();
    sim.faults.add({ path: /page_guard/, kind: "status", status: 404, code: 1002 });
    await engine.refresh();
    assert.equal(engine.state.size, 0);
    engine.restore(backup);
    await engine.destroy();
    assert.equal(engine.state.size, 0);
  });
});

ofAZone(cspPolicySet, {
  zoneId: zoneA,
  policies: { one: entry, two: { ...entry, expression: "true" } },
});
