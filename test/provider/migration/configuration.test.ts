import assert from "node:assert/strict";
import type { Rule, WafConfiguration } from "../../../provider/src/api/client-types";
import {
  limitProblems,
  movingNotes,
  overrideProblems,
  rulesToMove,
  withOverrides,
} from "../../../provider/src/resources/waf-migration/configuration";
import { readableRules } from "../../../provider/src/resources/waf-migration/readable-rules";
import { managed, owasp } from "./support/quick-story";

const knownRule = "151a3f2e2748558a890f6ac0dd29ec3b";

const skip = (expression: string, description = "bypass"): Rule => ({
  action: "skip",
  expression,
  description,
  enabled: true,
  actionParameters: { extra: { ruleset: "current" } },
});
const overrides = { rules: [{ id: knownRule, action: "log" }], extra: { sensitivity_level: "low" } };
const execute = (id: string, description: string): Rule => ({
  action: "execute",
  expression: "true",
  description,
  enabled: true,
  actionParameters: { id, overrides },
});
const logged = (rulesetId: string, ruleId: string) => ({ rulesetId, ruleId, action: "log" });
const configuration = (...rules: Rule[]): WafConfiguration => ({ name: "default", rules });

describe("Overrides in the program", () => {
  it("are added to the proposal of the service, change only what they name, and do not modify the proposal itself", () => {
    const executes = [execute(managed, "managed"), execute(owasp, "owasp")];
    const proposed = configuration(skip("ip.src eq 192.0.2.1"), ...executes);
    const before = structuredClone(proposed);
    const merged = withOverrides(proposed, [
      { rulesetId: managed, ruleId: knownRule, enabled: false },
      { rulesetId: managed, ruleId: "aaaa", action: "log" },
    ]);
    assert.deepEqual(merged.rules[1]?.actionParameters?.overrides, {
      rules: [
        { id: knownRule, action: "log", enabled: false },
        { id: "aaaa", action: "log" },
      ],
      extra: { sensitivity_level: "low" },
    });
    assert.deepEqual([merged.rules[0], merged.rules[2]], [proposed.rules[0], proposed.rules[2]]);
    assert.deepEqual(proposed, before);
  });

  it("apply to every rule that runs the ruleset, not to rules with another action or without parameters", () => {
    const named: Rule = { ...skip("true"), actionParameters: { id: managed } };
    const others: Rule[] = ["block", "execute"].map((action) => ({ action, expression: "true" }));
    const bare: Rule = { action: "execute", expression: "true", actionParameters: { id: managed } };
    const proposed = configuration(named, ...others, bare, execute(managed, "second"));
    const off = { rulesetId: managed, ruleId: "aaaa", enabled: false };
    const merged = withOverrides(proposed, [off]);
    assert.deepEqual(merged.rules.slice(0, 3), proposed.rules.slice(0, 3));
    const counts = merged.rules.slice(3).map((rule) => rule.actionParameters?.overrides?.rules?.length);
    assert.deepEqual(counts, [1, 2]);
    assert.deepEqual(overrideProblems(proposed, [off]), []);
    const [unknown] = overrideProblems(configuration(named), [off]);
    assert.match(unknown?.what ?? "", /It runs no managed ruleset/);
  });

  it("are reported if an id is unknown or nearly a known one, with the nearest id; a new rule is accepted", () => {
    const bare: Rule = { action: "execute", expression: "true", actionParameters: { id: owasp } };
    const proposed = configuration(execute(managed, "managed"), bare);
    const nearlyKnown = "151a3f2e2748558a890f6ac0dd29ec3c";
    for (const [rulesetId, ruleId, at, names] of [
      ["efb7b8c949ac4650a09736fc376e9aef", knownRule, "rulesetId", `Did you mean ${managed}?`],
      ["0".repeat(32), knownRule, "rulesetId", `It runs ${managed}, ${owasp}.`],
      [managed, nearlyKnown, "ruleId", knownRule],
    ] as const) {
      const [problem] = overrideProblems(proposed, [logged(rulesetId, ruleId)]);
      assert.equal(problem?.property, `ruleOverrides[0].${at}`);
      assert.ok(problem?.what.includes(names), problem?.what);
    }
    for (const [rulesetId, ruleId] of [
      [managed, "9".repeat(32)],
      [managed, knownRule],
      // Rules of one ruleset say nothing about those of another one.
      [owasp, nearlyKnown],
    ] as const)
      assert.deepEqual(overrideProblems(proposed, [logged(rulesetId, ruleId)]), []);
  });
});

