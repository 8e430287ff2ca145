import assert from "node:assert/strict";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { policy, quickStory, quietZone, zoneA } from "../small-engine/zones";

const kindOf = (name: string) => (name.startsWith("set") ? cspPolicySet : cspPolicy) as never;

describe("An import by the plugin", () => {
  it("starts the logging time of a policy, but a read does not", async () => {
    const zones = { [zoneA]: { ...quietZone, policies: [] } };
    const { engine, time } = quickStory<unknown, object>(kindOf as never, zones, { isPlugin: true });
    await engine.up({ csp: policy() });
    const id = engine.state.get("csp")?.id ?? "";
    const { policyId = "" } = engine.outputs("csp");
    await time.sleep(24 * 60 * 60 * 1000);
    const now = new Date(time.now()).toISOString();
    const imported = await engine.get("imported", id, { __import: true });
    assert.equal(imported["loggingSince"], now);
    assert.equal((await engine.get("read", id))["loggingSince"], undefined);
    const set = await engine.get("set", zoneA, { __import: true });
    assert.deepEqual(set["loggingSince"], { checkout: now });
    assert.deepEqual(set["policyIds"], { checkout: policyId });
    assert.equal((await engine.get("set", zoneA))["loggingSince"], undefined);
  });
});
