import assert from "node:assert/strict";
import type { PageGuardClient } from "../../../../provider/src/api/client-types";
import { Draft } from "../../../../provider/src/lifecycle/draft";
import type { Run } from "../../../../provider/src/lifecycle/run";
import { createRun } from "../../../../provider/src/lifecycle/run";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { ZonePolicies } from "../../../../provider/src/policies/zone-policies";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import type { Simulator } from "../../../../simulator/src";
import { placeAndCode } from "../../../support/place-and-code";
import type { Properties } from "../../small-engine/checkpoint";
import { ourPolicies, policy, quickStory, quietZone, zoneA } from "../../small-engine/zones";
import { changedInputs, inspected } from "../support/asked-kind";

const { zoneId: _zone, description: _named, ...content } = policy();
const allow = { ...content, action: "allow" };
const day = 24 * 60 * 60 * 1000;
const program = (policies: Properties, args: Properties = {}) => ({
  set: { zoneId: zoneA, policies, impact: "off", ...args },
});
const begin = () => quickStory(cspPolicySet, { [zoneA]: { ...quietZone, policies: [] } });
const idOf = (sim: Simulator, description: string): string =>
  sim.zone(zoneA).policies.find((one) => one.description === description)?.id ?? assert.fail(description);
const stranger = (sim: Simulator) => sim.dashboard.putPolicy(zoneA, { ...content, description: "theirs" });
/** Of an update that changes nothing. */
const planned = (run: Run, state: Properties, inputs: Properties) =>
  cspPolicySet.plan(run, new Draft(cspPolicySet, inputs, "set"), {
    ...{ id: zoneA, state: cspPolicySet.parseState(state), inputs, isDue: false },
  });
const refusedPost = { method: "POST", kind: "status", status: 400 } as const;

