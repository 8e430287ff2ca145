import assert from "node:assert/strict";
import type { Rule, WafConfiguration } from "../../../provider/src/api/client-types";
import {
  limitProblems,
  movingNotes,
  overrideProblems,
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
const execute = (id: string, description: string): Rule => ({
  action: "execute",
  expression: "true",
  description,
  enabled: true,
  actionParameters: {
    id,
    overrides: { rules: [{ id: knownRule, action: "log" }], extra: { sensitivity_level: "low" } },
  },
});
const logged = (rulesetId: string, ruleId: string) => ({ rulesetId, ruleId, action: "log" });
const configuration = (...rules: Rule[]): WafConfiguration => ({ name: "default", rules });

describe("Overrides that the program adds", () => {
  it("come to what the service proposes, change only what they name, and leave the proposal alone", () => {
    const proposed = configuration(
      skip("ip.src eq 192.0.2.1"),
      execute(managed, "managed"),
      execute(owasp, "owasp"),
    );
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
    assert.ok(
      !("enabled" in (merged.rules[1]?.actionParameters?.overrides?.rules?.[1] ?? {})),
      "no default is invented",
    );
  });

  it("reach every rule that runs the ruleset, none of another action, and none without parameters", () => {
    const named: Rule = { ...skip("true"), actionParameters: { id: managed } };
    const others: Rule[] = [
      { action: "block", expression: "true" },
      { action: "execute", expression: "true" },
    ];
    const bare: Rule = { action: "execute", expression: "true", actionParameters: { id: managed } };
    const proposed = configuration(named, ...others, bare, execute(managed, "second"));
    const off = { rulesetId: managed, ruleId: "aaaa", enabled: false };
    const merged = withOverrides(proposed, [off]);
    assert.deepEqual(merged.rules.slice(0, 3), proposed.rules.slice(0, 3));
    assert.deepEqual(
      merged.rules.slice(3).map((rule) => rule.actionParameters?.overrides?.rules?.length),
      [1, 2],
    );
    assert.deepEqual(overrideProblems(proposed, [off]), []);
    const [unknown] = overrideProblems(configuration(named), [off]);
    assert.match(unknown?.what ?? "", /It runs no managed ruleset/);
  });

  it("for a ruleset that is not run are named with the nearest one, or with all there are", () => {
    const proposed = configuration(execute(managed, "managed"), execute(owasp, "owasp"));
    const [slip, stranger] = overrideProblems(proposed, [
      logged("efb7b8c949ac4650a09736fc376e9aef", knownRule),
      logged("0".repeat(32), knownRule),
    ]);
    assert.equal(slip?.property, "ruleOverrides[0].rulesetId");
    assert.match(
      slip?.what ?? "",
      new RegExp(`efb7b8c949ac4650a09736fc376e9aef\\. Did you mean ${managed}\\?`),
    );
    assert.equal(stranger?.property, "ruleOverrides[1].rulesetId");
    assert.match(stranger?.what ?? "", new RegExp(`It runs ${managed}, ${owasp}\\.`));
  });

  it("for a rule that is a slip away from a known one are named; a rule that is simply new is fine", () => {
    const proposed = configuration(execute(managed, "managed"));
    const nearlyKnown = "151a3f2e2748558a890f6ac0dd29ec3c";
    const [slip] = overrideProblems(proposed, [logged(managed, nearlyKnown)]);
    assert.equal(slip?.property, "ruleOverrides[0].ruleId");
    assert.match(slip?.what ?? "", new RegExp(knownRule));
    for (const fine of ["9".repeat(32), knownRule])
      assert.deepEqual(overrideProblems(proposed, [logged(managed, fine)]), []);
    // Rules of one ruleset say nothing about those of another one.
    const bare: Rule = { action: "execute", expression: "true", actionParameters: { id: owasp } };
    const both = configuration(execute(managed, "managed"), bare);
    assert.deepEqual(overrideProblems(both, [logged(owasp, nearlyKnown)]), []);
  });
});

describe("The limits of a migration", () => {
  const many = (count: number): Rule[] =>
    Array.from({ length: count }, (_, index) => skip(`ip.src eq 192.0.2.${index}`));

  it("200 firewall rules go, 201 do not; the managed rulesets do not count", () => {
    assert.deepEqual(
      limitProblems(configuration(...many(200), execute(managed, "managed"), execute(owasp, "owasp"))),
      [],
    );
    const [problem, ...others] = limitProblems(configuration(...many(201), execute(managed, "managed")));
    assert.match(problem ?? "", / 201 firewall rules .* at most 200/);
    assert.deepEqual(others, []);
  });

  it("rules that run managed rulesets count too, where there are more of them than a migration makes", () => {
    const runs = (count: number): Rule[] => Array.from({ length: count }, () => execute(managed, "managed"));
    assert.deepEqual(limitProblems(configuration(...many(200), ...runs(3))), []);
    assert.match(limitProblems(configuration(...many(197), ...runs(4)))[0] ?? "", /has 201 firewall rules/);
    assert.deepEqual(limitProblems(configuration(...many(196), ...runs(4))), []);
  });

  it("an expression of 4,096 bytes goes, one of 4,097 does not; bytes, not characters; the rule is named", () => {
    assert.deepEqual(limitProblems(configuration(skip("x".repeat(4096)))), []);
    const [problem] = limitProblems(configuration(skip("true"), skip("x".repeat(4097), "the long one")));
    assert.match(problem ?? "", /rule 2 \(the long one\) has 4097 bytes .* at most 4096/);
    assert.match(
      limitProblems(configuration(skip("ä".repeat(2049), "umlauts")))[0] ?? "",
      /umlauts\) has 4098 bytes/,
    );
  });
});

