import assert from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import { wrongInputs } from "../../../provider/src/lifecycle/wrong-inputs";
import { type Finding, findingText } from "../../../provider/src/model/finding";
import { unknownValue } from "../../../provider/src/model/unknown";
import { fromRule, toRule, wafRuleInput } from "../../../provider/src/model/waf-rules/rule-input";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import { check } from "../../support/random-runs";
import { inspected } from "../resources/support/asked-kind";
import { ruleInput } from "../resources/support/random-rules";

const execute = { action: "execute", expression: "true" };
const running = <Overrides extends object>(overrides: Overrides) => ({
  ...execute,
  actionParameters: { id: "m", overrides },
});

/** Returns the findings about one declared rule; empty without any. */
function complaint(rule: object): string {
  return wrongInputs({ rules: z.array(wafRuleInput) }, { rules: [rule] })
    .map(({ finding }) => findingText(finding))
    .join("\n");
}

describe("Rules that a program declares", () => {
  it("are unchanged after conversion to the client's form and back", async () => {
    await check(
      fc.property(ruleInput, (declared) => {
        const { ref: _ref, ...rest } = declared;
        const way = toRule(wafRuleInput.parse(declared));
        const served = { ...way, id: "1", version: "2", lastUpdated: "2024-01-01T00:00:00Z" };
        assert.deepEqual(fromRule(served), rest);
      }),
    );
  });

  it("use the service's names for fields that the client's form lacks", () => {
    const overrides = {
      sensitivityLevel: "low",
      categories: [{ category: "php", sensitivityLevel: "medium" }],
      rules: [{ id: "x", scoreThreshold: 40, sensitivityLevel: "default" }],
      extra: { note: 1 },
    };
    const { actionParameters } = toRule(running(overrides));
    assert.deepEqual(actionParameters?.overrides, {
      rules: [{ id: "x", extra: { score_threshold: 40, sensitivity_level: "default" } }],
      extra: {
        note: 1,
        sensitivity_level: "low",
        categories: [{ category: "php", sensitivity_level: "medium" }],
      },
    });
  });

  it("omit the version of the ruleset, which the service adds", () => {
    const shown = fromRule({ ...execute, actionParameters: { id: "m", extra: { version: "latest" } } });
    assert.deepEqual(shown, { ...execute, actionParameters: { id: "m" } });
  });

  it("are refused if extra contains a field that has its own argument, with the argument's name", () => {
    for (const [input, place, name] of [
      [{ ...running({ action: "log" }), extra: { enabled: false } }, "extra.enabled", "enabled"],
      [running({ extra: { rules: [] } }), "overrides.extra.rules", "rules"],
      [running({ rules: [{ id: "x", extra: { action: "log" } }] }), "rules[0].extra.action", "action"],
    ] as const) {
      const told = complaint(input);
      assert.ok(told.includes(`${place}: `) && told.includes(` set ${name} instead`), told);
    }
  });

  it("are refused if extra contains a number that JSON cannot contain, with its path", () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const told = complaint({ ...running({ action: "log" }), extra: { note: [1, { deep: number }] } });
      assert.match(told, /^rules\[0\]\.extra\.note\[1\]\.deep: this number is .*\[input-invalid\]$/);
    }
    assert.equal(complaint({ ...execute, actionParameters: { id: "m" }, extra: { note: unknownValue } }), "");
  });

  it("are refused if the action is unknown, with the nearest action, or if execute names no ruleset", () => {
    const misspelt = { ...execute, action: "exceute", actionParameters: { id: "m" } };
    const wrong: readonly (readonly [RegExp, ...object[]])[] = [
      [/^rules\[0\]\.action: "exceute" .* Did you mean "execute"\? \[input-invalid\]$/, misspelt],
      [/Use one of execute, skip, block/, { action: "allow", expression: "true" }],
      [/\.rules\[0\]\.action: .*Did you mean "log"\?/, running({ rules: [{ id: "x", action: "Log" }] })],
      [
        /give its id/,
        ...[undefined, {}, { id: "" }].map((given) => ({ ...execute, actionParameters: given })),
      ],
      [
        /^rules\[0\]: only execute runs a managed ruleset: leave/,
        ...["log", "block", "skip"].map((action) => ({ ...running({ enabled: true }), action })),
      ],
    ];
    for (const [expected, ...rules] of wrong)
      for (const rule of rules) assert.match(complaint(rule), expected);
    // Values that are unknown in the preview.
    for (const unknown of [
      { action: unknownValue, expression: "true" },
      { ...running({ enabled: true }), action: unknownValue },
      { ...execute, actionParameters: unknownValue },
      { ...execute, actionParameters: { id: unknownValue } },
    ])
      assert.equal(complaint(unknown), "");
  });

  it("may contain fields that the service adds, as reads and outputs return them, which change nothing", () => {
    const actionParameters = { extra: { ruleset: "current" } };
    const declared = { action: "skip", expression: "true", actionParameters };
    const served = { ...declared, id: "1", version: "3", lastUpdated: "2024-01-01T00:00:00Z" };
    assert.deepEqual(toRule(wafRuleInput.parse({ ...served, ref: "1" })), toRule(declared));
    assert.equal(toRule(wafRuleInput.parse({ ...served, ref: "named" })).ref, "named");
  });

  it("are refused if an override has no effect, a name is misspelt or a text is empty", () => {
    const rule = { action: "skip", expression: "true" };
    const wrong: readonly object[] = [
      { ...rule, actionParameters: { overrides: { rules: [{ id: "x" }] } } },
      { ...rule, actionParameters: { overrides: { categories: [{ category: "php" }] } } },
      { ...rule, actionParameters: { overrides: { enabeld: true } } },
      { ...rule, actoin: "log" },
      { ...rule, action: "" },
      { ...rule, expression: "  " },
      { ...rule, ref: "" },
      { ...rule, enabled: "true" },
    ];
    for (const input of wrong) assert.ok(!wafRuleInput.safeParse(input).success, JSON.stringify(input));
    assert.ok(wafRuleInput.safeParse(rule).success);
  });

  it("are refused if two overrides name one rule, or if an override contains only an empty extra", () => {
    const overriding = (...rules: object[]) => complaint(running({ rules }));
    const log = { id: "a", action: "log" };
    assert.equal(overriding(log, { ...log, id: "b" }), "");
    assert.match(overriding(log, { id: "a", enabled: false }), /two overrides have the same rule id\./);
    assert.match(overriding({ id: "a", extra: {} }), /rules\[0\]: this override changes nothing/);
    assert.equal(overriding({ id: "a", extra: { sensitivity: 1 } }), "");
  });

  it("keep the fields in extra that the service returns, also those with their own argument, and malformed categories", () => {
    const extra = { categories: [{ category: "php", enabled: false }], sensitivity_level: "low", note: 1 };
    const overrides = { rules: [{ id: "x", extra: { score_threshold: 40 } }], extra };
    const { actionParameters } = toRule(wafRuleInput.parse(running(overrides)));
    assert.deepEqual(actionParameters?.overrides, overrides);
    const shown = (...categories: unknown[]) =>
      Object(fromRule(running({ extra: { categories } }))).actionParameters.overrides;
    const log = { category: "php", action: "log" };
    assert.deepEqual(shown(log), { categories: [log] });
    assert.deepEqual(shown(log, 7), { extra: { categories: [log, 7] } });
  });
});

describe("Expressions of rules", () => {
  const bad = [{ expression: "true" }, { expression: "(ssl" }, { expression: unknownValue }, "no rule"];
  const told = (findings: readonly Finding[] | undefined) =>
    findings?.map(({ severity, code, property }) => `${severity} ${code} ${property}`);

  it("are refused if they cannot be parsed, in an entry point and in a migration", () => {
    const ofList = (rules: unknown) => told(inspected(managedWafEntrypoint, { rules }));
    assert.deepEqual(ofList(bad), ["error expression-unreadable rules[1].expression"]);
    assert.deepEqual(ofList(unknownValue), []);
    const ofMigration = (configuration: unknown) =>
      told(inspected(wafMigrationStep, { zoneId: "z", confirm: "z", configuration }));
    assert.deepEqual(ofMigration({ name: "n", rules: bad }), [
      "error expression-unreadable configuration.rules[1].expression",
    ]);
    assert.deepEqual([ofMigration(undefined), ofMigration(unknownValue)], [[], []]);
  });
});
