import assert from "node:assert/strict";
import { managedWafEntrypoint } from "../../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import type { RuleSeed, Simulator } from "../../../../simulator/src";
import type { Properties } from "../../small-engine/checkpoint";
import { quietZone, useStories, zoneA } from "../../small-engine/zones";
import { made, names, rule } from "../support/skip-rules";

function ids(sim: Simulator): string[] {
  return (sim.zone(zoneA).entrypoint?.rules ?? []).map(({ id }) => id);
}

/** The next write is carried out and its answer lost; so is each look at what became of it, for `looks` looks. */
function loseAnswers(sim: Simulator, { write = "reset-after", after = 1 } = {}): void {
  const kind = write === "reset-after" ? "reset-after" : "reset-before";
  sim.faults.add({ method: "PUT", path: "entrypoint", kind });
  sim.faults.add({ method: "GET", path: "entrypoint", kind: "status", status: 403, skip: after });
}

describe("An entry point's runs that are cut off", () => {
  const begin = useStories(managedWafEntrypoint);
  const found = (...rules: RuleSeed[]) => ({
    [zoneA]: { ...quietZone, entrypoint: { name: "shared", rules } },
  });
  const declared = (rules: Properties[], more: Properties = {}) => ({
    waf: { zoneId: zoneA, rules, ...more },
  });

  it("given two rules adopted, when one is dropped, the other edited into it and all destroyed, then both are as found", async () => {
    const { sim, engine } = await begin(found(made("a"), made("b")));
    await engine.up(declared([rule("a"), rule("b")]));
    await engine.up(declared([rule("b")]));
    await engine.up(declared([rule("a")]));
    await engine.destroy();
    assert.deepEqual(names(sim), ["a", "b"]);
  });

  it("given an overwritten rule, when the restoring write loses its answer or the machine dies after it, then the rule is back once", async () => {
    for (const cut of ["answer", "machine"] as const) {
      const { sim, engine } = await begin(found(made("theirs"), made("named", { ref: "theirs" })));
      await engine.up(declared([rule("mine")], { foreignRules: "overwrite" }));
      if (cut === "answer") {
        sim.faults.add({ method: "PUT", path: "entrypoint", kind: "reset-after", count: 1 });
      } else {
        await engine.destroy({ death: { request: 1, side: "after" } });
      }
      await engine.destroy();
      assert.deepEqual(names(sim), ["theirs", "named"], cut);
    }
  });

  it("given someone's rule of equal content and a create of ours that never arrived, when it is destroyed, then theirs stays", async () => {
    const { sim, engine } = await begin(found(made("same")));
    const before = sim.zone(zoneA).entrypoint;
    loseAnswers(sim, { write: "reset-before", after: 2 });
    await engine.upFails(declared([rule("same", { ref: "mine" })], { foreignRules: "keep" }));
    sim.faults.clear();
    await engine.destroy();
    assert.deepEqual(sim.zone(zoneA).entrypoint?.rules, before?.rules);
  });

  it("given a rule of ours that someone deletes and a twin of someone else's, when it is refreshed and destroyed, then the twin stays", async () => {
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

  it("given an accepted write whose reading back is refused, when it is destroyed later, then what was found first is back", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    const program = declared([rule("mine")], { foreignRules: "overwrite" });
    sim.faults.add({ method: "PUT", path: "entrypoint", kind: "missing-fields", fields: ["rules"] });
    // The preview's look and the create's own are answered.
    sim.faults.add({ method: "GET", path: "entrypoint", kind: "status", status: 403, skip: 2 });
    assert.match(await engine.upFails(program), /accepted the change, but reading it back failed/);
    sim.faults.clear();
    assert.deepEqual(names(sim), ["mine"]);
    await engine.up(program);
    assert.deepEqual(await engine.preview(program), []);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs"]);
  });

  it("given a kept rule before an equal one of ours, when an edit loses its answer, then ours is still the one in the state", async () => {
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

  it("given two equal rules of someone else, when one of them is declared, its write loses its answer, and it is dropped again, then the other one stays theirs", async () => {
    const { sim, engine } = await begin(found(made("same"), made("same")));
    const [, theirs] = ids(sim);
    const keeping = (...rules: Properties[]) => declared(rules, { foreignRules: "keep" });
    sim.faults.add({ method: "PUT", path: "entrypoint", kind: "reset-after", count: 1 });
    await engine.up(keeping(rule("same"), rule("more")));
    assert.equal(sim.requests({ method: "PUT" }).length, 1);
    await engine.up(keeping(rule("more")));
    assert.equal(ids(sim).at(-1), theirs);
  });

  it("given a lost answer and then a late rule of someone else, when it is refused, then the write that was carried out is in the state", async () => {
    const { sim, engine } = await begin(found());
    sim.faults.add({ method: "PUT", path: "entrypoint", kind: "reset-after", count: 1 });
    const takeBack = sim.onProcessed(({ method }) => {
      if (method !== "PUT") return;
      takeBack();
      sim.dashboard.addRule(zoneA, made("late"));
    });
    assert.match(
      await engine.upFails(declared([rule("mine")])),
      /no resource of this stack declares: "late"/,
    );
    assert.deepEqual(names(sim), ["mine", "late"]);
    assert.ok(engine.state.has("waf"), "what was written is on record");
    await engine.destroy();
    assert.deepEqual(names(sim), ["late"]);
  });

  for (const how of ["--replace", "another name", "--replace, cut off before the old one goes"]) {
    it(`given ${how} and another ref, when the record is not read in the same run, then what only the old one had goes, and nothing else`, async () => {
      for (const onDestroy of ["restore", "remove", "keep"]) {
        const { sim, engine } = await begin(found(made("theirs"), made("taken"), made("same")));
        const program = (ref: string) => ({
          zoneId: zoneA,
          rules: [rule("same"), rule("mine", { ref })],
          foreignRules: "keep",
          onDestroy,
        });
        const first = program("first");
        await engine.up({ waf: { ...first, rules: [rule("taken", { enabled: true }), ...first.rules] } });
        const name = how === "another name" ? "waf2" : "waf";
        const second = { [name]: program("second") };
        const options = { replace: ["waf"] };
        if (how.includes("cut off")) {
          await engine.up(second, { ...options, dieAfterCreating: { name, recorded: true } });
          assert.deepEqual(names(sim), ["theirs", "taken", "same", "mine", "mine"]);
          await engine.up(second);
        } else {
          await engine.up(second, options);
        }
        const left = { restore: ["theirs", "taken", "same", "mine"], remove: ["theirs", "same", "mine"] };
        const all = ["theirs", "taken", "same", "mine", "mine"];
        assert.deepEqual(names(sim), { ...left, keep: all }[onDestroy], onDestroy);
        assert.deepEqual(await engine.preview(second), []);
        const writes = sim.changing().length;
        await engine.up(second, { refresh: true });
        assert.equal(sim.changing().length, writes);
      }
    });
  }

  it("given replaceOnChanges and an edit, when it is applied, then only the new version of the rule is there, and a destroy restores what was found", async () => {
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

  it("given deleteBeforeReplace, when what is recreated fails, then the list is as found until the next up, and stays so after a destroy", async () => {
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
        assert.deepEqual(names(sim), ["theirs", "taken"], "nobody has the zone in between");
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

  it("given deleteBeforeReplace and a rule just like the deleted one that someone adds before the create, then it stays theirs", async () => {
    for (const replacing of [{ replace: ["waf"] }, { replaceOnChanges: ["waf"] }]) {
      const { sim, engine } = await begin(found(made("theirs")));
      const program = (...rules: Properties[]) => declared(rules, { foreignRules: "keep" });
      await engine.up(program(rule("same", { ref: "name" })));
      const stop = sim.onProcessed(({ method }) => {
        if (method !== "PUT") return undefined;
        stop();
        sim.dashboard.addRule(zoneA, made("same", { ref: "name" }));
        return undefined;
      });
      await engine.up(program(rule("mine")), { ...replacing, deleteBeforeReplace: ["waf"] });
      assert.deepEqual(names(sim), ["theirs", "same", "mine"]);
      await engine.destroy();
      assert.deepEqual(names(sim), ["theirs", "same"]);
    }
  });

  it("given a kept rule and an overwriting run that dies after its write, when it is run again and destroyed, then the rule is back", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    await engine.up(declared([rule("mine")], { foreignRules: "keep" }));
    const overwriting = declared([rule("mine")], { foreignRules: "overwrite" });
    await engine.up(overwriting, { death: { request: 2, side: "after" } });
    assert.deepEqual(names(sim), ["mine"]);
    await engine.up(overwriting);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs"]);
  });

  it("given a kept rule that its people edit before it is overwritten, when it is destroyed, then it is back as they left it", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    await engine.up(declared([rule("mine")], { foreignRules: "keep" }));
    sim.dashboard.changeRule(zoneA, ids(sim)[0] ?? "", { description: "theirs, edited" });
    await engine.up(declared([rule("mine")], { foreignRules: "overwrite" }));
    assert.deepEqual(names(sim), ["mine"]);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs, edited"]);
  });

  it("given a ref that someone has given to another rule since, when the rule that had it comes back, then both are there", async () => {
    const { sim, engine } = await begin(found(made("named", { ref: "name" })));
    await engine.up(declared([rule("named", { ref: "name" })]));
    await engine.up(declared([]));
    sim.dashboard.addRule(zoneA, made("another", { ref: "name" }));
    await engine.destroy();
    assert.deepEqual(names(sim), ["named", "another"]);
    assert.deepEqual(
      sim.zone(zoneA).entrypoint?.rules.map(({ id, ref }) => ref === id),
      [true, false],
    );
  });
});
