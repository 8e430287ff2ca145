import assert from "node:assert/strict";
import fc from "fast-check";
import type { Overrides, Rule } from "../../../provider/src/api/client-types";
import {
  isSameRule,
  matchRules,
  type RuleMatch,
  ruleFinder,
} from "../../../provider/src/model/waf-rules/rule-match";
import { check } from "../../support/random-runs";
import { liveList, programRule } from "../resources/support/random-rules";

const run = (id: string, more: Partial<Rule> = {}): Rule => ({
  action: "execute",
  expression: "true",
  actionParameters: { id },
  ...more,
});
const live = (id: string, rule: Rule): Rule => ({ ...rule, id, ref: rule.ref ?? id, version: "1" });
const overriding = (overrides: Overrides): Rule => run("m", { actionParameters: { id: "m", overrides } });

const ids = (rules: readonly (Rule | undefined)[]) => rules.map((rule) => rule?.id);
const seen = ({ live: found, dropped, foreign }: RuleMatch) => [ids(found), ids(dropped), ids(foreign)];

describe("Matching declared and live rules", () => {
  const a = live("1", run("m"));
  const b = live("2", run("n"));
  const skip = live("3", { action: "skip", expression: 'http.host eq "a"' });

  it("finds rules of equal meaning in any order, and returns unmanaged rules and rules that the program has dropped", () => {
    assert.deepEqual(seen(matchRules([run("n"), run("m")], [a, b], [a, skip, b])), [["2", "1"], [], ["3"]]);
    assert.deepEqual(seen(matchRules([run("m")], [a, b], [a, b])), [["1"], ["2"], []]);
    assert.deepEqual(seen(matchRules([], [], [a, b])), [[], [], ["1", "2"]]);
    assert.deepEqual(seen(matchRules([run("m")], [], [])), [[undefined], [], []]);
  });

  it("finds an edited rule of ours by the managed ruleset that it runs, but never an unmanaged rule", () => {
    const edited = run("m", { expression: "false" });
    assert.deepEqual(seen(matchRules([edited], [a], [a])), [["1"], [], []]);
    assert.deepEqual(seen(matchRules([edited], [], [a])), [[undefined], [], ["1"]]);
    assert.deepEqual(seen(matchRules([run("other")], [a], [a])), [[undefined], ["1"], []]);
  });

  it("matches an unmanaged rule that equals a declared one, if no rule of ours does", () => {
    const twin = live("9", run("m"));
    assert.deepEqual(seen(matchRules([run("m")], [], [twin])), [["9"], [], []]);
    assert.deepEqual(seen(matchRules([run("m")], [a], [twin, a])), [["1"], [], ["9"]]);
  });

  it("distinguishes rules without id and ref only by their content", () => {
    const [m, n] = [run("m"), run("n")];
    const none = { dropped: [], foreign: [n], namesakes: [] };
    assert.deepEqual(matchRules([], [m], [n]), { ...none, live: [] });
    assert.deepEqual(matchRules([m], [], [n]), { ...none, live: [undefined] });
  });

  it("prefers a rule with equal fields in any order, then the first free rule with additional fields", () => {
    const extra = (id: string, fields: object): Rule => live(id, run("m", { extra: { ...fields } }));
    const [more, other, again] = [
      extra("1", { a: 1, b: 2, c: 3 }),
      extra("2", { a: 1, b: 2, d: 4 }),
      extra("3", { a: 1, b: 2, c: 3 }),
    ];
    const wanted = run("m", { extra: { a: 1, b: 2 } });
    const found = (count: number, ...rules: Rule[]) =>
      ids(matchRules(Array<Rule>(count).fill(wanted), [], rules).live);
    assert.deepEqual(found(3, more, other, again), ["1", "2", "3"]);
    assert.deepEqual(found(1, more, extra("9", { b: 2, a: 1 })), ["9"]);
    assert.deepEqual(found(1, extra("8", { a: 1 }), extra("9", { a: 1, b: 3 })), [undefined]);
  });

  it("ignores fields that the service adds to an override, unless the program declares them", () => {
    const overrides = (...fields: object[]): Rule => {
      const [rule = {}, category = {}] = fields;
      const categories = [{ category: "c", action: "log", ...category }];
      return overriding({ rules: [{ id: "r", action: "log", extra: { ...rule } }], extra: { categories } });
    };
    const added = { display_name: "x" };
    const served = overrides(added, added);
    assert.ok(isSameRule(overrides(), served));
    assert.ok(isSameRule(overrides(added, added), served));
    assert.ok(!isSameRule(served, overrides(added)));
    assert.ok(!isSameRule(served, overrides({}, added)));
    assert.ok(!isSameRule(overrides(), overrides({ ...added, score_threshold: 25 })));
    assert.ok(!isSameRule(overrides(), overrides({}, { ...added, sensitivity_level: "low" })));
    const nameless = (field: string) => overriding({ extra: { categories: [{ [field]: 1 }] } });
    assert.ok(!isSameRule(nameless("a"), nameless("b")));
  });

  it("compares overrides exactly, but in any order", () => {
    const threshold = (value: number) =>
      overriding({ rules: [{ id: "r", extra: { score_threshold: value } }] });
    assert.ok(!isSameRule(threshold(25), threshold(40)));
    const bare = overriding({ rules: [{ id: "r" }] });
    assert.ok(!isSameRule(threshold(25), bare));
    assert.ok(isSameRule(overriding({ rules: [{ id: "r", extra: {} }] }), bare));
    const categories = (...names: string[]) =>
      overriding({ extra: { categories: names.map((category) => ({ category, action: "log" })) } });
    assert.ok(isSameRule(categories("a", "b"), categories("b", "a")));
    const one = { id: "a", enabled: false };
    const two = { id: "b", action: "log" };
    assert.ok(isSameRule(overriding({ rules: [one, two] }), overriding({ rules: [two, one] })));
    assert.ok(!isSameRule(overriding({ rules: [one, one] }), overriding({ rules: [one, two] })));
  });

  it("finds a rule by its ref before anything else, and never a rule with another ref", () => {
    const named = live("4", run("m", { ref: "mine" }));
    const changed = run("z", { ref: "mine", expression: "false" });
    assert.deepEqual(seen(matchRules([changed], [named], [a, named])), [["4"], [], ["1"]]);
    for (const other of [run("m", { ref: "new" }), run("m", { expression: "false" })])
      assert.deepEqual(seen(matchRules([other], [named], [named])), [[undefined], ["4"], []]);
  });

  it("does not match an unmanaged rule that has only the same ref, but reports that the ref is in use", () => {
    const theirs = live("4", run("m", { ref: "mine" }));
    const wanted = run("m", { ref: "mine", expression: "false" });
    const matched = matchRules([wanted], [], [theirs]);
    assert.deepEqual(seen(matched), [[undefined], [], ["4"]]);
    assert.deepEqual(matched.namesakes, [{ index: 0, rule: theirs }]);
    assert.deepEqual(seen(matchRules([run("m", { ref: "mine" })], [], [theirs])), [["4"], [], []]);
    // An equal declared rule does not match it either, because the list would then contain the ref twice.
    assert.deepEqual(seen(matchRules([wanted, run("m")], [], [theirs])), [[undefined, undefined], [], ["4"]]);
  });

  it("looks at each of a thousand rules only a few times, whatever their content", () => {
    const shapes: readonly ((index: number) => Rule)[] = [
      (index) => run("m", { expression: `ip.src eq ${index}` }),
      () => run("m"),
      (index) => run("m", { extra: { [`field${index}`]: index } }),
      (index) => run("m", { ref: `r${index}` }),
      (index) => overriding({ rules: [{ id: `o${index}`, enabled: false }] }),
    ];
    for (const shape of shapes) {
      const declared = Array.from({ length: 1000 }, (_, index) => shape(index));
      const rules = declared.map((rule, index) => live(`id${index}`, rule)).reverse();
      const free = new Set(rules);
      let looks = 0;
      const find = ruleFinder(rules, (rule) => {
        looks += 1;
        return free.has(rule);
      });
      const edited = declared.map((rule) => ({ ...rule, description: "edited" }));
      for (const rule of [...edited, ...declared]) {
        const found = find(rule);
        if (found) free.delete(found);
      }
      assert.equal(free.size, 0, String(shape));
      assert.ok(looks < 5000, `${shape}: ${looks} looks`);
      for (const known of [rules, []])
        assert.ok(matchRules(declared, known, rules).live.every((rule) => rule !== undefined));
    }
  });

  it("reads each of a thousand overrides only a few times", () => {
    let reads = 0;
    const many = Array.from({ length: 1000 }, (_, index) => ({
      id: `o${index}`,
      get enabled() {
        reads += 1;
        return false;
      },
    }));
    assert.ok(isSameRule(overriding({ rules: many }), overriding({ rules: [...many].reverse() })));
    assert.ok(reads < 5000, `${reads} reads`);
  });

  it("returns each live rule exactly once, for any declared, known and live rules", async () => {
    await check(
      fc.property(
        liveList,
        fc.array(programRule, { maxLength: 6 }),
        fc.func(fc.boolean()),
        (rules, declared, isOurs) => {
          const known = rules.filter((rule) => isOurs(rule.id));
          const matched = matchRules(declared, known, rules);
          const found = matched.live.filter((rule) => rule !== undefined);
          const all = [...found, ...matched.dropped, ...matched.foreign];
          assert.deepEqual(ids(all).sort(), ids(rules).sort());
          assert.equal(matched.live.length, declared.length);
          const inOrder = rules.filter((rule) => matched.foreign.includes(rule));
          assert.deepEqual(matched.foreign, inOrder, "unmanaged rules keep their order");
          for (const rule of matched.foreign) assert.ok(!known.includes(rule));
          for (const rule of matched.dropped) assert.ok(known.includes(rule));
          found.forEach((rule) => {
            const wanted = declared[matched.live.indexOf(rule)];
            if (!known.includes(rule)) assert.ok(wanted && isSameRule(wanted, rule));
          });
        },
      ),
    );
  });

  it("finds every rule again in any order, if nothing has changed", async () => {
    await check(
      fc.property(fc.array(programRule, { maxLength: 6 }), fc.infiniteStream(fc.nat()), (declared, order) => {
        // Each ref is unique, because `check` refuses duplicates.
        const unique = declared.map(({ ref, ...rule }, index) =>
          ref === undefined ? rule : { ...rule, ref: `r${index}` },
        );
        const rules = unique.map((rule, index) => live(`id${index}`, rule));
        const keys = new Map(rules.map((rule) => [rule, order.next().value ?? 0]));
        const shuffled = [...rules].sort((left, right) => (keys.get(left) ?? 0) - (keys.get(right) ?? 0));
        const matched = matchRules(unique, rules, shuffled);
        assert.deepEqual([matched.dropped, matched.foreign], [[], []]);
        unique.forEach((rule, index) => {
          const found = matched.live[index];
          assert.ok(found && isSameRule(rule, found));
        });
      }),
    );
  });
});

