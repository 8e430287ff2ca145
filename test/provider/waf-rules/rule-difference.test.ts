import assert from "node:assert/strict";
import type { Rule } from "../../../provider/src/api/client-types";
import { differences, nearMisses } from "../../../provider/src/model/waf-rules/rule-difference";
import { isSameDeclaration } from "../../../provider/src/model/waf-rules/rule-match";

const rule = (more: Partial<Rule> = {}): Rule => ({
  action: "execute",
  expression: "true",
  description: "managed",
  actionParameters: { id: "m", overrides: { rules: [{ id: "r", action: "log" }] }, extra: { phase: "a" } },
  extra: { logging: { enabled: true } },
  ...more,
});

const { description: _name, ...nameless } = rule();

describe("The difference between a declared and a live rule", () => {
  const running = (actionParameters: NonNullable<Rule["actionParameters"]>) => rule({ actionParameters });
  const { actionParameters: usual } = rule();

  const overriding = (new_one: number) => running({ id: "m", overrides: { extra: { new_one } } });
  const dotted = (value: number) => running({ id: "m", extra: { "a.b": value } });
  const logged = '{"rules":[{"id":"r","action":"log"}]}';

  /** The place of the difference, and the value in the zone and in this stack; undefined if there is none. */
  type Difference = readonly [place: string, zone: string, stack: string] | undefined;
  const rows: readonly [what: string, declared: Rule, live: Rule, expected: Difference][] = [
    ["nothing", rule(), rule({ id: "1", ref: "1", version: "3" }), undefined],
    ["the action", rule(), rule({ action: "block" }), ["action", '"block"', '"execute"']],
    ["the expression", rule(), rule({ expression: "ssl" }), ["expression", '"ssl"', '"true"']],
    ["a switch that one of them omits", rule(), rule({ enabled: false }), ["enabled", "false", "true"]],
    ["a description that one of them omits", nameless, rule(), ["description", '"managed"', '""']],
    ["the ruleset", rule(), running({ ...usual, id: "n" }), ["actionParameters.id", '"n"', '"m"']],
    [
      "overrides",
      rule(),
      running({ id: "m", extra: { phase: "a" } }),
      ["actionParameters.overrides", "nothing", logged],
    ],
    [
      "an extra field of the rule",
      rule(),
      rule({ extra: {} }),
      ["extra.logging", "nothing", '{"enabled":true}'],
    ],
    ["an extra field with a dot in its name", dotted(1), dotted(2), ["actionParameters.extra.a.b", "2", "1"]],
    [
      "an extra field of the overrides",
      overriding(1),
      overriding(2),
      ["actionParameters.overrides.extra.new_one", "2", "1"],
    ],
    // A declaration may omit fields of the live rule.
    ["nothing, if the live rule has more fields", rule({ extra: {} }), rule(), undefined],
  ];
  for (const [what, declared, live, expected] of rows)
    it(`is ${what}`, () => {
      const [place, zone, stack] = expected ?? [];
      const told = expected ? [`${place} (in the zone: ${zone}, in this stack: ${stack})`] : [];
      assert.deepEqual(differences(declared, live), told);
    });
});

describe("An unmanaged rule that differs from a declared rule by", () => {
  const other = (id: string, more: Partial<Rule>): Rule => rule({ id, ref: id, ...more });
  const near = (declared: readonly Rule[], others: readonly Rule[]) =>
    nearMisses(declared, others).map(({ declared: one, rule: { id } }) => [declared.indexOf(one), id]);

  const rows: readonly [string, Partial<Rule>, boolean][] = [
    ["another action", { action: "log" }, true],
    ["another expression with the same description", { expression: "false" }, true],
    ["another description", { description: "other" }, true],
    ["being switched off", { enabled: false }, true],
    ["other extra fields", { extra: { logging: { enabled: false } } }, true],
    ["no overrides", { actionParameters: { id: "m", extra: { phase: "a" } } }, true],
    ["two fields", { enabled: false, action: "log" }, false],
    ["description and expression", { description: "other", expression: "false" }, false],
  ];
  for (const [what, more, isNear] of rows) {
    it(`${what} ${isNear ? "is a near miss" : "is another rule"}`, () => {
      assert.deepEqual(near([rule()], [other("1", more)]), isNear ? [[0, "1"]] : []);
    });
  }

  it("its expression is another rule if both have no description", () => {
    const nameless = rule({ description: "" });
    assert.deepEqual(near([nameless], [other("1", { description: "", expression: "false" })]), []);
    assert.deepEqual(near([nameless], [other("1", { description: "", action: "log" })]), [[0, "1"]]);
  });

  it("one field is reported at most once for each declared rule", () => {
    const others = [
      other("1", { description: "z", expression: "not ssl" }),
      other("2", { enabled: false }),
      other("3", { action: "log" }),
    ];
    const declared = [rule(), rule({ expression: "ssl", description: "other" })];
    assert.deepEqual(near(declared, others), [[0, "3"]]);
    const two = [other("1", { enabled: false }), other("2", { enabled: false })];
    assert.deepEqual(near([rule()], two), [[0, "1"]], "the first of several");
    assert.deepEqual(near([], others), []);
    assert.deepEqual(near([rule()], []), []);
  });
});

describe("Between two declarations of a rule,", () => {
  for (const [what, before, now, isSame] of [
    ["equal content", rule(), rule(), true],
    ["a ref that is added", rule(), rule({ ref: "a" }), false],
    ["another ref", rule({ ref: "b" }), rule({ ref: "a" }), false],
    ["the same ref", rule({ ref: "a" }), rule({ ref: "a" }), true],
    ["a ref that is removed", rule({ ref: "a" }), rule(), true],
    ["a field that is removed", rule(), rule({ extra: {} }), false],
    ["a field that is added", rule({ extra: {} }), rule(), false],
  ] as const)
    it(`${what} ${isSame ? "is no change" : "is a change"}`, () =>
      assert.equal(isSameDeclaration(before, now), isSame));
});