describe("What is in the state of a set", () => {
  it("given a destroy of which deletions fail, then it fails, and the next one does the rest", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content, b: content }));
    sim.faults.add({ method: "DELETE", kind: "status", status: 403, count: 1 });
    await assert.rejects(engine.destroy(), /refused the API token/);
    assert.deepEqual([engine.state.has("set"), ourPolicies(sim).length], [true, 1]);
    await engine.destroy();
    assert.deepEqual([engine.state.size, ourPolicies(sim)], [0, []]);
  });

  it("given a policy that cannot be checked, when it is refreshed, then nothing is taken for gone", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content, b: content }));
    const before = engine.state.get("set");
    const id = idOf(sim, "a");
    sim.dashboard.deletePolicy(zoneA, id);
    sim.faults.add({ method: "GET", path: id, kind: "status", status: 403 });
    await assert.rejects(engine.refresh(), /refused the API token/);
    assert.deepEqual(engine.state.get("set"), before);
    sim.faults.clear();
    await engine.refresh();
    assert.deepEqual(Object.keys(Object(engine.outputs("set")["policyIds"])), ["b"]);
  });

  it("given a set that is as it was, when it is refreshed, then nothing differs, named by its key or by a description", async () => {
    const { sim, engine, time } = begin();
    const policies = { a: content, b: { ...content, description: "named" }, c: allow };
    await engine.up(program(policies));
    const before = engine.state.get("set");
    assert.deepEqual(Object.keys(Object(before?.outputs["loggingSince"])), ["a", "b"]);
    time.pass(2 * day);
    assert.deepEqual(await engine.drift(), []);
    await engine.refresh();
    assert.deepEqual(engine.state.get("set"), before);
    sim.dashboard.putPolicy(zoneA, { id: idOf(sim, "a"), description: "renamed" });
    await engine.refresh();
    assert.equal(Object(engine.outputs("set")["policies"]).a.description, "renamed");
  });

  it("given an exact set, when it is refreshed, then what no one declares is shown, and nothing else", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }, { others: "refuse" }));
    stranger(sim);
    assert.deepEqual(await engine.drift(), ["set"]);
    await engine.refresh();
    assert.deepEqual(engine.outputs("set")["undeclared"], ['"theirs"']);
    const { engine: keeping } = begin();
    await keeping.up(program({ a: content }, { others: "refuse", onDestroy: "keep" }));
    await keeping.refresh();
    assert.deepEqual(keeping.outputs("set")["undeclared"], []);
  });

  it("given a policy of no one that could not be deleted, then it is shown until it is gone", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }, { others: "delete" }));
    stranger(sim);
    sim.faults.add({ method: "DELETE", kind: "status", status: 403, count: 1 });
    await engine.upFails(program({ a: content }, { others: "delete" }));
    assert.deepEqual(engine.outputs("set")["undeclared"], ['"theirs"']);
    await engine.up(program({ a: content }, { others: "delete" }));
    assert.deepEqual([engine.outputs("set")["undeclared"], ourPolicies(sim)], [[], ["a"]]);
  });

  it("given a create of which nothing works, then nothing is in the state; of which a part works, that part", async () => {
    const none = begin();
    none.sim.faults.add(refusedPost);
    await none.engine.upFails(program({ a: content, b: content }));
    assert.equal(none.engine.state.size, 0);
    const part = begin();
    part.sim.faults.add({ ...refusedPost, count: 1 });
    await part.engine.upFails(program({ a: content, b: content }));
    assert.equal(Object.keys(Object(part.engine.outputs("set")["policyIds"])).length, 1);
  });

  it("given a policy that someone has deleted, when it is changed, then it is recreated, and its days of log start again", async () => {
    const { sim, engine, time } = begin();
    await engine.up(program({ a: content, b: content }));
    const since = () => Object(engine.outputs("set")["loggingSince"]);
    const { a: first } = since();
    time.pass(3 * day);
    sim.dashboard.deletePolicy(zoneA, idOf(sim, "a"));
    const described = (description: string) => ({ ...content, description });
    await engine.up(program({ a: described("A"), b: described("B") }));
    assert.deepEqual(ourPolicies(sim), ["A", "B"]);
    assert.equal(since().b, first, "a description is no reason to count anew");
    assert.ok(Date.parse(since().a) >= Date.parse(first) + 3 * day);
  });

  it("given a zone that is not known, when a policy is changed, then that is reported and none is made", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }));
    sim.faults.add({ method: "PUT", kind: "status", status: 404, code: 7003 });
    assert.match(await engine.upFails(program({ a: { ...content, description: "A" } })), /does not know/);
    assert.equal(sim.requests({ zoneId: zoneA, method: "POST" }).length, 1);
  });

  it("given policies that leave, then that is reported of the ones that could not be deleted, and of no others", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content, b: content }));
    await engine.up(program({ a: content }));
    assert.deepEqual(ourPolicies(sim), ["a"]);
    await engine.up(program({ a: content, b: content }));
    sim.faults.add({ method: "DELETE", kind: "status", status: 403 });
    const told = await engine.upFails(program({ a: content }));
    assert.match(told, /^Failed to make 1 of .* 1 of 1 policy .*\nthe deletion of b: /);
    assert.equal(Object(engine.outputs("set")["policies"]).b.description, "b");
  });

  it("given no room, and a deletion that fails as well, then both are reported", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }));
    const message = "exceeded the maximum number of rules";
    sim.faults.add({ ...refusedPost, message });
    sim.faults.add({ method: "DELETE", kind: "status", status: 403 });
    const other = { ...content, expression: "true" };
    assert.match(
      await engine.upFails(program({ b: other })),
      /^Failed to make 2 of the set's changes: 0 of 1/,
    );
  });

  it("given a policy of no one that no preview has named, then no update deletes it", async () => {
    const deleted: string[] = [];
    const theirs = { ...content, description: "theirs", enabled: true, policyId: "2" };
    const client = {
      listPolicies: async () => [{ ...theirs, description: "a", policyId: "1" }, theirs],
      deletePolicy: async (_zone: string, policyId: string) => deleted.push(policyId),
    } as unknown as PageGuardClient;
    const run = { ...createRun({ env: {} }), client: () => client };
    const { set } = program({ a: content }, { others: "delete" });
    const [inputs, state] = [cspPolicySet.parseInputs(set), { ...set, policyIds: { a: "1" } }];
    const update = () => cspPolicySet.update(run, zoneA, cspPolicySet.parseState(state), inputs, "set");
    await update();
    assert.deepEqual(deleted, []);
    await planned(run, state, set);
    await update();
    assert.deepEqual(deleted, ["2"]);
  });

  it("given someone's edit that no refresh has seen, when another policy is added, then it stays", async () => {
    const { sim, engine } = begin();
    await engine.up(program({ a: content }));
    sim.dashboard.putPolicy(zoneA, { id: idOf(sim, "a"), enabled: false });
    await engine.up(program({ a: content, b: content }));
    assert.deepEqual(
      sim.zone(zoneA).policies.map(({ enabled }) => enabled),
      [false, true],
    );
  });

  it("given another resource that has one of its policies by now, then an update is due, without a request", async () => {
    const run = createRun({ env: { PAGE_GUARD_OFFLINE: "1" } });
    const state = { zoneId: zoneA, policies: { a: content }, policyIds: { a: "1" } };
    const looked = () => planned(run, state, program({ a: content }).set);
    assert.equal((await looked()).needsUpdate, false);
    new ZonePolicies(run, zoneA).ownership.own("1", "urn:pulumi:dev::p::t::other");
    assert.equal((await looked()).needsUpdate, true);
  });

  it("differs where its end or what becomes of others is declared otherwise", () => {
    const { set } = program({ a: content });
    const changed = (more: Properties) => changedInputs(cspPolicySet, set, { ...set, ...more });
    assert.deepEqual(changed({ onDestroy: "delete", others: "keep" }), []);
    assert.deepEqual(changed({ onDestroy: "keep" }), ["onDestroy"]);
    assert.deepEqual(changed({ others: "refuse" }), ["others"]);
    assert.deepEqual(changed({ zoneId: "1".repeat(32) }), ["zoneId"]);
  });
});

