import assert from "node:assert/strict";
import { managedWafEntrypoint } from "../../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import type { RuleSeed, Simulator } from "../../../../simulator/src";
import type { Properties } from "../../small-engine/checkpoint";
import { quietZone, useStories, zoneA } from "../../small-engine/zones";
import { made, names, rule } from "../support/skip-rules";

function ids(sim: Simulator): string[] {
  return (sim.zone(zoneA).entrypoint?.rules ?? []).map(({ id }) => id);
}

/** Loses the responses to writes, which are carried out or not, and refuses reads of the list after the first `after`. */
function loseAnswers(sim: Simulator, { write = "reset-after", after = 1 } = {}): void {
  const kind = write === "reset-after" ? "reset-after" : "reset-before";
  sim.faults.add({ method: "PUT", path: "entrypoint", kind });
  sim.faults.add({ method: "GET", path: "entrypoint", kind: "status", status: 403, skip: after });
}

describe("Updates of an entry point that are cut off", () => {
  const begin = useStories(managedWafEntrypoint);
  const found = (...rules: RuleSeed[]) => ({
    [zoneA]: { ...quietZone, entrypoint: { name: "shared", rules } },
  });
  const declared = (rules: Properties[], more: Properties = {}) => ({
    waf: { zoneId: zoneA, rules, ...more },
  });

  it("given two adopted rules, when one is removed, the other edited to equal it, and all are destroyed, then both are as found", async () => {
    const { sim, engine } = await begin(found(made("a"), made("b")));
    await engine.up(declared([rule("a"), rule("b")]));
    await engine.up(declared([rule("b")]));
    await engine.up(declared([rule("a")]));
    await engine.destroy();
    assert.deepEqual(names(sim), ["a", "b"]);
  });

  it("given an overwritten rule, when the restoring write loses its response or the machine dies after it, then the rule is restored once", async () => {
    for (const cut of ["answer", "machine"] as const) {
      const { sim, engine } = await begin(found(made("theirs"), made("named", { ref: "theirs" })));
      await engine.up(declared([rule("mine")], { foreignRules: "overwrite" }));
      const lost = { method: "PUT", path: "entrypoint", kind: "reset-after", count: 1 } as const;
      if (cut === "answer") sim.faults.add(lost);
      else await engine.destroy({ death: { request: 1, side: "after" } });
      await engine.destroy();
      assert.deepEqual(names(sim), ["theirs", "named"], cut);
    }
  });

  it("given an unmanaged rule with equal content and a create that never arrived, when the stack is destroyed, then the unmanaged rule stays", async () => {
    const { sim, engine } = await begin(found(made("same")));
    const before = sim.zone(zoneA).entrypoint;
    loseAnswers(sim, { write: "reset-before", after: 2 });
    await engine.upFails(declared([rule("same", { ref: "mine" })], { foreignRules: "keep" }));
    sim.faults.clear();
    await engine.destroy();
    assert.deepEqual(sim.zone(zoneA).entrypoint?.rules, before?.rules);
  });

  it("given a rule of ours that someone deletes and an equal unmanaged rule, when the stack is refreshed and destroyed, then the unmanaged rule stays", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    const program = declared([rule("mine")], { foreignRules: "keep" });
    await engine.up(program);
    const [, mine = ""] = ids(sim);
    const twin = sim.dashboard.addRule(zoneA, made("mine"), 0);
    await engine.refresh();
    sim.dashboard.deleteRule(zoneA, mine);
    await engine.refresh();
    assert.deepEqual(engine.outputs("waf")["rules"], []);
    await engine.destroy();
    assert.deepEqual(ids(sim).includes(twin.id), true);
  });

  it("given an accepted write that cannot be read back, when the stack is destroyed later, then the rules that were found are restored", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    const program = declared([rule("mine")], { foreignRules: "overwrite" });
    sim.faults.add({ method: "PUT", path: "entrypoint", kind: "missing-fields", fields: ["rules"] });
    // The reads of the preview and of the create succeed.
    sim.faults.add({ method: "GET", path: "entrypoint", kind: "status", status: 403, skip: 2 });
    assert.match(await engine.upFails(program), /accepted the change, but reading it back failed/);
    sim.faults.clear();
    assert.deepEqual(names(sim), ["mine"]);
    await engine.up(program);
    assert.deepEqual(await engine.preview(program), []);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs"]);
  });

  it("given an unmanaged rule before an equal one of ours, when an edit loses its response, then the state still contains ours", async () => {
    const { sim, engine } = await begin(found());
    const keeping = (...rules: Properties[]) => declared(rules, { foreignRules: "keep" });
    await engine.up(keeping(rule("same")));
    const [ours] = ids(sim);
    const twin = sim.dashboard.addRule(zoneA, made("same"), 0);
    loseAnswers(sim, { after: 2 });
    await engine.upFails(keeping(rule("same"), rule("more")));
    sim.faults.clear();
    await engine.refresh();
    await engine.up(keeping(rule("same"), rule("more")));
    assert.deepEqual(names(sim), ["same", "same", "more"]);
    assert.equal(Reflect.get(Object(engine.outputs("waf")["rules"])[0], "id"), ours);
    await engine.destroy();
    assert.deepEqual(ids(sim), [twin.id]);
  });

  it("given two equal unmanaged rules, when one is adopted, the write loses its response, and the rule is removed again, then the other one stays", async () => {
    const { sim, engine } = await begin(found(made("same"), made("same")));
    const [, theirs] = ids(sim);
    const keeping = (...rules: Properties[]) => declared(rules, { foreignRules: "keep" });
    sim.faults.add({ method: "PUT", path: "entrypoint", kind: "reset-after", count: 1 });
    await engine.up(keeping(rule("same"), rule("more")));
    assert.equal(sim.requests({ method: "PUT" }).length, 1);
    await engine.up(keeping(rule("more")));
    assert.equal(ids(sim).at(-1), theirs);
  });

  it("given a lost response and then a new unmanaged rule, when the update is refused, then the state contains the write that was carried out", async () => {
    const { sim, engine } = await begin(found());
    sim.faults.add({ method: "PUT", path: "entrypoint", kind: "reset-after", count: 1 });
    const stop = sim.onProcessed(({ method }) => {
      if (method !== "PUT") return;
      stop();
      sim.dashboard.addRule(zoneA, made("late"));
    });
    const told = await engine.upFails(declared([rule("mine")]));
    assert.match(told, /no resource of this stack declares: "late"/);
    assert.deepEqual(names(sim), ["mine", "late"]);
    assert.ok(engine.state.has("waf"), "the state contains the write");
    await engine.destroy();
    assert.deepEqual(names(sim), ["late"]);
  });

  for (const how of ["--replace", "another name", "--replace, cut off before the deletion"]) {
    it(`given ${how} and another ref, when the update does not read the old state, then only rules of the old resource alone are removed`, async () => {
      for (const onDestroy of ["restore", "remove", "keep"]) {
        const { sim, engine } = await begin(found(made("theirs"), made("taken"), made("same")));
        const more = { foreignRules: "keep", onDestroy };
        const own = (ref: string) => [rule("same"), rule("mine", { ref })];
        await engine.up(declared([rule("taken", { enabled: true }), ...own("first")], more));
        const name = how === "another name" ? "waf2" : "waf";
        const second = { [name]: declared(own("second"), more).waf };
        const isCut = how.includes("cut off");
        const dieAfterCreating = { name, recorded: true };
        await engine.up(second, { replace: ["waf"], ...(isCut && { dieAfterCreating }) });
        const all = ["theirs", "taken", "same", "mine", "mine"];
        if (isCut) assert.deepEqual(names(sim), all);
        if (isCut) await engine.up(second);
        const left = { restore: ["theirs", "taken", "same", "mine"], remove: ["theirs", "same", "mine"] };
        assert.deepEqual(names(sim), { ...left, keep: all }[onDestroy], onDestroy);
        assert.deepEqual(await engine.preview(second), []);
        const writes = sim.changing().length;
        await engine.up(second, { refresh: true });
        assert.equal(sim.changing().length, writes);
      }
    });
  }

  it("given replaceOnChanges and an edit, when it is applied, then only the new version of the rule exists, and a destroy restores the rules that were found", async () => {
    for (const foreignRules of ["refuse", "keep", "overwrite"]) {
      const { sim, engine } = await begin(found(made("taken")));
      const program = (expression: string) =>
        declared([rule("taken"), rule("mine", { expression })], { foreignRules });
      await engine.up(program("true"));
      const replacing = { replaceOnChanges: ["waf"] };
      assert.deepEqual(await engine.preview(program("false"), replacing), ["replace waf"]);
      await engine.up(program("false"), replacing);
      assert.deepEqual(names(sim), ["taken", "mine"], foreignRules);
      assert.deepEqual(await engine.preview(program("false")), []);
      await engine.destroy();
      assert.deepEqual(names(sim), ["taken"], foreignRules);
    }
  });

  it("given deleteBeforeReplace, when the creation fails, then the list is as found until the next update, and again after a destroy", async () => {
    for (const replacing of [{ replace: ["waf"] }, { replaceOnChanges: ["waf"] }]) {
      for (const next of ["destroy", "up"]) {
        const { sim, engine } = await begin(found(made("theirs"), made("taken")));
        const program = (expression: string) =>
          declared([rule("taken"), rule("mine", { expression })], { foreignRules: "keep" });
        const options = { ...replacing, deleteBeforeReplace: ["waf"] };
        await engine.up(program("true"));
        sim.faults.add({ method: "PUT", kind: "status", status: 403, skip: 1 });
        await engine.upFails(program("false"), options);
        sim.faults.clear();
        assert.deepEqual(names(sim), ["theirs", "taken"], "no resource manages the zone in between");
        if (next === "up") {
          await engine.up(program("false"), options);
          assert.deepEqual(names(sim), ["theirs", "taken", "mine"]);
          assert.deepEqual(await engine.preview(program("false")), []);
          await engine.up(program("true"), options);
          assert.deepEqual(names(sim), ["theirs", "taken", "mine"]);
        }
        await engine.destroy();
        assert.deepEqual(names(sim), ["theirs", "taken"]);
      }
    }
  });

  it("given deleteBeforeReplace, when someone adds a rule equal to the deleted one before the create, then it stays unmanaged", async () => {
    for (const replacing of [{ replace: ["waf"] }, { replaceOnChanges: ["waf"] }]) {
      const { sim, engine } = await begin(found(made("theirs")));
      const program = (...rules: Properties[]) => declared(rules, { foreignRules: "keep" });
      await engine.up(program(rule("same", { ref: "name" })));
      const stop = sim.onProcessed(({ method }) => {
        if (method !== "PUT") return;
        stop();
        sim.dashboard.addRule(zoneA, made("same", { ref: "name" }));
      });
      await engine.up(program(rule("mine")), { ...replacing, deleteBeforeReplace: ["waf"] });
      assert.deepEqual(names(sim), ["theirs", "same", "mine"]);
      await engine.destroy();
      assert.deepEqual(names(sim), ["theirs", "same"]);
    }
  });

  it("given an unmanaged rule and an overwriting update that dies after its write, when it runs again and the stack is destroyed, then the rule is restored", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    await engine.up(declared([rule("mine")], { foreignRules: "keep" }));
    const overwriting = declared([rule("mine")], { foreignRules: "overwrite" });
    await engine.up(overwriting, { death: { request: 2, side: "after" } });
    assert.deepEqual(names(sim), ["mine"]);
    await engine.up(overwriting);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs"]);
  });

  it("given an unmanaged rule that is edited before it is overwritten, when the stack is destroyed, then the edited rule is restored", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    await engine.up(declared([rule("mine")], { foreignRules: "keep" }));
    sim.dashboard.changeRule(zoneA, ids(sim)[0] ?? "", { description: "theirs, edited" });
    await engine.up(declared([rule("mine")], { foreignRules: "overwrite" }));
    assert.deepEqual(names(sim), ["mine"]);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs, edited"]);
  });

  it("given a ref that another rule has by now, when the first rule with this ref is restored, then both rules exist", async () => {
    const { sim, engine } = await begin(found(made("named", { ref: "name" })));
    await engine.up(declared([rule("named", { ref: "name" })]));
    await engine.up(declared([]));
    sim.dashboard.addRule(zoneA, made("another", { ref: "name" }));
    await engine.destroy();
    assert.deepEqual(names(sim), ["named", "another"]);
    const hasOwnRef = sim.zone(zoneA).entrypoint?.rules.map(({ id, ref }) => ref === id);
    assert.deepEqual(hasOwnRef, [true, false]);
  });

  it("given deleteBeforeReplace and rules that the deletion puts back, then the create changes them again, and a destroy restores them", async () => {
    for (const replacing of [{ replace: ["waf"] }, { replaceOnChanges: ["waf"] }]) {
      const { sim, engine } = await begin(found(made("edited"), made("lost")));
      const program = (expression: string, foreignRules: string) =>
        declared([rule("edited", { expression }), rule("mine")], { foreignRules });
      await engine.up(declared([rule("edited")], { foreignRules: "keep" }));
      await engine.up(program("false", "overwrite"));
      await engine.up(program("false", "refuse"));
      const expression = replacing.replace ? "false" : "not ssl";
      await engine.up(program(expression, "refuse"), { ...replacing, deleteBeforeReplace: ["waf"] });
      assert.deepEqual(names(sim), ["edited", "mine"]);
      await engine.destroy();
      assert.deepEqual(names(sim), ["edited", "lost"]);
      assert.notEqual(sim.zone(zoneA).entrypoint?.rules[0]?.expression, "false");
    }
  });

  it("given deleteBeforeReplace of a resource that is renamed with an alias, then its rules are replaced, and a destroy restores the overwritten one", async () => {
    for (const [expression, replacing] of [
      ["not ssl", { replaceOnChanges: ["renamed"] }],
      ['http.host eq "mine"', { replace: ["renamed"] }],
    ] as const) {
      const { sim, engine } = await begin(found(made("lost")));
      await engine.up(declared([rule("mine")], { foreignRules: "overwrite" }));
      const recorded = engine.state.get("waf");
      assert.ok(recorded);
      engine.forget("waf");
      // The outputs still contain the old URN.
      engine.state.set("renamed", recorded);
      const { waf: renamed } = declared([rule("mine", { expression })], { foreignRules: "refuse" });
      await engine.up({ renamed }, { ...replacing, deleteBeforeReplace: ["renamed"] });
      assert.deepEqual(names(sim), ["mine"]);
      await engine.destroy();
      assert.deepEqual(names(sim), ["lost"]);
    }
  });
});
