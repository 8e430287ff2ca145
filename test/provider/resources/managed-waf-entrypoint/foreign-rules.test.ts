import assert from "node:assert/strict";
import { managedWafEntrypoint } from "../../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import type { RuleSeed } from "../../../../simulator/src";
import { each } from "../../../support/each";
import type { Properties } from "../../small-engine/checkpoint";
import type { SmallEngine } from "../../small-engine/small-engine";
import { quietZone, useStories, zoneA } from "../../small-engine/zones";
import { made, names, rule } from "../support/skip-rules";

const found = (...rules: RuleSeed[]) => ({
  [zoneA]: { ...quietZone, entrypoint: { name: "shared", rules } },
});
const declared = (rules: Properties[], more: Properties = {}) => ({
  waf: { zoneId: zoneA, rules, ...more },
});

describe("A declared rule with the ref of an unmanaged rule", () => {
  const begin = useStories(managedWafEntrypoint);
  const theirs = made("theirs", { ref: "shared-name", enabled: false });
  const program = (foreignRules: string) =>
    declared([rule("ours", { ref: "shared-name" })], { foreignRules });

  it("given refuse or keep, when it is previewed and applied, then it is refused with the way out, and nothing is written", async () => {
    for (const foreignRules of ["refuse", "keep"]) {
      const { sim, engine } = await begin(found(theirs));
      const said = await engine.previewFails(program(foreignRules));
      assert.match(said, /^rules\[0\]\.ref: .*"shared-name" .* "theirs"/m);
      assert.match(said, / expression \(in the zone: .*theirs.*, in this stack: .*ours.*\), description /);
      assert.match(said, /, enabled \(in the zone: false, in this stack: true\)/);
      assert.match(said, /"overwrite" for one update/);
      assert.match(await engine.upFails(program(foreignRules)), /shared-name/);
      assert.equal(sim.changing().length, 0);
    }
  });

  it("given overwrite, when it is applied, then the preview shows the change, the rule is edited, and a destroy restores it", async () => {
    const { sim, engine } = await begin(found(theirs, made("other")));
    const [before, other] = sim.zone(zoneA).entrypoint?.rules ?? [];
    await engine.preview(program("overwrite"));
    const said = engine.warned.join("\n");
    assert.match(said, / rules\[0\] will be changed: "theirs".*: expression \(in the zone/);
    assert.match(said, /1 unmanaged rule will be deleted: "other"/);
    await engine.up(program("overwrite"));
    const [after] = sim.zone(zoneA).entrypoint?.rules ?? [];
    assert.equal(after?.id, before?.id);
    assert.deepEqual(names(sim), ["ours"]);
    assert.deepEqual(await engine.preview(program("overwrite")), []);
    await engine.destroy();
    const restored = sim.zone(zoneA).entrypoint?.rules ?? [];
    assert.deepEqual(names(sim), ["theirs", "other"]);
    assert.deepEqual([restored[0]?.ref, restored[0]?.enabled], ["shared-name", false]);
    assert.notEqual(restored[1]?.id, other?.id, "the service forgets the id of a deleted rule");
  });

  it("given an equal unmanaged rule, when it is applied, then that rule is adopted", async () => {
    const { sim, engine } = await begin(found(theirs));
    const equal = declared([rule("theirs", { ref: "shared-name", enabled: false })]);
    await engine.up(equal);
    assert.equal(sim.changing().length, 0);
  });

  it("given a create whose machine died after the write, when the rule is edited before the next update, then the refusal gives a way out that works", async () => {
    const { sim, engine } = await begin(found());
    await engine.up(declared([rule("ours", { ref: "mine" })]), { death: { request: 2, side: "after" } });
    assert.deepEqual(names(sim), ["ours"]);
    const edited = (more: Properties = {}) => declared([rule("edited", { ref: "mine" })], more);
    assert.match(await engine.previewFails(edited()), /\[waf-ref-in-use\]$/);
    await engine.up(edited({ foreignRules: "overwrite" }));
    await engine.up(edited());
    assert.deepEqual(names(sim), ["edited"]);
  });
});

describe("Rules that the zone has already", () => {
  const begin = useStories(managedWafEntrypoint);
  const findingsOf = (engine: Pick<SmallEngine<object, object>, "warnings" | "progress">) =>
    [...engine.progress, ...engine.warnings].map(({ text }) => text).join("\n");

  it("given equal rules, when they are declared, then the preview says that they are adopted and what a destroy will do", async () => {
    const texts = {
      restore: '"restore"), which includes these rules.',
      remove: '"remove")',
      keep: '(onDestroy "keep")',
    };
    for (const [onDestroy, text] of Object.entries(texts)) {
      const { sim, engine } = await begin(found(made("a"), made("b")));
      const program = declared([rule("a"), rule("b"), rule("c")], { onDestroy });
      await engine.preview(program);
      const said = findingsOf(engine);
      assert.match(said, /^2 .*: "a", .*; "b".*\[waf-rules-adopted\]$/);
      assert.ok(said.includes(text), said);
      assert.doesNotMatch(said, /If this resource was only renamed/);
      await engine.up(program);
      assert.equal(sim.changing().length, 1);
    }
  });

  it("given a resource that is renamed without an alias, when it is previewed, then the preview says what is lost and which line avoids it", async () => {
    const { engine } = await begin(found(made("theirs")));
    const { waf } = declared([rule("a")], { foreignRules: "keep" });
    await engine.up({ old: waf });
    await engine.preview({ renamed: waf });
    assert.match(findingsOf(engine), /aliases: \[\{ name: "the old name" \}\]/);
  });

  it("given a rule that was added later, when it is declared, then the preview says that a destroy will delete it", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    const keeping = (...rules: Properties[]) => declared(rules, { foreignRules: "keep" });
    await engine.up(keeping(rule("a")));
    sim.dashboard.addRule(zoneA, made("later"));
    await engine.preview(keeping(rule("a"), rule("later"), rule("theirs")));
    const expected =
      /^2 declared rules .*"restore"\), which does not include "later", [^;]*\. .*\[waf-rules-adopted\]$/m;
    assert.match(findingsOf(engine), expected);
  });

  it("given an unmanaged rule that differs from a declared one in one field, when it is previewed, then the preview names it with the difference", async () => {
    const theirs = [made("a", { enabled: false }), made("b", { enabled: false, expression: "true" })];
    const { engine: near } = await begin(found(...theirs));
    await near.preview(declared([rule("a"), rule("b")], { foreignRules: "keep" }));
    const said = findingsOf(near);
    assert.match(
      said,
      /rules\[0\] and "a", .* differ only in enabled \(in the zone: false, in this stack: true\)/,
    );
    assert.doesNotMatch(said, /rules\[1\] and/);
    // Fields that the program omits make no difference: the rule is adopted.
    const phases = { action_parameters: { ruleset: "current", phases: ["p"] } };
    const { engine } = await begin(found(made("a", phases)));
    await engine.preview(declared([rule("a")]));
    assert.match(findingsOf(engine), /will be adopted/);
  });
});

