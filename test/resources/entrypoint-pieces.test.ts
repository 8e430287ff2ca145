import assert from "node:assert/strict";
import type { Rule } from "../../provider/src/api/client-types";
import type { Finding } from "../../provider/src/lifecycle/finding";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { leftOver, withoutLeftOver } from "../../provider/src/resources/managed-waf-entrypoint/left-over";
import { managedWafEntrypoint } from "../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { ListInRun } from "../../provider/src/resources/managed-waf-entrypoint/list-in-run";
import {
  look,
  ownRules,
  stillOwn,
  written,
} from "../../provider/src/resources/managed-waf-entrypoint/ownership";
import { recorded } from "../../provider/src/resources/managed-waf-entrypoint/recorded-rule";
import {
  body,
  desiredList,
  isListChanged,
  isSameList,
  withIdentity,
} from "../../provider/src/resources/managed-waf-entrypoint/rule-list";
import type { Inputs } from "../../provider/src/resources/managed-waf-entrypoint/state";
import { wafMigrationStep } from "../../provider/src/resources/waf-migration/lifecycle";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const rule = (description: string, more: Partial<Rule> = {}): Rule => ({
  action: "skip",
  expression: "true",
  description,
  ...more,
});
const listed = (description: string, id: string, more: Partial<Rule> = {}): Rule =>
  rule(description, { id, ref: id, ...more });
const inList = (...rules: Rule[]) => ({ rules });
const execute = (id: string, more: object = {}): Rule =>
  rule("run", { action: "execute", actionParameters: { id, ...more } });

describe("Whose a rule without an id is", () => {
  const [ours, theirs] = [rule("ours"), rule("theirs")];

  it("is told by what it does, in a list that gives no ids, and not by the ids that are missing", () => {
    assert.deepEqual([...ownRules({ rules: [recorded(ours)] }, inList(theirs)).keys()], []);
    assert.deepEqual([...ownRules({ rules: [recorded(ours)] }, inList(theirs, ours)).keys()], [ours]);
    assert.equal(stillOwn(new Map([[ours, recorded(ours)]]), inList(theirs)).size, 0);
  });

  it("is somebody else's where he has given a rule of the same content a name", () => {
    const named = listed("ours", "x", { ref: "theirs" });
    assert.equal(ownRules({ rules: [recorded(ours)] }, inList(named)).size, 0);
  });
});

describe("What a write has brought into the list", () => {
  const strangers = new Set(["9"]);
  const sent = [listed("kept", "1"), execute("a")];
  const stored = (...live: Rule[]) => [...written(inList(...sent), inList(...live), strangers).keys()];
  const ours = { ...execute("a"), id: "2" };

  it("is the new rule, whatever text is stored of it, and nothing that was there", () => {
    const respelled = { ...ours, action: " Execute", description: "as it likes" };
    assert.deepEqual(stored(listed("kept", "1"), respelled), [respelled]);
  });

  const others: readonly [string, readonly Rule[]][] = [
    ["a rule of a stranger that does the same is in its place", [listed("kept", "1"), { ...ours, id: "9" }]],
    ["it has no id yet", [listed("kept", "1"), execute("a")]],
    ["another managed ruleset is in its place", [listed("kept", "1"), { ...execute("b"), id: "2" }]],
    ["it does something else", [listed("kept", "1"), { ...ours, action: "skip" }]],
    ["the kept rule has made way for another", [listed("kept", "3"), ours]],
    ["the order is another", [ours, listed("kept", "1")]],
    ["somebody has added one", [listed("kept", "1"), ours, listed("more", "4")]],
  ];
  for (const [what, live] of others) {
    it(`is nothing that can be told where ${what}`, () => assert.deepEqual(stored(...live), []));
  }
});

describe("What a replaced resource has left in the list", () => {
  const nobody = new Set<string>();

  it("are rules with its recorded ids; what is merely like them may be anybody's", () => {
    const state = { rules: [recorded(listed("a", "1"))] };
    const left = (...live: Rule[]) => [...leftOver(state, nobody, inList(...live)).keys()];
    assert.deepEqual(left(listed("a", "1")), [listed("a", "1")]);
    assert.deepEqual(left(listed("a", "2")), []);
    assert.equal(leftOver({ rules: [recorded(rule("a"))] }, nobody, inList(rule("a"))).size, 0);
    assert.equal(leftOver(state, new Set(["1"]), inList(listed("a", "1"))).size, 0);
  });

  it("goes back to how it was found, and what was found and is gone is not made anew", () => {
    const [found, gone, ours] = [listed("found", "1"), listed("gone", "2"), listed("ours", "3")];
    const edited = listed("edited", "1");
    const initial = { rules: [recorded(found), recorded(gone)], taken: ["1", "2"] };
    const rest = new Map([edited, ours].map((one) => [one, recorded(one)]));
    const { rules } = withoutLeftOver({ initial }, rest, inList(edited, ours)) ?? assert.fail();
    assert.deepEqual(
      rules.map(({ id, description }) => [id, description]),
      [["1", "found"]],
    );
  });

  it("is not asked of a successor of which not all rules are known", () => {
    const list = new ListInRun();
    const held = (...rules: { id?: string; foreign?: boolean }[]) => {
      list.hold(rules.map((one) => ({ action: "skip", expression: "true", ...one })));
      return list.heldIds && [...list.heldIds];
    };
    assert.deepEqual(held({ id: "1" }, { id: "2", foreign: true }), ["1"]);
    assert.equal(held({ id: "1" }, {}), undefined);
    assert.deepEqual(held(), []);
    list.hold(undefined);
    assert.equal(list.heldIds, undefined);
  });
});

