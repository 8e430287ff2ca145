import assert from "node:assert/strict";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import type { Simulator } from "../../../../simulator/src";
import type { Properties } from "../../small-engine/checkpoint";
import { ourPolicies, policy, quickStory, quietZone, zoneA } from "../../small-engine/zones";

const { zoneId: _zone, description: _named, ...content } = policy();
const allow = { ...content, action: "allow" };
const day = 24 * 60 * 60 * 1000;
const program = (policies: Properties, args: Properties = {}) => ({
  set: { zoneId: zoneA, policies, impact: "off", ...args },
});
const begin = () => quickStory(cspPolicySet, { [zoneA]: { ...quietZone, policies: [] } });
const idOf = (sim: Simulator, description: string): string =>
  sim.zone(zoneA).policies.find((one) => one.description === description)?.id ?? assert.fail(description);
const addTheirs = (sim: Simulator) => sim.dashboard.putPolicy(zoneA, { ...content, description: "theirs" });
const refusedPost = { method: "POST", kind: "status", status: 400 } as const;

describe("The state of a set", () => {
  it("given a destroy in which a deletion fails, then the destroy fails, and the next one deletes the rest", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content, b: content }));
    sim.faults.add({ method: "DELETE", kind: "status", status: 403, count: 1 });
    await assert.rejects(engine.destroy(), /refused the API token/);
    assert.deepEqual([engine.state.has("set"), ourPolicies(sim).length], [true, 1]);
    await engine.destroy();
    assert.deepEqual([engine.state.size, ourPolicies(sim)], [0, []]);
  });

  it("given two sets whose states contain the same policy, when both are destroyed, then it is deleted once", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }));
    const recorded = engine.state.get("set");
    assert.ok(recorded);
    engine.state.set("other", recorded);
    sim.journal.clear();
    await engine.destroy();
    assert.equal(sim.changing().length, 1);
  });

  it("given a set without drift, when it is refreshed, then the state stays the same, for policies with and without a description", async () => {
    const { engine, time } = begin();
    const policies = { a: content, b: { ...content, description: "named" }, c: allow };
    await engine.up(program(policies));
    const before = engine.state.get("set");
    assert.deepEqual(Object.keys(Object(before?.outputs["loggingSince"])), ["a", "b"]);
    time.pass(2 * day);
    assert.deepEqual(await engine.drift(), []);
    await engine.refresh();
    assert.deepEqual(engine.state.get("set"), before);
  });

  it("given an undeclared policy that could not be deleted, then the state lists it until it is deleted", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }, { others: "delete" }));
    addTheirs(sim);
    sim.faults.add({ method: "DELETE", kind: "status", status: 403, count: 1 });
    await engine.upFails(program({ a: content }, { others: "delete" }));
    assert.deepEqual(engine.outputs("set")["undeclared"], ['"theirs"']);
    await engine.up(program({ a: content }, { others: "delete" }));
    assert.deepEqual([engine.outputs("set")["undeclared"], ourPolicies(sim)], [[], ["a"]]);
  });

  it("given a policy that someone has deleted, when it is changed, then it is recreated, and its logging time starts again", async () => {
    const { sim, engine, time } = begin();
    await engine.up(program({ a: content, b: content }));
    const since = () => Object(engine.outputs("set")["loggingSince"]);
    const { a: first } = since();
    time.pass(3 * day);
    sim.dashboard.deletePolicy(zoneA, idOf(sim, "a"));
    const described = (description: string) => ({ ...content, description });
    await engine.up(program({ a: described("A"), b: described("B") }));
    assert.deepEqual(ourPolicies(sim), ["A", "B"]);
    assert.equal(since().b, first, "a new description does not restart the logging time");
    assert.ok(Date.parse(since().a) >= Date.parse(first) + 3 * day);
  });

  it("given a zone that the service does not know, when a policy is changed, then that is reported, and no policy is created", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }));
    sim.faults.add({ method: "PUT", kind: "status", status: 404, code: 7003 });
    assert.match(await engine.upFails(program({ a: { ...content, description: "A" } })), /does not know/);
    assert.equal(sim.requests({ zoneId: zoneA, method: "POST" }).length, 1);
  });

  it("given removed policies, then only those that could not be deleted are reported, and the next update deletes them", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content, b: content }));
    await engine.up(program({ a: content }));
    assert.deepEqual(ourPolicies(sim), ["a"]);
    await engine.up(program({ a: content, b: content }));
    sim.faults.add({ method: "DELETE", kind: "status", status: 403 });
    const told = await engine.upFails(program({ a: content }));
    assert.match(told, /^Failed to make 1 of .* 1 of 1 policy .*\nthe deletion of b: /);
    assert.equal(Object(engine.outputs("set")["policies"]).b.description, "b");
    sim.faults.clear();
    await engine.up(program({ a: content }));
    assert.deepEqual(ourPolicies(sim), ["a"]);
  });

  it("given a full zone, when a deletion fails as well, then both failures are reported", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }));
    const message = "exceeded the maximum number of rules";
    sim.faults.add({ ...refusedPost, message });
    sim.faults.add({ method: "DELETE", kind: "status", status: 403 });
    const other = { ...content, expression: "true" };
    const told = await engine.upFails(program({ b: other }));
    assert.match(told, /^Failed to make 2 of the set's changes: 0 of 1/);
  });
});
