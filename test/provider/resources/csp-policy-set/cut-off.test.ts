import assert from "node:assert/strict";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import { ourPolicies, quietZone, useStories, zoneA } from "../../small-engine/zones";
import { many, set } from "../support/policy-set";

describe("A CspPolicySet whose update is cut off", () => {
  const begin = useStories(cspPolicySet);
  const program = { set: set({ a: {}, b: {}, c: {}, d: {} }) };

  it("given responses that are all lost, when the set is created, edited and destroyed, then each change is made once", async () => {
    const { sim, engine } = await begin();
    sim.faults.add({ method: "POST", kind: "reset-after" });
    await engine.up(program);
    assert.equal(sim.requests({ method: "POST" }).length, 4);
    assert.deepEqual(ourPolicies(sim), ["a", "b", "c", "d"]);
    sim.faults.clear();
    for (const method of ["PUT", "DELETE"]) sim.faults.add({ method, kind: "reset-after", count: 1 });
    await engine.up({ set: set({ a: { enabled: false }, b: {}, c: {} }) });
    assert.deepEqual(ourPolicies(sim), ["a", "b", "c"]);
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given a renamed key whose update is refused, when the update runs again, then the policy keeps its id", async () => {
    const { sim, engine } = await begin();
    await engine.up({ set: set({ a: {} }) });
    const { a: policyId } = Object(engine.outputs("set")["policyIds"]);
    sim.faults.add({ method: "PUT", kind: "status", status: 403, count: 1 });
    await engine.upFails({ set: set({ z: {} }) });
    await engine.up({ set: set({ z: {} }) });
    assert.deepEqual([engine.outputs("set")["policyIds"], ourPolicies(sim)], [{ z: policyId }, ["z"]]);
  });

  it("given some creates that are refused, when the update runs again, then it creates the missing policies, because the state contains the others", async () => {
    const { sim, engine } = await begin();
    const fault = sim.faults.add({ method: "POST", kind: "status", status: 400, skip: 2 });
    const said = await engine.upFails(program);
    assert.match(said, /Failed to make 2 of .* 2 of 4 policies /);
    assert.match(said, /policies\.[a-d]: /);
    assert.equal(Object.keys(Object(engine.outputs("set")["policyIds"])).length, 2);
    await engine.refresh();
    sim.faults.remove(fault);
    sim.journal.clear();
    await engine.up(program);
    assert.equal(sim.changing().length, 2);
    assert.deepEqual(ourPolicies(sim), ["a", "b", "c", "d"]);
    assert.deepEqual(await engine.preview(program), []);
  });

  it("given edits whose outcome stays unknown, when the program reverts them, then the next update reverts them in the zone", async () => {
    const { sim, engine } = await begin();
    await engine.up(program);
    sim.faults.add({ method: "PUT", kind: "reset-after" });
    await engine.upFails({ set: set({ a: { enabled: false }, b: {}, c: {}, d: {} }) });
    sim.faults.clear();
    await engine.up(program);
    assert.ok(sim.zone(zoneA).policies.every(({ enabled }) => enabled));
    assert.deepEqual(await engine.preview(program), []);
  });

  it("given edits that are not carried out and a list that lags behind, when the update runs again, then it sends them", async () => {
    const { sim, engine } = await begin();
    const edited = { set: set({ a: { enabled: false }, b: {}, c: {}, d: {} }) };
    await engine.up(edited);
    const { policies: before } = sim.zone(zoneA);
    await engine.up(program);
    sim.faults.add({ method: "PUT", kind: "reset-before" });
    await engine.upFails(edited);
    sim.faults.clear();
    const { policies: now } = sim.zone(zoneA);
    const show = (policies: typeof now) =>
      sim.edit(zoneA, (zone) => Object.assign(zone, structuredClone({ policies })));
    sim.onRequest(({ method }) => method === "GET" && show(before));
    sim.onProcessed(({ method }) => method === "GET" && show(now));
    await engine.up(edited);
    assert.equal(sim.zone(zoneA).policies.filter(({ enabled }) => !enabled).length, 1);
  });

  it("given a creation that fails, when other policies are removed in the same update, then they are only deleted after the creation succeeds", async () => {
    const { sim, engine } = await begin();
    await engine.up(program);
    const fault = sim.faults.add({ method: "POST", kind: "status", status: 400 });
    const next = { set: set({ a: {}, e: { value: "img-src 'self'" } }) };
    await engine.upFails(next);
    assert.deepEqual(ourPolicies(sim), ["a", "b", "c", "d"]);
    sim.faults.remove(fault);
    await engine.up(next);
    assert.deepEqual(ourPolicies(sim), ["a", "e"]);
  });

  it("given a full zone and no policy to delete, when a policy is added, then it is sent once, and no message says that policies are deleted first", async () => {
    const { sim, engine } = await begin({ [zoneA]: { ...quietZone, policyQuota: 2 } });
    await engine.up({ set: set({ a: {} }) });
    sim.journal.clear();
    const refusal = await engine.upFails({ set: set({ a: {}, b: {} }) });
    assert.match(
      refusal,
      /policies\.b: Failed to create a policy: the zone has reached a limit of its plan\./,
    );
    assert.equal(sim.requests({ method: "POST" }).length, 1);
    assert.doesNotMatch(engine.warned.join("\n"), /csp-set-no-room/);
  });

  it("given a full zone, when policies are exchanged, then the old ones are deleted first, with a warning, and the new ones are sent once more", async () => {
    const { sim, engine } = await begin({ [zoneA]: { ...quietZone, policyQuota: 5 } });
    await engine.up(program);
    const next = { set: set({ a: {}, e: { value: "img-src 'self'" }, f: { value: "img-src 'none'" } }) };
    await engine.up(next);
    const told = engine.warned.filter((text) => text.endsWith("[csp-set-no-room]"));
    assert.match(told.join(), / 2 of the new policies, .* 3 old policies /);
    assert.deepEqual(ourPolicies(sim), ["a", "e", "f"]);
    assert.match(await engine.upFails({ set: set({ ...Object(many(9)) }) }), /policies\[?/);
  });

  for (const side of ["before", "after"] as const) {
    it(`given a machine that dies ${side} any request, when the update runs again, then the zone is as declared, without duplicates`, async () => {
      const next = { set: set({ a: { enabled: false }, b: {}, e: { value: "img-src 'self'" } }) };
      for (let request = 0; request < 12; request += 1) {
        const { sim, engine } = await begin();
        await engine.up(program, { death: { request, side } });
        await engine.up(program);
        assert.deepEqual(ourPolicies(sim), ["a", "b", "c", "d"], `create, request ${request}`);
        await engine.up(next, { death: { request, side } });
        await engine.up(next);
        assert.deepEqual(ourPolicies(sim), ["a", "b", "e"], `update, request ${request}`);
        assert.deepEqual(await engine.preview(next), []);
        await engine.destroy({ death: { request, side } });
        await engine.destroy();
        assert.deepEqual(ourPolicies(sim), []);
      }
    });
  }
});