describe("What a set is asked before", () => {
  it("is whether the service knows the action: by the process, which knows its connection, too", async () => {
    const { engine } = begin();
    const reporting = program({ a: content, b: { ...content, action: "add_reporting_directives" } });
    assert.match(
      await engine.previewFails(reporting),
      /^policies\.b\.action: .*"add_reporting_directives" .*\[csp-action-not-known\]$/,
    );
    const there = program(reporting.set.policies, { connection: { service: "page_shield" } });
    assert.deepEqual(await engine.preview(there), ["create set"]);
    const told = (connection: unknown) =>
      inspected(cspPolicySet, { ...reporting.set, connection }).map(({ code }) => code);
    assert.deepEqual(told({ service: "page_guard" }), ["csp-action-not-known"]);
    for (const late of [unknownValue, { service: unknownValue }]) assert.deepEqual(told(late), []);
  });

  it("is whether it has logged long enough, and that as it is to be: what forbids more has not", async () => {
    const { engine, time } = begin();
    const days = { minimumLogDays: 7 };
    await engine.up(program({ a: content }, days));
    const tooEarly = await engine.previewFails(program({ a: allow }, days));
    time.pass(8 * day);
    assert.deepEqual(await engine.preview(program({ a: allow }, days)), ["update set"]);
    const stricter = await engine.previewFails(
      program({ a: { ...allow, value: "script-src 'none'" } }, days),
    );
    for (const refusal of [tooEarly, stricter])
      assert.equal(placeAndCode(refusal), "policies.a.action [csp-too-early]");
    assert.match(stricter, / forbids more /);
  });

  it("is what it would block, also where a description changes with it; not where just that does, nor of one that is off", async () => {
    const { sim, engine } = quickStory(cspPolicySet, { [zoneA]: { ...quietZone, scripts: 2 } });
    const seen = () => sim.requests({ zoneId: zoneA }).filter(({ path }) => path.endsWith("/scripts")).length;
    const looked = async (entry: Properties) => {
      const before = seen();
      await engine.preview(program({ a: entry }, { impact: "warn" }));
      return seen() > before;
    };
    const value = "script-src 'none'";
    assert.equal(await looked({ ...allow, enabled: false }), false);
    await engine.up(program({ a: allow }, { impact: "warn" }));
    const { impact } = engine.outputs("set");
    assert.equal(typeof Object(impact).a, "object");
    assert.equal(await looked({ ...allow, description: "A" }), false);
    assert.equal(await looked({ ...allow, description: "A", value }), true);
    // What was looked at goes on for the same policy, and for no other one.
    await engine.up(program({ a: { ...allow, description: "A" } }, { impact: "warn" }));
    assert.deepEqual(engine.outputs("set")["impact"], impact);
    const before = engine.backup();
    for (const other of [{ value }, { expression: "true" }]) {
      engine.restore(before);
      await engine.up(program({ a: { ...allow, ...other } }, { impact: "off" }));
      assert.deepEqual(engine.outputs("set")["impact"], {});
    }
  });
});
