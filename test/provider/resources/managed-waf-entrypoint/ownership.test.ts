import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import {
  collectIds,
  matchList,
  matchWritten,
  ownRules,
  selectStillOwn,
  withTaken,
} from "../../../../provider/src/resources/managed-waf-entrypoint/ownership";
import { toRecorded } from "../../../../provider/src/resources/managed-waf-entrypoint/recorded-rule";
import { inputsSchema, stateSchema } from "../../../../provider/src/resources/managed-waf-entrypoint/state";
import { zoneA } from "../../small-engine/zones";
import { inList, listed, rule as plain } from "../support/rules";

const one = {
  action: "skip",
  expression: "true",
  description: "one",
  actionParameters: { extra: { ruleset: "current" } },
};

const rule = (id: string | undefined, more: Partial<Rule> = {}): Rule => ({
  ...one,
  ...(id !== undefined && { id, ref: id }),
  ...more,
});

const declaring = (more: object = {}) => inputsSchema.parse({ zoneId: zoneA, rules: [one], ...more });

const state = (more: object) => stateSchema.parse({ zoneId: zoneA, ...more });

const ids = (rules: Iterable<Rule | undefined>) => [...rules].map((found) => found?.id);

const list = (...rules: readonly Rule[]) => ({ rulesetId: "set", rules });

describe("Matching a list with the declared rules", () => {
  it("adopts an equal rule without an id", () => {
    const { match } = matchList(declaring(), new Map(), list(rule(undefined)), new Set(["a"]));
    assert.equal(match.live[0]?.description, "one");
  });

  it("returns no id for a rule without one", () => {
    const there = list(rule("b", { action: "log" }), rule(undefined, { action: "log" }));
    const seen = matchList(declaring(), new Map(), there);
    assert.equal(seen.match.foreign.length, 2);
    assert.deepEqual(collectIds(seen.match.foreign), ["b"]);
  });
});

describe("The rules of a list that belong to this resource", () => {
  const own = (record: object, ...live: readonly Rule[]) =>
    ids(ownRules(state(record), list(...live)).keys());
  const unsaid = { ...toRecorded(rule(undefined)) };

  it("are those whose id is in the state, whatever their content is now", () => {
    const edited = rule("a", { expression: "false" });
    assert.deepEqual(own({ rules: [toRecorded(rule("a"))] }, rule("b"), edited), ["a"]);
    assert.deepEqual(own({ rules: [{ ...toRecorded(rule("a")), foreign: true }] }, rule("a")), []);
    assert.deepEqual(own({}, rule("a")), []);
    assert.deepEqual(ids(ownRules(state({ rules: [toRecorded(rule("a"))] })).keys()), []);
  });

  it("are those with equal content if the response with the ids was lost", () => {
    assert.deepEqual(own({ rules: [unsaid] }, rule("x", { action: "log" }), rule("n")), ["n"]);
    // Also if another rule in the state has an id.
    const two = toRecorded(rule("a", { description: "two" }));
    assert.deepEqual(own({ rules: [two, unsaid] }, rule("a"), rule("n")), ["a", "n"]);
    assert.deepEqual(own({ rules: [unsaid] }, rule(undefined)), [undefined]);
  });

  it("are none that existed before, unless they were adopted, and none that were unmanaged at the last read", () => {
    const initial = { rules: [toRecorded(rule("f"))], taken: [] as string[] };
    assert.deepEqual(own({ rules: [unsaid], initial }, rule("f")), []);
    assert.deepEqual(own({ rules: [unsaid], initial: { ...initial, taken: ["f"] } }, rule("f")), ["f"]);
    assert.deepEqual(own({ rules: [unsaid], foreignIds: ["s"] }, rule("s")), []);
    assert.deepEqual(own({ rules: [unsaid], foreignIds: ["s"] }, rule("s"), rule("n")), ["n"]);
    const nameless = { rules: [toRecorded(rule(undefined))], taken: [] };
    assert.deepEqual(own({ rules: [unsaid], initial: nameless }, rule("n")), ["n"]);
  });

  it("are those with equal content if a migration has changed the ids of all rules, but not otherwise", () => {
    const two = rule("b", { description: "two" });
    const both = [toRecorded(rule("a")), toRecorded(two)];
    assert.deepEqual(own({ rules: both }, rule("n1"), { ...two, id: "n2", ref: "n2" }), ["n1", "n2"]);
    // One id still exists, so the other rule was deleted, and the rule with equal content is unmanaged.
    assert.deepEqual(own({ rules: both }, rule("a"), { ...two, id: "n2", ref: "n2" }), ["a"]);
  });

  it("and have a ref are those with the same ref and equal content", () => {
    const named = toRecorded(rule("a", { ref: "mine" }));
    assert.deepEqual(own({ rules: [named] }, rule("n", { ref: "mine" }), rule("m")), ["n"]);
    assert.deepEqual(own({ rules: [named] }, rule("n", { ref: "mine", expression: "false" }), rule("m")), []);
  });

  it("are recognised by their ids within one operation", () => {
    const before = new Map([[rule("a"), toRecorded(rule("a"))]]);
    const later = [rule("b"), rule("a", { expression: "false" }), rule(undefined)];
    assert.deepEqual(ids(selectStillOwn(before, list(...later)).keys()), ["a"]);
    assert.deepEqual(ids(selectStillOwn(before).keys()), []);
  });
});

