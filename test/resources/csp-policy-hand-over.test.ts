import assert from "node:assert/strict";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../provider/src/resources/csp-policy-set/lifecycle";
import { startSimulator } from "../../provider/src/simulator";
import { type KindOf, SmallEngine } from "../small-engine/small-engine";
import { ourPolicies, policy, quietZone, zoneA } from "../small-engine/zones";

const kindOf: KindOf = (name) => (name === "set" ? (cspPolicySet as never) : (cspPolicy as never));

describe("Policies of a set and beside it", () => {
  it("given a lost checkpoint of a set and a single resource that declare the same, when both are applied again, then each takes one over and none is made", async () => {
    const sim = await startSimulator();
    sim.zones.seed(zoneA, quietZone);
    const engine = new SmallEngine(sim, kindOf);
    const { zoneId: _zone, ...content } = policy();
    const beside = [{ name: "single", args: policy() }];
    const program = {
      single: policy(),
      set: { zoneId: zoneA, policies: { key: content }, __beside: beside },
    };
    await engine.up(program);
    assert.equal(ourPolicies(sim).length, 2);
    engine.state.clear();
    await engine.up(program);
    assert.equal(ourPolicies(sim).length, 2);
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), []);
    await sim.stop();
  });
});