describe("The comparison of a live and a declared rule", () => {
  it("ignores fields that the service adds and fields that the program omits", () => {
    const extra = { logging: { enabled: true } };
    const served = live("1", run("m", { description: "", enabled: true, extra }));
    assert.ok(isSameRule(run("m"), { ...served, lastUpdated: "2024-01-01T00:00:00Z" }));
    const latest = { ...served, actionParameters: { id: "m", extra: { version: "latest" } } };
    assert.ok(isSameRule(run("m"), latest));
    assert.ok(isSameRule(run("m", { expression: " true " }), served));
  });

  it("compares each declared field", () => {
    const edits: readonly Partial<Rule>[] = [
      { action: "skip" },
      { expression: "false" },
      { description: "x" },
      { enabled: false },
      { ref: "mine" },
      { actionParameters: { id: "n" } },
      { actionParameters: { id: "m", extra: { ruleset: "current" } } },
      { extra: { logging: { enabled: true } } },
    ];
    for (const edit of edits) {
      assert.ok(!isSameRule(run("m", edit), live("1", run("m"))), JSON.stringify(edit));
      assert.ok(isSameRule(run("m", edit), live("1", run("m", edit))), JSON.stringify(edit));
    }
  });

  it("distinguishes an absent setting of an override from false, in both directions", () => {
    const states: readonly Overrides[] = [
      {},
      { enabled: false },
      { enabled: true },
      { action: "log" },
      { rules: [{ id: "r" }] },
      { rules: [{ id: "r", enabled: false }] },
      { rules: [{ id: "r", enabled: true }] },
      { rules: [{ id: "r", action: "log" }] },
      { rules: [{ id: "r", action: "log", extra: { score_threshold: 40 } }] },
      { extra: { sensitivity_level: "low" } },
      { extra: { categories: [{ category: "wordpress", enabled: false }] } },
      { extra: { categories: [{ category: "wordpress" }] } },
    ];
    for (const declared of states)
      for (const shown of states) {
        const isSame = isSameRule(overriding(declared), live("1", overriding(shown)));
        assert.equal(isSame, declared === shown, JSON.stringify([declared, shown]));
      }
  });
});
