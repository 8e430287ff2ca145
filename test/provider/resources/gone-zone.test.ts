import assert from "node:assert/strict";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import type { Properties } from "../small-engine/checkpoint";
import { policy, quickStory, zoneA } from "../small-engine/zones";

/** `edit` replaces some of the inputs; `route` is the route of its object. */
function describeKind<Inputs, State extends object>(
  kind: Kind<Inputs, State>,
  args: Properties,
  edit: Properties,
  route = /page_guard/,
): void {
  describe(`A ${kind.name} whose requests are refused, or whose zone may be deleted`, () => {
    it("is not in the state after a refused create, and unchanged in the state after a refused update", async () => {
      const { sim, engine } = quickStory(kind);
      const fault = { path: route, kind: "status", status: 403 } as const;
      for (const method of ["POST", "PUT"]) sim.faults.add({ ...fault, method });
      await engine.upFails({ mine: args });
      assert.equal(engine.state.size, 0);
      sim.faults.clear();
      await engine.up({ mine: args });
      const before = engine.outputs("mine");
      sim.faults.add({ ...fault, method: "PUT" });
      await engine.upFails({ mine: { ...args, ...edit } });
      // The update of a set consists of several requests, of which some may succeed.
      if (kind.name !== "CspPolicySet") assert.deepEqual(engine.outputs("mine"), before);
    });

    it("is removed from the state by a refresh and by a destroy if the zone is deleted", async () => {
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

    it("stays in the state if its own route refuses, whatever the route of the entry point answers", async () => {
      const { sim, engine } = quickStory(kind);
      await engine.up({ mine: args });
      sim.faults.add({ path: route, kind: "status", status: 403 });
      sim.faults.add({ path: /entrypoint$/, kind: "status", status: 404, code: 7003 });
      await assert.rejects(engine.refresh(), /refused the API token.*403/);
      await assert.rejects(engine.destroy(), /refused the API token.*403/);
      assert.deepEqual([...engine.state.keys()], ["mine"]);
    });

    for (const code of kind.name === "ManagedWafEntrypoint" ? [] : [7000, 7003]) {
      it(`stays in the state if only the service name is wrong (code ${code})`, async () => {
        const { sim, engine } = quickStory(kind);
        await engine.up({ mine: args });
        sim.faults.add({ path: /page_guard/, kind: "status", status: 404, code });
        await assert.rejects(engine.refresh(), /has the wrong service name/);
        await assert.rejects(engine.destroy(), /has the wrong service name/);
        for (const answer of [{ status: 403 }, { status: 404, code: 1002 }]) {
          const inconclusive = sim.faults.add({ path: /entrypoint$/, kind: "status", ...answer });
          await assert.rejects(engine.refresh(), /has the wrong service name/);
          sim.faults.remove(inconclusive);
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

const rules = [{ action: "block", expression: "true" }];

describeKind(pageGuardSettings, { zoneId: zoneA, enabled: true }, { useConnectionUrlPath: true });
describeKind(cspPolicy, policy(), { description: "other" });
describeKind(managedWafEntrypoint, { zoneId: zoneA, rules }, { rules: [] }, /entrypoint$/);

describe("PageGuardSettings whose settings the service does not know", () => {
  it("are removed from the state by a refresh and by a destroy", async () => {
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

const policies = { one: entry, two: { ...entry, expression: "true" } };
describeKind(
  cspPolicySet,
  { zoneId: zoneA, policies },
  { policies: { ...policies, one: { ...entry, enabled: false } } },
);