describe("The limits of a migration", () => {
  const many = (count: number): Rule[] =>
    Array.from({ length: count }, (_, index) => skip(`ip.src eq 192.0.2.${index}`));

  const runs = (count: number): Rule[] => Array.from({ length: count }, () => execute(managed, "managed"));

  for (const [what, rules, problem] of [
    ["200 firewall rules are accepted, and three managed rulesets do not count", [...many(200), ...runs(3)]],
    ["201 are refused", [...many(201), ...runs(1)], / 201 firewall rules .* at most 200/],
    ["rulesets count from the fourth on", [...many(197), ...runs(4)], /has 201 firewall rules/],
    ["200 are accepted, a fourth ruleset included", [...many(196), ...runs(4)]],
    ["an expression of 4,096 bytes is accepted", [skip("x".repeat(4096))]],
    [
      "an expression of 4,097 bytes is refused, and its rule is named",
      [skip("true"), skip("x".repeat(4097), "the long one")],
      /rule 2 \(the long one\) has 4097 bytes .* at most 4096/,
    ],
    ["bytes count, not characters", [skip("ä".repeat(2049), "umlauts")], /umlauts\) has 4098 bytes/],
  ] as const)
    it(what, () => {
      const problems = limitProblems(configuration(...rules));
      assert.equal(problems.length, problem ? 1 : 0);
      assert.match(problems.join(), problem ?? /^$/);
    });
});

describe("The configuration for a reviewer", () => {
  it("has a line for each rule and each override, in their order, also for an override that changes nothing", () => {
    const off: Rule = { ...skip("ip.src in $partners", "partners"), enabled: false };
    const rules = [{ id: "a" }, { id: "b", enabled: true }, { id: "c", extra: { score_threshold: 25 } }];
    const extra = { categories: [{ category: "paranoia-level-3", enabled: false }] };
    const actionParameters = { overrides: { action: "log", rules, extra } };
    const whole: Rule = { action: "execute", expression: "true", actionParameters };
    assert.deepEqual(readableRules(configuration(off, execute(managed, "managed"), whole)), [
      'Configuration "default", 3 rules:',
      '  1. "partners" skip, if ip.src in $partners, disabled',
      `  2. "managed" run managed ruleset ${managed}, if true, enabled`,
      `     - rule ${knownRule}: action log`,
      "     - sensitivity_level: low",
      "  3. run managed ruleset (none), if true, enabled",
      "     - all its rules: action log",
      "     - rule a: (nothing)",
      "     - rule b: enabled",
      "     - rule c: score_threshold 25",
      '     - categories: [{"category":"paranoia-level-3","enabled":false}]',
    ]);
  });
});

describe("A long configuration for a reviewer", () => {
  const rules = (count: number): Rule[] =>
    Array.from({ length: count }, (_, index) => skip(`ip.src eq 192.0.2.${index % 200}`, `rule ${index}`));

  it("shows the first rules, the last four that run rulesets, the first overrides, and how many more there are", () => {
    const ids = rules(200).map((_, index) => ({ id: `${index}`.padStart(32, "0"), action: "log" }));
    const run = (id: string, more: object): Rule => ({
      ...execute(id, "o"),
      actionParameters: { id, ...more },
    });
    const runs = [...Array(5).fill(run(owasp, {})), run(managed, { overrides: { rules: ids } })];
    const lines = readableRules(configuration(...rules(100), ...runs, ...rules(50)));
    const shown = lines.flatMap((line) => /^ {2}(\d+)\./.exec(line)?.[1] ?? []).map(Number);
    const first = shown.slice(0, -4);
    assert.equal(lines[0], 'Configuration "default", 156 rules:');
    assert.deepEqual(shown.slice(-4), [103, 104, 105, 106]);
    assert.deepEqual(
      first,
      [...first.keys()].map((index) => index + 1),
    );
    assert.ok(first.length > 20 && first.length < 60, String(first.length));
    const overrides = lines.filter((line) => line.startsWith("     - rule ")).length;
    assert.ok(overrides > 20 && overrides < 120, String(overrides));
    assert.deepEqual(lines.slice(-2), [
      `     … and ${200 - overrides} more overrides`,
      `  … and ${156 - shown.length} more rules; getWafConfiguration returns them all.`,
    ]);
    assert.ok(lines.join("\n").length < 4600);
  });
});

describe("The change of the OWASP ruleset", () => {
  it("is reported if a rule runs it, by its id or its name, and only then", () => {
    const both = configuration(execute(managed, "managed"), execute(owasp, "any name"));
    const told = movingNotes(both).join("\n");
    for (const text of [
      ...["High -> paranoia level 2, score threshold 40", "Medium -> level 1, 25", "Low -> level 1, 40"],
      ...["default -> level 2, 40", "Simulate becomes Log", "group overrides", "are lost"],
    ])
      assert.ok(told.includes(text), text);
    const lines = (...rules: Rule[]) => movingNotes(configuration(...rules)).length;
    assert.ok(lines(execute("f".repeat(32), "The OWASP core ruleset")) > 1);
    assert.equal(lines(execute(managed, "managed"), skip("true", "owasp scanner")), 1);
    const spelt: Rule = { ...execute(owasp, "any name"), action: " Execute" };
    assert.ok(lines(spelt) > 1);
    assert.equal(rulesToMove(configuration(spelt, skip("true", "own"))), 1);
    assert.match(readableRules(configuration(spelt)).join("\n"), /run managed ruleset/);
  });
});