describe("Unmanaged rules that are added later", () => {
  const begin = useStories(managedWafEntrypoint);

  it("given each value of foreignRules, when someone adds a rule, then a refresh names it and reports drift once", async () => {
    for (const foreignRules of ["refuse", "keep", "overwrite"]) {
      const { sim, engine } = await begin(found());
      const program = declared([rule("ours")], { foreignRules });
      await engine.up(program);
      assert.deepEqual(engine.outputs("waf")["foreign"], []);
      assert.deepEqual(await engine.drift(), []);
      sim.dashboard.addRule(zoneA, made("skip all", { expression: "true" }), 0);
      assert.deepEqual(await engine.drift(), ["waf"]);
      const said = engine.warned.join("\n");
      assert.ok(said.includes(`ManagedWafEntrypoint of zone ${zoneA}: 1 unmanaged rule was added `), said);
      assert.match(said, / added .*: "skip all", skip if true, id/);
      assert.match(said, new RegExp(`With foreignRules "${foreignRules}"`));
      assert.deepEqual(await engine.drift(), ["waf"], "a preview of a refresh changes no state");
      await engine.refresh();
      assert.deepEqual(engine.outputs("waf")["foreign"], ["skip all"]);
      if (foreignRules === "overwrite") continue;
      assert.deepEqual(await engine.drift(), []);
      assert.deepEqual(engine.warnings, []);
      assert.deepEqual(await engine.preview(program), []);
    }
  });

  it("given many unmanaged rules with hostile names, when they are added, then one line names twenty and counts the rest, and the output foreign is sorted and clean", async () => {
    const { sim, engine } = await begin(found(made("z")));
    const program = declared([rule("ours")], { foreignRules: "keep" });
    await engine.up(program);
    const names = Array.from({ length: 30 }, (_, n) => `\u001b[2Jn${n}\n::error::x${"y".repeat(200)}`);
    for (const name of names) sim.dashboard.addRule(zoneA, made(name));
    sim.dashboard.addRule(zoneA, { ...made(""), expression: "false" });
    await engine.refresh();
    const [said = ""] = engine.warned;
    assert.match(said, /31 unmanaged rules were added.*and 11 more\. With/);
    assert.ok(said.length < 6000);
    assert.doesNotMatch(said, /\p{Cc}|^::error/mu);
    const labels = engine.outputs("waf")["foreign"];
    assert.ok(Array.isArray(labels) && labels.length === 32);
    assert.deepEqual(labels, [...labels].sort());
    assert.ok(labels.every((label) => typeof label === "string" && label.length <= 80 && label !== ""));
    const isId = (label: string) => /^[0-9a-f]{32}$/.test(label);
    assert.ok(labels.some(isId), "a rule without a description is named by its id");
  });

  it("given an unmanaged rule that someone deletes, when the stack is refreshed, then that is drift without a warning", async () => {
    const { sim, engine } = await begin(found(made("theirs")));
    await engine.up(declared([rule("ours")], { foreignRules: "keep" }));
    assert.deepEqual(engine.outputs("waf")["foreign"], ["theirs"]);
    sim.dashboard.deleteRule(zoneA, sim.zone(zoneA).entrypoint?.rules[0]?.id ?? "");
    assert.deepEqual(await engine.drift(), ["waf"]);
    assert.deepEqual(engine.warnings, []);
  });

  it("given a new unmanaged rule that is kept, when an update is previewed, then the warning is at the resource", async () => {
    const { sim, engine } = await begin(found());
    const program = (...rules: Properties[]) => declared(rules, { foreignRules: "keep" });
    await engine.up(program(rule("ours")));
    sim.dashboard.addRule(zoneA, made("late"), 0);
    await engine.preview(program(rule("ours"), rule("more")));
    const late = engine.warnings.filter(({ text }) => text.includes("[waf-foreign-rules-new]"));
    assert.deepEqual(each(late, "name"), ["waf"]);
    assert.match(late[0]?.text ?? "", /1 unmanaged rule was added since the last update or refresh: "late"/);
    await engine.up(program(rule("ours"), rule("more")));
    assert.deepEqual(engine.outputs("waf")["foreign"], ["late"]);
  });
});
