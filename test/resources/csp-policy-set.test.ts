import assert from "node:assert/strict";
import { cspPolicySet } from "../../provider/src/resources/csp-policy-set/lifecycle";
import type { Properties } from "../small-engine/small-engine";
import { ourPolicies, policy, quietZone, useStories, zoneA } from "../small-engine/zones";

/** A set whose policies are right in everything that is not said. */
function set(policies: Readonly<Record<string, Properties>>, args: Properties = {}): Properties {
  const entries = Object.entries(policies).map(([key, entry]) => {
    const { zoneId: _, description: __, ...usual } = policy(entry);
    return [key, { ...usual, ...entry }];
  });
  return { zoneId: zoneA, policies: Object.fromEntries(entries), ...args };
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`shop-${index}`, {}]));

describe("CspPolicySet: from the first up to the last destroy", () => {
  const begin = useStories(cspPolicySet);
  const roomy = { [zoneA]: { ...quietZone, policyQuota: 1000 } };

  it("given many policies, when they are created, checked, refreshed and destroyed, then no request is made that is not needed", async () => {
    const { sim, engine } = await begin(roomy);
    const program = { set: set(many(40)) };
    await engine.up(program);
    assert.deepEqual(
      [sim.requests({ method: "GET" }).length, sim.requests({ method: "POST" }).length],
      [1, 40],
    );
    assert.equal(ourPolicies(sim).length, 40);
    assert.equal(Object.keys(Object(engine.outputs("set")["policyIds"])).length, 40);
    sim.journal.clear();
    assert.deepEqual(await engine.preview(program), []);
    await engine.up(program);
    assert.equal(sim.journal.length, 0, "what has not changed asks nothing");
    await engine.refresh();
    assert.equal(sim.journal.length, 1, "one list");
    assert.deepEqual(await engine.preview(program), [], "a refresh brings no difference");
    sim.journal.clear();
    await engine.destroy();
    assert.deepEqual([...new Set(sim.journal.map(({ method }) => method))], ["DELETE"]);
    assert.equal(sim.journal.length, 40);
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given a set, when one policy is edited, one dropped and one added, then just these are sent, the deletion last", async () => {
    const { sim, engine } = await begin();
    await engine.up({ set: set({ a: {}, b: {}, c: {} }) });
    const before = Object(engine.outputs("set")["policyIds"]);
    sim.journal.clear();
    await engine.up({
      set: set({ a: {}, b: { action: "allow" }, d: { value: "img-src 'self'" } }, { impact: "off" }),
    });
    assert.deepEqual(
      sim
        .changing()
        .map(({ method }) => method)
        .sort(),
      ["DELETE", "POST", "PUT"],
    );
    assert.equal(sim.changing().at(-1)?.method, "DELETE");
    const after = Object(engine.outputs("set")["policyIds"]);
    assert.deepEqual([after.a, after.b, Object.keys(after)], [before.a, before.b, ["a", "b", "d"]]);
    assert.deepEqual(ourPolicies(sim), ["a", "b", "d"]);
  });
});
