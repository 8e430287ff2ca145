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

describe("What keeps a live rule from being the declared one", () => {
  const running = (actionParameters: NonNullable<Rule["actionParameters"]>) => rule({ actionParameters });
  const { actionParameters: usual } = rule();

  const rows: readonly [what: string, declared: Rule, live: Rule, expected: string][] = [
    ["nothing", rule(), rule({ id: "1", ref: "1", version: "3" }), ""],
    ["the action", rule(), rule({ action: "block" }), 'action (there "block", here "execute")'],
    ["a switch that one leaves out", rule(), rule({ enabled: false }), "enabled (there false, here true)"],
    ["a name that one leaves out", nameless, rule(), 'description (there "managed", here "")'],
    ["what is run", rule(), running({ ...usual, id: "n" }), 'actionParameters.id (there "n", here "m")'],
    [
      "overrides",
      rule(),
      running({ id: "m", extra: { phase: "a" } }),
      'actionParameters.overrides (there nothing, here {"rules":[{"id":"r","action":"log"}]})',
    ],
    [
      "a further field of the rule",
      rule(),
      rule({ extra: {} }),
      'extra.logging (there nothing, here {"enabled":true})',
    ],
    [
      "a further field of the parameters, with a dot in its name",
      running({ id: "m", extra: { "a.b": 1 } }),
      running({ id: "m", extra: { "a.b": 2 } }),
      "actionParameters.extra.a.b (there 2, here 1)",
    ],
    [
      "a further field of the overrides",
      running({ id: "m", overrides: { extra: { new_one: 1 } } }),
      running({ id: "m", overrides: { extra: { new_one: 2 } } }),
      "actionParameters.overrides.extra.new_one (there 2, here 1)",
    ],
    // A declaration need not speak of what is there.
    ["nothing, where the live one says more", rule({ extra: {} }), rule(), ""],
  ];
  for (const [what, declared, live, expected] of rows)
    it(`is ${what}`, () => assert.deepEqual(differences(declared, live), expected ? [expected] : []));
});

describe("Rules of others that are nearly the declared ones", () => {
  const other = (id: string, more: Partial<Rule>): Rule => rule({ id, ref: id, ...more });
  const near = (declared: readonly Rule[], others: readonly Rule[]) =>
    nearMisses(declared, others).map(({ declared: one, rule: { id } }) => [declared.indexOf(one), id]);

  const rows: readonly [string, Partial<Rule>, boolean][] = [
    ["another action", { action: "log" }, true],
    ["another expression, under one name", { expression: "false" }, true],
    ["another name", { description: "other" }, true],
    ["switched off", { enabled: false }, true],
    ["other further fields", { extra: { logging: { enabled: false } } }, true],
    ["no overrides", { actionParameters: { id: "m", extra: { phase: "a" } } }, true],
    ["two fields", { enabled: false, action: "log" }, false],
    ["a name and an expression", { description: "other", expression: "false" }, false],
  ];
  for (const [what, more, isNear] of rows) {
    it(`${what}: ${isNear ? "near" : "another rule"}`, () => {
      assert.deepEqual(near([rule()], [other("1", more)]), isNear ? [[0, "1"]] : []);
    });
  }

  it("have nothing to do with each other without a name, when they look for different things", () => {
    const nameless = rule({ description: "" });
    assert.deepEqual(near([nameless], [other("1", { description: "", expression: "false" })]), []);
    assert.deepEqual(near([nameless], [other("1", { description: "", action: "log" })]), [[0, "1"]]);
  });

  it("are each named by the first one that is near, for the declared rules that need one", () => {
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

describe("Whether two declarations say the same", () => {
  for (const [what, before, now, isSame] of [
    ["the same", rule(), rule(), true],
    ["a name that is given later", rule(), rule({ ref: "a" }), false],
    ["another name", rule({ ref: "b" }), rule({ ref: "a" }), false],
    ["the same name", rule({ ref: "a" }), rule({ ref: "a" }), true],
    ["a name that is taken back", rule({ ref: "a" }), rule(), true],
    ["less than before", rule(), rule({ extra: {} }), false],
    ["more than before", rule({ extra: {} }), rule(), false],
  ] as const)
    it(`${what}: ${isSame ? "no change" : "a change"}`, () =>
      assert.equal(isSameDeclaration(before, now), isSame));
});
