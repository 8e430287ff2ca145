import assert from "node:assert/strict";
import fc from "fast-check";
import { fromRule, toRule, wafRuleInput } from "../../provider/src/resources/waf-rule/rule-input";
import { isSameRule } from "../../provider/src/resources/waf-rule/rule-match";
import { check } from "../api/random-runs";
import { ruleInput } from "./support/random-rules";

describe("rules as a program declares them", () => {
  it("come back as they were from the client's terms, whatever is declared", async () => {
    await check(
      fc.property(ruleInput, (declared) => {
        const { ref: _ref, ...rest } = declared;
        const way = toRule(wafRuleInput.parse(declared));
        assert.deepEqual(
          fromRule({ ...way, id: "1", version: "2", lastUpdated: "2024-01-01T00:00:00Z" }),
          rest,
        );
      }),
    );
  });

  it("are the same rule after the way there and back and there", async () => {
    await check(
      fc.property(ruleInput, (declared) => {
        const way = toRule(declared);
        const back = wafRuleInput.parse(fromRule(way));
        assert.ok(isSameRule(toRule(back), way));
      }),
    );
  });

  it("keep a setting that is false, and send none that is absent", () => {
    const rule = toRule({
      action: "execute",
      expression: "true",
      actionParameters: {
        id: "m",
        overrides: {
          rules: [
            { id: "x", enabled: false },
            { id: "y", action: "log" },
          ],
        },
      },
    });
    assert.deepEqual(rule.actionParameters?.overrides, {
      rules: [
        { id: "x", enabled: false },
        { id: "y", action: "log" },
      ],
    });
    assert.ok(!("enabled" in rule));
  });

  it("speak the service's names for what the client has none for", () => {
    const { actionParameters } = toRule({
      action: "execute",
      expression: "true",
      actionParameters: {
        overrides: {
          sensitivityLevel: "low",
          categories: [{ category: "php", sensitivityLevel: "medium" }],
          rules: [{ id: "x", scoreThreshold: 40, sensitivityLevel: "default" }],
          extra: { note: 1 },
        },
      },
    });
    assert.deepEqual(actionParameters?.overrides, {
      rules: [{ id: "x", extra: { score_threshold: 40, sensitivity_level: "default" } }],
      extra: {
        note: 1,
        sensitivity_level: "low",
        categories: [{ category: "php", sensitivity_level: "medium" }],
      },
    });
  });

  it("leave out what the service adds: the version of the ruleset", () => {
    const shown = fromRule({
      action: "execute",
      expression: "true",
      actionParameters: { id: "m", extra: { version: "latest" } },
    });
    assert.deepEqual(shown, { action: "execute", expression: "true", actionParameters: { id: "m" } });
  });

  it("are refused when an override has no effect, a name is misspelt or a text is empty", () => {
    const rule = { action: "execute", expression: "true" };
    const wrong: readonly object[] = [
      { ...rule, actionParameters: { overrides: {} } },
      { ...rule, actionParameters: { overrides: { rules: [] } } },
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
});