describe("A rule that is edited", () => {
  it("keeps its id and its ref", () => {
    const live = listed("before", "1", { ref: "shop" });
    assert.deepEqual(withIdentity(rule("after"), live), { ...rule("after"), id: "1", ref: "shop" });
    assert.deepEqual(withIdentity(rule("after"), rule("before", { id: "1" })), { ...rule("after"), id: "1" });
  });

  it("keeps what the program does not speak of, at each depth, and drops what it no longer speaks of", () => {
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

  it("has nothing of a rule that did something else, and no parameters where there are none", () => {
    const parameters = { extra: { theirs: 1 } };
    const skips = rule("x", { id: "1", actionParameters: parameters });
    assert.equal(withIdentity(rule("x", { action: "block" }), skips).actionParameters, undefined);
    assert.deepEqual(withIdentity(execute("m"), execute("n", parameters)).actionParameters, { id: "m" });
    assert.ok(!("actionParameters" in withIdentity(rule("after"), listed("before", "1"))));
  });

  it("is left nothing but its identity where it was somebody else's and is overwritten", () => {
    const theirs = listed("theirs", "1", {
      ref: "shop",
      actionParameters: { extra: { ruleset: "current" } },
    });
    const actionParameters = { extra: { products: ["waf"] } };
    const declared = { action: "skip", expression: "true", ref: "shop", actionParameters };
    const inputs: Inputs = { zoneId, foreignRules: "overwrite", rules: [declared] };
    const live = { ...inList(theirs), name: "n" };
    const [written] = desiredList(inputs, look(inputs, new Map(), live));
    assert.deepEqual([written?.id, written?.actionParameters], ["1", actionParameters]);
  });
});

describe("Expressions of rules", () => {
  const bad = [{ expression: "true" }, { expression: "(ssl" }, { expression: unknownValue }, "no rule"];
  const told = (findings: readonly Finding[] | undefined) =>
    findings?.map(({ severity, code, property }) => `${severity} ${code} ${property}`);

  it("are warned of where they cannot be read, in a list and in the list of a migration", () => {
    const ofList = (rules: unknown, wanted: "all" | "errors") =>
      told(managedWafEntrypoint.inspect?.({ rules }, wanted));
    assert.deepEqual(ofList(bad, "all"), ["warning expression-unreadable rules[1].expression"]);
    assert.deepEqual([ofList(bad, "errors"), ofList(unknownValue, "all")], [[], []]);
    const ofMigration = (configuration: unknown, wanted: "all" | "errors" = "all") =>
      told(wafMigrationStep.inspect?.({ zoneId: "z", confirm: "z", configuration }, wanted));
    assert.deepEqual(ofMigration({ name: "n", rules: bad }), [
      "warning expression-unreadable configuration.rules[1].expression",
    ]);
    assert.deepEqual([ofMigration(undefined), ofMigration(unknownValue)], [[], []]);
    assert.deepEqual(ofMigration({ name: "n", rules: bad }, "errors"), []);
  });
});

describe("A list of rules", () => {
  it("keeps the name and the description that somebody gave it", () => {
    const live = { name: "theirs", description: "do not touch", rules: [] };
    assert.deepEqual(body(live, "theirs", [rule("a", { version: "3", lastUpdated: "2025" })]), {
      name: "theirs",
      description: "do not touch",
      rules: [rule("a")],
    });
    assert.deepEqual(body({ ...live, description: "" }, undefined, []), { name: "default", rules: [] });
  });

  it("is not the same where a rule is another one that says the same", () => {
    assert.ok(isSameList([listed("a", "1")], [listed("a", "1", { version: "3" })]));
    assert.ok(!isSameList([rule("a")], [listed("a", "1")]));
    assert.ok(!isSameList([listed("b", "1")], [listed("a", "1")]));
  });

  it("counts as changed where it cannot be compared", () => {
    const one = { action: "skip", expression: "true" };
    assert.ok(!isListChanged([one], [one]));
    for (const [before, now] of [
      [undefined, [one]],
      [[one], "what"],
      ["what", undefined],
      [[one], [{ ...one, expression: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }]],
      [
        [{ ...one, expression: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }],
        [{ ...one, expression: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }],
      ],
    ])
      assert.ok(isListChanged(before, now));
  });
});
