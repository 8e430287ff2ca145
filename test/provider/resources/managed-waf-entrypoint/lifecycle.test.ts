import assert from "node:assert/strict";
import type { EntrypointBody } from "../../../../provider/src/api/client-types";
import type { PageGuardClient } from "../../../../provider/src/api/create-client";
import { Draft } from "../../../../provider/src/lifecycle/draft";
import { createRun, type Run } from "../../../../provider/src/lifecycle/run";
import { holdZone } from "../../../../provider/src/lifecycle/zone-claims";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { managedWafEntrypoint } from "../../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import type { Simulator, ZoneSeed } from "../../../../simulator/src";
import { each } from "../../../support/each";
import type { Properties } from "../../small-engine/checkpoint";
import { quickStory, quietZone, zoneA } from "../../small-engine/zones";
import { made, names, rule } from "../support/skip-rules";

const declared = (of: readonly string[], more: Properties = {}) => ({
  waf: { zoneId: zoneA, rules: of.map((name) => rule(name)), ...more },
});
const never = { ...quietZone, entrypoint: null };

const writes = (sim: Simulator) => sim.requests({ zoneId: zoneA, method: "PUT" });

describe("The state of an entry point", () => {
  const begin = (zone: ZoneSeed) => quickStory(managedWafEntrypoint, { [zoneA]: zone });

  it("given a new named list, when someone deletes it, then a refresh saves an empty list, and the next preview plans an update", async () => {
    const { sim, engine } = begin(never);
    await engine.up(declared(["one"], { name: "shop" }));
    const { id, version, last_updated } = sim.zone(zoneA).entrypoint ?? assert.fail();
    const { rulesetId, version: recorded, lastUpdated } = engine.outputs("waf");
    assert.deepEqual([rulesetId, recorded, lastUpdated], [id, version, last_updated]);
    sim.dashboard.putEntrypoint(zoneA, null);
    await engine.refresh();
    assert.deepEqual(engine.outputs("waf")["rules"], []);
    assert.deepEqual([engine.outputs("waf")["rulesetId"], engine.outputs("waf")["foreign"]], ["", []]);
    assert.deepEqual(await engine.preview(declared(["one"], { name: "shop" })), ["update waf"]);
  });

  it("given a list that has the declared name and rules already, then neither an update nor a destroy writes anything", async () => {
    const entrypoint = { name: "shop", rules: [made("one")] };
    const { sim, engine } = begin({ ...quietZone, entrypoint });
    await engine.up(declared(["one"], { name: "shop" }));
    await engine.destroy();
    assert.deepEqual([names(sim), writes(sim)], [["one"], []]);
  });

  it("given an import whose state contains only the inputs, when it is destroyed, then unmanaged rules and the name stay", async () => {
    const entrypoint = { name: "shop", rules: [made("theirs"), made("one")] };
    const { sim, engine } = begin({ ...quietZone, entrypoint });
    const inputs = { zoneId: zoneA, name: "shop", foreignRules: "keep", rules: [rule("one")] };
    engine.state.set("waf", { id: zoneA, inputs, outputs: inputs, hasInitErrors: false });
    await engine.destroy();
    assert.deepEqual([names(sim), sim.zone(zoneA).entrypoint?.name], [["theirs"], "shop"]);
  });

  it("given an entry point that is only read by its id, then it contains all rules, none as unmanaged or new", async () => {
    const entrypoint = { name: "shop", rules: [made("one"), made("two")] };
    const { engine } = begin({ ...quietZone, entrypoint });
    engine.state.set("waf", { id: zoneA, inputs: {}, outputs: {}, hasInitErrors: false });
    await engine.refresh();
    const { rules, foreign } = engine.outputs("waf");
    const owners = Array.from(Object(rules), (one: Properties) => `${one["description"]} ${one["foreign"]}`);
    assert.deepEqual(owners, ["one undefined", "two undefined"]);
    assert.deepEqual([foreign, engine.warnings], [[], []]);
  });

  it("given an import by id or of inputs, when the resource is destroyed, at once or after updates that drop or edit a rule, then the zone has what the import found", async () => {
    const entrypoint = { name: "shop", rules: [made("one"), made("two")] };
    const inputs = { zoneId: zoneA, foreignRules: "keep", rules: [rule("one"), rule("two")] };
    for (const imported of [{}, inputs])
      for (const updates of [[], [["one", "two"]], [["two"]], [["two", "three"], ["two"]], [[]]]) {
        const { sim, engine } = begin({ ...quietZone, entrypoint });
        engine.state.set("waf", { id: zoneA, inputs: imported, outputs: imported, hasInitErrors: false });
        await engine.refresh();
        for (const wanted of updates) await engine.up(declared(wanted, { foreignRules: "keep" }));
        assert.deepEqual(names(sim), updates.at(-1) ?? ["one", "two"]);
        await engine.destroy();
        assert.deepEqual(names(sim), ["one", "two"], JSON.stringify([imported, updates]));
      }
  });

  it("given a change of onDestroy or an unknown rule, then the preview plans an update, without a request for the unknown rule", async () => {
    const { sim, engine } = begin(quietZone);
    await engine.up(declared(["one"]));
    assert.deepEqual(await engine.preview(declared(["one"], { onDestroy: "restore" })), []);
    assert.deepEqual(await engine.preview(declared(["one"], { onDestroy: "keep" })), ["update waf"]);
    sim.journal.clear();
    const rules = [rule("one", { expression: unknownValue })];
    assert.deepEqual(await engine.preview(declared([], { rules })), ["update waf"]);
    assert.equal(sim.journal.length, 0);
  });

  it("given a write without a response, then it is tried three times, and a rule that it should remove still belongs to the resource", async () => {
    const { sim, engine } = begin(quietZone);
    await engine.up(declared(["one", "two"]));
    const { length } = writes(sim);
    sim.faults.add({ method: "PUT", kind: "reset-before" });
    await engine.upFails(declared(["one"]));
    assert.deepEqual([writes(sim).length - length, engine.outputs("waf")["incomplete"]], [3, true]);
    sim.faults.clear();
    assert.deepEqual(names(sim), ["one", "two"]);
    await engine.up(declared(["one"]));
    assert.deepEqual(names(sim), ["one"]);
  });

  it("given a write without a response whose repetition is refused, then the state contains the write, because it may have been carried out", async () => {
    const { sim, engine } = begin(quietZone);
    sim.faults.add({ method: "PUT", kind: "reset-before", count: 1 });
    sim.faults.add({ method: "PUT", kind: "status", status: 400 });
    await engine.upFails(declared(["one"]));
    assert.equal(writes(sim).length, 2);
    assert.equal(engine.outputs("waf")["incomplete"], true);
  });
});

