import assert from "node:assert/strict";
import fc from "fast-check";
import type { Rule } from "../../../provider/src/api/client-types";
import {
  findChangedPlaces,
  idleSkips,
  type PlacedRule,
  placeRules,
  type RuleOrder,
} from "../../../provider/src/model/waf-rules/rule-places";
import { check } from "../../support/random-runs";

const rule = (id: string, more: Partial<Rule> = {}): Rule => ({
  id,
  action: "block",
  expression: "true",
  ...more,
});

/** Capital letters are unmanaged rules, small letters declared rules in the zone, and digits new declared rules. */
const isNew = (id: string): boolean => /\d/.test(id);

function placed(zone: string, declared: string, order: RuleOrder = "afterForeign", isOrderChanged = false) {
  const live = [...zone].map((id) => rule(id));
  const list = placeRules({
    live,
    kept: new Set(live.filter(({ id = "" }) => /[A-Z]/.test(id))),
    declared: [...declared].map((id) => ({ rule: rule(id), live: live.find((one) => one.id === id) })),
    order,
    isOrderChanged,
  });
  return list;
}

const text = (list: readonly PlacedRule[]): string => list.map((one) => one.rule.id).join("");

describe("The places of an entry point's rules", () => {
  const rows: readonly [what: string, zone: string, declared: string, written: string, order?: RuleOrder][] =
    [
      ["an edit moves no rule, wherever the unmanaged rules are", "AaBbC", "ab", "AaBbC"],
      ["a removed rule leaves no gap", "AaBbC", "b", "ABbC"],
      ["our rules in another order exchange their places", "aAbBc", "cab", "cAaBb"],
      ["a new rule goes directly behind the declared one before it", "aAbB", "a1b2", "a1Ab2B"],
      ["several new rules keep their order", "aA", "a12", "a12A"],
      ["new rules at the beginning go directly before the next declared rule", "AaB", "12a", "A12aB"],
      ["the first rules of a program go behind the unmanaged ones", "AB", "12", "AB12"],
      ["or before them, if order is beforeForeign", "AB", "12", "12AB", "beforeForeign"],
      ["order moves nothing if one of our rules is in the zone", "AaB", "a1", "Aa1B", "beforeForeign"],
      ["a new rule follows its neighbour, even if that one moves", "aAb", "b1a", "b1Aa"],
    ];
  for (const [what, zone, declared, written, order] of rows)
    it(`${what}: ${zone} with ${declared} becomes ${written}`, () =>
      assert.equal(text(placed(zone, declared, order)), written));

  it("a change of order moves all our rules to that end", () => {
    assert.equal(text(placed("aAbB", "a1b", "beforeForeign", true)), "a1bAB");
    assert.equal(text(placed("aAbB", "a1b", "afterForeign", true)), "ABa1b");
  });

  it("in any list, rules that stay keep their places, our rules exchange theirs, and a second update moves nothing", async () => {
    const letters = (from: string) => fc.shuffledSubarray([...from]);
    await check(
      fc.property(
        fc.tuple(
          letters("ABCDabcd").map((all) => all.join("")),
          letters("abcd1234").map((all) => all.join("")),
        ),
        fc.constantFrom<RuleOrder>("afterForeign", "beforeForeign"),
        ([zone, wanted], order) => {
          // Declares only new rules and rules that are in the zone.
          const declared = [...wanted].filter((id) => isNew(id) || zone.includes(id)).join("");
          const list = text(placed(zone, declared, order));
          const stays = (id: string): boolean => /[A-Z]/.test(id) || declared.includes(id);
          const before = [...zone].filter(stays);
          const after = [...list].filter((id) => !isNew(id));
          const ours = (ids: readonly string[]) => ids.map((id) => /[a-z]/.test(id));
          const unmanaged = (ids: readonly string[]) => ids.filter((id) => /[A-Z]/.test(id));
          assert.deepEqual(unmanaged(after), unmanaged(before));
          assert.deepEqual(ours(after), ours(before), "our rules take the places of our rules");
          assert.equal([...list].filter((id) => declared.includes(id)).join(""), declared);
          const isReordered =
            before.filter((id) => declared.includes(id)).join("") !==
            [...declared].filter((id) => !isNew(id)).join("");
          if (!isReordered) assert.deepEqual(after, before);
          const known = new Map([..."1234"].map((id, at) => [id, "wxyz"[at] ?? ""]));
          const named = (all: string) => [...all].map((id) => known.get(id) ?? id).join("");
          assert.equal(text(placed(named(list), named(declared), order)), named(list));
        },
      ),
      { usually: 500 },
    );
  });
});

describe("Rules that change places", () => {
  const list = (...rules: readonly Rule[]): PlacedRule[] => rules.map((one) => ({ rule: one, live: one }));
  const pairs = (before: readonly Rule[], ...after: readonly Rule[]) =>
    findChangedPlaces(before, list(...after)).map(({ first, second }) => `${first.id} before ${second.id}`);

  it("are reported if one of the two blocks, challenges or skips, in their new order", () => {
    const [run, log] = [rule("run", { action: "execute" }), rule("log", { action: "log" })];
    for (const action of [
      "block",
      "challenge",
      "js_challenge",
      "managed_challenge",
      "force_connection_close",
      "serve_error",
      "skip",
    ]) {
      const one = rule("one", { action });
      assert.deepEqual(pairs([one, run], run, one), ["run before one"], action);
    }
    assert.deepEqual(pairs([run, log], log, run), []);
    assert.deepEqual(pairs([run, rule("off", { enabled: false })], rule("off"), run), []);
  });

  it("are not reported if a rule is only added or deleted beside them", () => {
    const [a, b, c] = [rule("a"), rule("b"), rule("c")];
    assert.deepEqual(pairs([a, b, c], c), []);
    assert.deepEqual(findChangedPlaces([a, b], [{ rule: c, live: undefined }, ...list(a, b)]), []);
    assert.deepEqual(pairs([a, b, c], c, b, a), ["c before b", "c before a", "b before a"]);
  });

  it("are reported if one of them blocks before or after the update", () => {
    const [was, other] = [rule("x", { action: "log" }), rule("y", { action: "log" })];
    const edited = { rule: { ...was, action: "block" }, live: was };
    assert.equal(findChangedPlaces([was, other], [...list(other), edited]).length, 1);
  });
});

describe("A rule that skips", () => {
  const skip = (id: string, extra: Partial<Rule> = {}) => rule(id, { action: "skip", ...extra });
  const run = rule("run", { action: "execute" });
  const idle = (...rules: readonly Rule[]) => idleSkips(rules).map(({ id }) => id);

  it("is reported as idle if no managed ruleset runs after it", () => {
    assert.deepEqual(idle(skip("a"), run, skip("b"), rule("c"), skip("d")), ["b", "d"]);
    assert.deepEqual(idle(skip("a"), { ...run, enabled: false }), ["a"]);
    assert.deepEqual(idle(run, skip("a", { enabled: false })), []);
    assert.deepEqual(idle(run, skip("a", { actionParameters: { extra: { phases: ["x"] } } })), []);
  });
});