describe("The rules that a destroy restores", () => {
  const found = [rule("f"), rule("g", { description: "two" })];
  const initial = { rules: found.map(toRecorded), taken: [] };

  it("include all overwritten rules, also those that an update deleted before it was cut off", () => {
    const inputs = declaring({ foreignRules: "overwrite" });
    const seen = matchList(inputs, new Map(), list(rule("f")));
    assert.deepEqual(withTaken(initial, inputs, seen, state({})).taken, ["f"]);
    assert.deepEqual(withTaken(initial, inputs, seen, state({ foreignIds: ["g"] })).taken, ["f", "g"]);
    assert.deepEqual(withTaken(initial, declaring(), seen, state({ foreignIds: ["g"] })).taken, ["f"]);
    const both = matchList(inputs, new Map(), list(...found));
    assert.deepEqual(withTaken(initial, inputs, both, state({})).taken, ["f", "g"]);
  });
});

describe("The owner of a rule without an id", () => {
  const [ours, theirs] = [plain("ours"), plain("theirs")];

  it("is determined by the rule's content in a list without ids", () => {
    assert.deepEqual([...ownRules({ rules: [toRecorded(ours)] }, inList(theirs)).keys()], []);
    assert.deepEqual([...ownRules({ rules: [toRecorded(ours)] }, inList(theirs, ours)).keys()], [ours]);
    assert.equal(selectStillOwn(new Map([[ours, toRecorded(ours)]]), inList(theirs)).size, 0);
  });

  it("is somebody else if a rule with equal content has a ref", () => {
    const named = listed("ours", "x", { ref: "theirs" });
    assert.equal(ownRules({ rules: [toRecorded(ours)] }, inList(named)).size, 0);
  });
});

describe("The rules that a write has created", () => {
  const execute = (id: string, more: object = {}): Rule =>
    plain("run", { action: "execute", actionParameters: { id, ...more } });

  const sent = [listed("kept", "1"), execute("a")];
  const stored = (...live: Rule[]) => [...matchWritten(inList(...sent), inList(...live)).keys()];
  const ours = { ...execute("a"), id: "2" };

  it("are the new rules, whatever spelling the service stores, and no earlier rules", () => {
    const respelled = { ...ours, action: " Execute", description: "as it likes" };
    assert.deepEqual(stored(listed("kept", "1"), respelled), [respelled]);
  });

  const others: readonly [string, readonly Rule[]][] = [
    ["it has no id yet", [listed("kept", "1"), execute("a")]],
    ["another managed ruleset is in its place", [listed("kept", "1"), { ...execute("b"), id: "2" }]],
    ["it does something else", [listed("kept", "1"), { ...ours, action: "skip" }]],
    ["the kept rule was replaced by another one", [listed("kept", "3"), ours]],
    ["the order is another", [ours, listed("kept", "1")]],
    ["somebody has added a rule", [listed("kept", "1"), ours, listed("more", "4")]],
  ];
  for (const [what, live] of others) {
    it(`are unknown if ${what}`, () => assert.deepEqual(stored(...live), []));
  }
});