describe("A run with an entry point", () => {
  const theirs = { action: "skip", expression: "true", description: "theirs", id: "1", ref: "1" };
  const whole = { name: "n", rules: [theirs] };
  const recorded = { id: zoneA, state: { rules: [theirs], onDestroy: "remove" as const }, urn: "waf" };
  /** Returns a run whose service has one unmanaged rule. */
  function running(getEntrypoint: () => Promise<object>, putEntrypoint?: object): Run {
    const client = { getEntrypoint, putEntrypoint } as unknown as PageGuardClient;
    return { ...createRun({ env: {} }), client: () => client };
  }

  it("lets a replaced resource delete the rules that its successor does not have, but none if a rule of the successor is unknown", async () => {
    /** Deletes the replaced resource while the successor's state has these rules. Returns the requests. */
    const deletePredecessor = async (rules?: { id?: string; foreign?: boolean }[]) => {
      const calls: unknown[] = [];
      const putEntrypoint = async (_zone: string, body: EntrypointBody) => calls.push(body.rules);
      const run = running(() => Promise.resolve(calls.push("GET")).then(() => whole), putEntrypoint);
      const state = { rules: rules?.map((one) => ({ action: "skip", expression: "true", ...one })) };
      const draft = new Draft(managedWafEntrypoint, { zoneId: zoneA, rules: [] }, "waf");
      managedWafEntrypoint.claim?.({ run, draft, recorded: { id: zoneA, state } });
      holdZone(run, "ManagedWafEntrypoint", zoneA, "urn:other");
      await managedWafEntrypoint.delete({ run, ...recorded });
      return calls;
    };
    assert.deepEqual(await deletePredecessor([{ id: "2" }, { id: "1", foreign: true }]), ["GET", []]);
    assert.deepEqual(await deletePredecessor([]), ["GET", []]);
    assert.deepEqual(await deletePredecessor([{ id: "1" }]), ["GET"]);
    assert.deepEqual([await deletePredecessor([{ id: "2" }, {}]), await deletePredecessor()], [[], []]);
  });

  it("does not treat rules that the program only reads as its own", async () => {
    const run = running(async () => whole);
    await managedWafEntrypoint.read({ run, id: zoneA, state: {}, isRecorded: false });
    const draft = new Draft(managedWafEntrypoint, { zoneId: zoneA, rules: [] }, "waf");
    const { findings } = await managedWafEntrypoint.plan({ run, draft });
    assert.deepEqual(each(findings, "code"), ["waf-foreign-rules"]);
  });

  it("gives up, with an error that says why, if the list changes during each wait for the rate limit", async () => {
    let readings = 0;
    const getEntrypoint = async () => {
      readings += 1;
      return { ...whole, name: `${readings}` };
    };
    const putEntrypoint = (_zone: string, _body: unknown, beforeSend: (isLate: boolean) => unknown) =>
      readings > 50 ? assert.fail("still tries") : beforeSend(true);
    const client = { getEntrypoint, putEntrypoint, urgently: () => client } as unknown as PageGuardClient;
    const run = { ...createRun({ env: {} }), client: () => client };
    await assert.rejects(
      async () => managedWafEntrypoint.delete({ run, ...recorded }),
      /the list changed 10 times while the request waited for the rate limit.* Nothing was sent/,
    );
  });

  it("deletes nothing for a replaced resource while its successor's write is under way", async () => {
    const run = running(() => assert.fail("no request is expected"));
    holdZone(run, "ManagedWafEntrypoint", zoneA, "urn:other");
    await managedWafEntrypoint.delete({ run, ...recorded });
  });
});