describe("The configuration for a reviewer", () => {
  it("has a line for each rule and each override, in their order", () => {
    const off: Rule = { ...skip("ip.src in $partners", "partners"), enabled: false };
    const whole: Rule = {
      action: "execute",
      expression: "true",
      actionParameters: {
        id: owasp,
        overrides: {
          action: "log",
          rules: [
            { id: "b", enabled: true },
            { id: "c", extra: { score_threshold: 25 } },
          ],
          extra: { categories: [{ category: "paranoia-level-3", enabled: false }] },
        },
      },
    };
    assert.deepEqual(readableRules(configuration(off, execute(managed, "managed"), whole)), [
      'Configuration "default", 3 rules:',
      '  1. "partners" skip, if ip.src in $partners, disabled',
      `  2. "managed" run managed ruleset ${managed}, if true, enabled`,
      `     - rule ${knownRule}: action log`,
      "     - sensitivity_level: low",
      `  3. run managed ruleset ${owasp}, if true, enabled`,
      "     - all its rules: action log",
      "     - rule b: enabled",
      "     - rule c: score_threshold 25",
      '     - categories: [{"category":"paranoia-level-3","enabled":false}]',
    ]);
  });
});

describe("A long configuration for a reviewer", () => {
  const rules = (count: number): Rule[] =>
    Array.from({ length: count }, (_, index) => skip(`ip.src eq 192.0.2.${index % 200}`, `rule ${index}`));
  const numbers = (lines: readonly string[]): string[] =>
    lines.flatMap((line) => /^ {2}(\d+)\./.exec(line)?.[1] ?? []);

  it("shows the first rules that there is room for, the last few that run rulesets wherever they stand, and how many there are", () => {
    const some = configuration(...rules(100), execute(managed, "m"), execute(owasp, "o"), ...rules(50));
    const lines = readableRules(some);
    const shown = numbers(lines).map(Number);
    assert.equal(lines[0], 'Configuration "default", 152 rules:');
    assert.deepEqual(shown.slice(-2), [101, 102]);
    assert.deepEqual(
      shown.slice(0, -2),
      Array.from({ length: shown.length - 2 }, (_, index) => index + 1),
    );
    assert.ok(shown.length > 20 && shown.length < 60, String(shown.length));
    assert.equal(
      lines.at(-1),
      `  … and ${152 - shown.length} more rules; getWafConfiguration gives them all.`,
    );
    assert.ok(lines.join("\n").length < 4500);
  });

  it("shows just four of many that run rulesets when there is no room for the rest", () => {
    const wide = Array.from({ length: 60 }, (_, index) => ({
      ...execute(managed, `managed ${index} ${"x".repeat(80)}`),
    }));
    const shown = numbers(readableRules(configuration(...wide))).map(Number);
    assert.deepEqual(shown.slice(-4), [57, 58, 59, 60]);
    assert.ok(shown.length < 30);
  });

  it("shows all rules where there is just room, and none of them twice", () => {
    for (const count of [1, 20, 30]) {
      const lines = readableRules(configuration(...rules(count)));
      assert.equal(lines.length, count + 1);
      assert.ok(!lines.join().includes("more rules"));
    }
  });

  it("shows the overrides that there is room for, and how many more there are", () => {
    const overridden: Rule = {
      action: "execute",
      expression: "true",
      actionParameters: {
        id: managed,
        overrides: {
          rules: Array.from({ length: 200 }, (_, index) => ({
            id: `${index}`.padStart(32, "0"),
            action: "log",
          })),
        },
      },
    };
    const lines = readableRules(configuration(overridden));
    const shown = lines.filter((line) => line.startsWith("     - rule "));
    assert.ok(shown.length > 40 && shown.length < 120, String(shown.length));
    assert.equal(lines.at(-1), `     … and ${200 - shown.length} more overrides`);
    assert.ok(lines.join("\n").length < 4600);
  });

  it("says what is there of a rule without an id, and of an override that says nothing", () => {
    const odd: Rule = {
      action: "execute",
      expression: "true",
      actionParameters: { overrides: { enabled: false, rules: [{ id: "a" }, { id: "b", enabled: false }] } },
    };
    assert.deepEqual(readableRules(configuration(odd)).slice(1), [
      "  1. run managed ruleset (none), if true, enabled",
      "     - all its rules: disabled",
      "     - rule a: (nothing)",
      "     - rule b: disabled",
    ]);
  });
});

describe("What becomes of the OWASP ruleset", () => {
  it("is reported when it is run, by its id or by its name, and only then", () => {
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
  });
});
