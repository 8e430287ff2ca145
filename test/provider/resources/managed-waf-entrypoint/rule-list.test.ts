import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { matchList } from "../../../../provider/src/resources/managed-waf-entrypoint/ownership";
import {
  body,
  isListChanged,
  isSameList,
  makeDesiredList,
  withIdentity,
} from "../../../../provider/src/resources/managed-waf-entrypoint/rule-list";
import type { Inputs } from "../../../../provider/src/resources/managed-waf-entrypoint/state";
import { inList, listed, rule } from "../support/rules";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

const execute = (id: string, more: object = {}): Rule =>
  rule("run", { action: "execute", actionParameters: { id, ...more } });

describe("A rule that is edited", () => {
  it("keeps its id and its ref", () => {
    const live = listed("before", "1", { ref: "shop" });
    assert.deepEqual(withIdentity(rule("after"), live), { ...rule("after"), id: "1", ref: "shop" });
    assert.deepEqual(withIdentity(rule("after"), rule("before", { id: "1" })), { ...rule("after"), id: "1" });
  });

  it("keeps fields that the program never declared, at any depth, and loses fields that it no longer declares", () => {
    const overrides = { rules: [{ id: "r", action: "log" }] };
    const live = execute("m", {
      extra: { theirs: 1, spoken: 2 },
      overrides: { ...overrides, extra: { theirs: 3, spoken: 4, categories: [], sensitivity_level: "low" } },
    });
    const record = execute("m", { extra: { spoken: 2 }, overrides: { ...overrides, extra: { spoken: 4 } } });
    const wanted = execute("m", { overrides: { rules: [{ id: "r", action: "block" }] } });
    assert.deepEqual(withIdentity(wanted, live, record).actionParameters, {
      id: "m",
      extra: { theirs: 1 },
      overrides: { rules: [{ id: "r", action: "block" }], extra: { theirs: 3 } },
    });
  });

  it("keeps fields of overrides that the program never declared, for the same rules and categories", () => {
    const overrides = (id: string, fields: object, tags: readonly object[]): Rule =>
      execute("m", {
        overrides: { rules: [{ id, action: "log", extra: fields }], extra: { categories: tags } },
      });
    const theirs = { theirs: 1, spoken: 2, score_threshold: 25 };
    const live = overrides("r", theirs, [{ category: "c", enabled: true, theirs: 3 }]);
    const record = overrides("r", { spoken: 2 }, [{ category: "c", enabled: true }]);
    const wanted = (id: string) => overrides(id, {}, [{ category: "c" }, { category: "d", enabled: false }]);
    const tags = [
      { category: "c", theirs: 3 },
      { category: "d", enabled: false },
    ];
    assert.deepEqual(withIdentity(wanted("r"), live, record), overrides("r", { theirs: 1 }, tags));
    assert.deepEqual(withIdentity(wanted("s"), live, record), overrides("s", {}, tags));
  });

  it("keeps no parameters of another action or ruleset, and gets none if there are none", () => {
    const parameters = { extra: { theirs: 1 } };
    const skips = rule("x", { id: "1", actionParameters: parameters });
    assert.equal(withIdentity(rule("x", { action: "block" }), skips).actionParameters, undefined);
    assert.deepEqual(withIdentity(execute("m"), execute("n", parameters)).actionParameters, { id: "m" });
    assert.ok(!("actionParameters" in withIdentity(rule("after"), listed("before", "1"))));
  });

  it("keeps only its id and ref if it is an unmanaged rule that is overwritten", () => {
    const current = { extra: { ruleset: "current" } };
    const theirs = listed("theirs", "1", { ref: "shop", actionParameters: current });
    const actionParameters = { extra: { products: ["waf"] } };
    const declared = { action: "skip", expression: "true", ref: "shop", actionParameters };
    const inputs: Inputs = { zoneId, foreignRules: "overwrite", rules: [declared] };
    const live = { ...inList(theirs), name: "n" };
    const [written] = makeDesiredList(inputs, matchList(inputs, new Map(), live));
    assert.deepEqual([written?.rule.id, written?.rule.actionParameters], ["1", actionParameters]);
  });
});

describe("A list of rules", () => {
  it("keeps the name and the description that someone gave it", () => {
    const live = { name: "theirs", description: "do not touch", rules: [] };
    assert.deepEqual(body(live, "theirs", [rule("a", { version: "3", lastUpdated: "2025" })]), {
      name: "theirs",
      description: "do not touch",
      rules: [rule("a")],
    });
    assert.deepEqual(body({ ...live, description: "" }, undefined, []), { name: "default", rules: [] });
  });

  it("is not the same if a rule is another one with equal content", () => {
    assert.ok(isSameList([listed("a", "1")], [listed("a", "1", { version: "3" })]));
    assert.ok(!isSameList([rule("a")], [listed("a", "1")]));
    assert.ok(!isSameList([listed("b", "1")], [listed("a", "1")]));
  });

  it("counts as changed if it cannot be compared", () => {
    const one = { action: "skip", expression: "true" };
    const late = { ...one, expression: unknownValue };
    assert.ok(!isListChanged([one], [one]));
    for (const [before, now] of [
      [undefined, [one]],
      [[one], "what"],
      ["what", undefined],
      [[one], [late]],
      [[late], [late]],
    ])
      assert.ok(isListChanged(before, now));
  });
});
