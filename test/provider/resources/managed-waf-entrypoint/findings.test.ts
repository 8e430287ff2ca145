import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import {
  findings,
  foreignLabels,
  newForeign,
} from "../../../../provider/src/resources/managed-waf-entrypoint/findings";
import { matchList } from "../../../../provider/src/resources/managed-waf-entrypoint/ownership";
import type { Inputs, State } from "../../../../provider/src/resources/managed-waf-entrypoint/state";
import { each } from "../../../support/each";
import { zoneA } from "../../small-engine/zones";
import { listed as live } from "../support/rules";

function told(rules: Inputs["rules"], there: readonly Rule[], more: Partial<Inputs> = {}, before?: State) {
  const inputs: Inputs = { zoneId: zoneA, rules, ...more };
  return findings(inputs, matchList(inputs, new Map(), { name: "n", rules: [...there] }), before);
}

describe("The findings about unmanaged rules", () => {
  const theirs = live("theirs", "1");
  const label = '"theirs", skip if true, id 1';

  it("contain the refused or deleted rules as data, too", () => {
    for (const foreignRules of ["refuse", "overwrite"] as const)
      assert.deepEqual(each(told([], [theirs], { foreignRules }), "data"), [{ rules: [label] }]);
  });

  it("say once what happens to each rule; only rules that stay are reported as new", () => {
    const before: State = { foreign: [] };
    for (const [foreignRules, codes] of [
      ["refuse", ["waf-foreign-rules"]],
      ["overwrite", ["waf-rules-overwritten"]],
      ["keep", ["waf-foreign-rules-new"]],
    ] as const)
      assert.deepEqual(each(told([], [theirs], { foreignRules }, before), "code"), codes);
  });

  it("do not report a rule as a near miss if its ref is already reported as in use", () => {
    const skip = { action: "skip", expression: "true", description: "theirs", enabled: false };
    const finds = (rule: Rule, ref?: string) => told([{ ...skip, ref }], [rule], { foreignRules: "keep" });
    const near = finds(theirs);
    assert.deepEqual(each(near, "code"), ["waf-rule-near-miss"]);
    assert.deepEqual(each(near, "data"), [{ ruleIds: [theirs.id] }]);
    assert.deepEqual(each(finds({ ...theirs, ref: "shop" }, "shop"), "code"), ["waf-ref-in-use"]);
  });
});

describe("Unmanaged rules that were added since the last update or refresh", () => {
  const fresh = (foreign: readonly string[], ...rules: readonly Rule[]) =>
    newForeign({ foreign: [...foreign] }, rules).map(({ message }) => message.split(". ")[0]);
  const labels = foreignLabels([live("one", "a"), live("two", "b")]);

  it("are those that are not in the state, counted as often as they occur", () => {
    assert.deepEqual(fresh(labels, live("one", "a"), live("two", "b")), []);
    assert.equal(fresh(labels, live("one", "a"), live("new", "n")).length, 1);
    const twice = fresh(labels, live("one", "a"), live("one", "a2"), live("one", "a3"));
    assert.match(twice[0] ?? "", /^2 unmanaged rules were added since the last update or refresh/);
    assert.deepEqual(fresh([...labels, ...labels], live("one", "a"), live("one", "a2")), []);
  });

  it("are unknown if an older version kept them without reading them; if it refused them, there were none before", () => {
    assert.deepEqual(newForeign({ foreignRules: "keep" }, [live("one", "a")]), []);
    assert.equal(newForeign({ foreignRules: "refuse" }, [live("one", "a")]).length, 1);
    assert.equal(newForeign({}, [live("one", "a")]).length, 1);
  });
});
