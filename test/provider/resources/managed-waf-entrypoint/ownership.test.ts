import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import {
  idsOf,
  matchList,
  ownRules,
  stillOwn,
  withTaken,
  written,
} from "../../../../provider/src/resources/managed-waf-entrypoint/ownership";
import { recorded } from "../../../../provider/src/resources/managed-waf-entrypoint/recorded-rule";
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

describe("A list that is matched with what is declared", () => {
  it("adopts a rule without an id, which no one can know from before", () => {
    const { match } = matchList(declaring(), new Map(), list(rule(undefined)), new Set(["a"]));
    assert.equal(match.live[0]?.description, "one");
  });

  it("names no id of a rule that has none", () => {
    const seen = matchList(
      declaring(),
      new Map(),
      list(rule("b", { action: "log" }), rule(undefined, { action: "log" })),
    );
    assert.equal(seen.match.foreign.length, 2);
    assert.deepEqual(idsOf(seen.match.foreign), ["b"]);
  });
});

describe("Which rules of a list are this resource's", () => {
  const own = (record: object, ...live: readonly Rule[]) =>
    ids(ownRules(state(record), list(...live)).keys());
  const unsaid = { ...recorded(rule(undefined)) };

  it("are those with a recorded id, whatever they say now", () => {
    assert.deepEqual(own({ rules: [recorded(rule("a"))] }, rule("b"), rule("a", { expression: "false" })), [
      "a",
    ]);
    assert.deepEqual(own({ rules: [{ ...recorded(rule("a")), foreign: true }] }, rule("a")), []);
    assert.deepEqual(own({}, rule("a")), []);
    assert.deepEqual(ids(ownRules(state({ rules: [recorded(rule("a"))] })).keys()), []);
  });

  it("are those with the recorded meaning where the answer with the ids was lost", () => {
    assert.deepEqual(own({ rules: [unsaid] }, rule("x", { action: "log" }), rule("n")), ["n"]);
    // Also where another one has its id.
    assert.deepEqual(
      own({ rules: [recorded(rule("a", { description: "two" })), unsaid] }, rule("a"), rule("n")),
      ["a", "n"],
    );
    assert.deepEqual(own({ rules: [unsaid] }, rule(undefined)), [undefined]);
  });

  it("are none that were there before, unless they were adopted, nor any that were someone else's at the last look", () => {
    const initial = { rules: [recorded(rule("f"))], taken: [] as string[] };
    assert.deepEqual(own({ rules: [unsaid], initial }, rule("f")), []);
    assert.deepEqual(own({ rules: [unsaid], initial: { ...initial, taken: ["f"] } }, rule("f")), ["f"]);
    assert.deepEqual(own({ rules: [unsaid], foreignIds: ["s"] }, rule("s")), []);
    assert.deepEqual(own({ rules: [unsaid], foreignIds: ["s"] }, rule("s"), rule("n")), ["n"]);
    const nameless = { rules: [recorded(rule(undefined))], taken: [] };
    assert.deepEqual(own({ rules: [unsaid], initial: nameless }, rule("n")), ["n"]);
  });

  it("are found by what they say where a migration has given every rule another id, and only there", () => {
    const two = rule("b", { description: "two" });
    const both = [recorded(rule("a")), recorded(two)];
    assert.deepEqual(own({ rules: both }, rule("n1"), { ...two, id: "n2", ref: "n2" }), ["n1", "n2"]);
    // One of them is there still: the other one was deleted, and what says the same is somebody's.
    assert.deepEqual(own({ rules: both }, rule("a"), { ...two, id: "n2", ref: "n2" }), ["a"]);
  });

  it("with a name are those that say the same under it", () => {
    const named = recorded(rule("a", { ref: "mine" }));
    assert.deepEqual(own({ rules: [named] }, rule("n", { ref: "mine" }), rule("m")), ["n"]);
    assert.deepEqual(own({ rules: [named] }, rule("n", { ref: "mine", expression: "false" }), rule("m")), []);
  });

  it("stay so by their ids within one operation", () => {
    const before = new Map([[rule("a"), recorded(rule("a"))]]);
    const later = [rule("b"), rule("a", { expression: "false" }), rule(undefined)];
    assert.deepEqual(ids(stillOwn(before, list(...later)).keys()), ["a"]);
    assert.deepEqual(ids(stillOwn(before).keys()), []);
  });
});

describe("What is to be put back one day", () => {
  const found = [rule("f"), rule("g", { description: "two" })];
  const initial = { rules: found.map(recorded), taken: [] };

  it("is what is adopted, as it is right before that", () => {
    const edited = { ...rule("f"), extra: { logging: { enabled: true } } };
    const seen = matchList(declaring(), new Map(), list(edited, rule("g", { description: "two" })));
    const after = withTaken(initial, declaring(), seen, state({}));
    assert.deepEqual(after.taken, ["f"]);
    assert.deepEqual(after.rules, [recorded(edited), initial.rules[1]]);
    // Once taken over it is ours, and what becomes of it is no longer what was found.
    assert.deepEqual(
      withTaken(after, declaring(), matchList(declaring(), new Map(), list(rule("f"))), state({})),
      after,
    );
  });

  it("is all that is overwritten, also what an update that was cut off has deleted", () => {
    const inputs = declaring({ foreignRules: "overwrite" });
    const seen = matchList(inputs, new Map(), list(rule("f")));
    assert.deepEqual(withTaken(initial, inputs, seen, state({})).taken, ["f"]);
    assert.deepEqual(withTaken(initial, inputs, seen, state({ foreignIds: ["g"] })).taken, ["f", "g"]);
    assert.deepEqual(withTaken(initial, declaring(), seen, state({ foreignIds: ["g"] })).taken, ["f"]);
    const both = matchList(inputs, new Map(), list(...found));
    assert.deepEqual(withTaken(initial, inputs, both, state({})).taken, ["f", "g"]);
  });
});

describe("Whose a rule without an id is", () => {
  const [ours, theirs] = [plain("ours"), plain("theirs")];

  it("is recognised by what it does, in a list that gives no ids, and not by the ids that are missing", () => {
    assert.deepEqual([...ownRules({ rules: [recorded(ours)] }, inList(theirs)).keys()], []);
    assert.deepEqual([...ownRules({ rules: [recorded(ours)] }, inList(theirs, ours)).keys()], [ours]);
    assert.equal(stillOwn(new Map([[ours, recorded(ours)]]), inList(theirs)).size, 0);
  });

  it("is someone else's where he has given a rule of the same content a name", () => {
    const named = listed("ours", "x", { ref: "theirs" });
    assert.equal(ownRules({ rules: [recorded(ours)] }, inList(named)).size, 0);
  });
});

describe("What a write has brought into the list", () => {
  const execute = (id: string, more: object = {}): Rule =>
    plain("run", { action: "execute", actionParameters: { id, ...more } });

  const sent = [listed("kept", "1"), execute("a")];
  const stored = (...live: Rule[]) => [...written(inList(...sent), inList(...live)).keys()];
  const ours = { ...execute("a"), id: "2" };

  it("is the new rule, whatever text is stored of it, and nothing that was there", () => {
    const respelled = { ...ours, action: " Execute", description: "as it likes" };
    assert.deepEqual(stored(listed("kept", "1"), respelled), [respelled]);
  });

  const others: readonly [string, readonly Rule[]][] = [
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
