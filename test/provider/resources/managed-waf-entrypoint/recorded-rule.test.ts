import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import {
  asDeclared,
  fromRecord,
} from "../../../../provider/src/resources/managed-waf-entrypoint/recorded-rule";

const before = { action: "skip", expression: 'http.host  eq "a"', id: "1", ref: "1" };
const live: Rule = { action: "skip", expression: 'http.host eq "a"', id: "1", ref: "1", version: "4" };
/** A rule that somebody has edited, so that its content differs from the state. */
const edited: Rule = { ...live, expression: "true" };
const shown = { action: "skip", expression: "true" };
const declaredOf = (rule: Rule, record: object) => asDeclared(rule, { ...before, ...record }).declared;

describe("The declaration of a live rule", () => {
  it("has the program's spelling of fields that mean the same", () => {
    const { declared, recorded } = asDeclared({ ...live, enabled: true, description: "" }, before);
    assert.deepEqual(declared, { action: "skip", expression: before.expression });
    assert.deepEqual(recorded, { ...before, version: "4" });
  });

  it("has defaults only if the program declares the field", () => {
    const whole = { ...edited, enabled: true, description: "" };
    assert.deepEqual(declaredOf(whole, {}), shown);
    const both = { enabled: true, description: "" };
    assert.deepEqual(declaredOf(whole, { enabled: true, description: "x" }), { ...shown, ...both });
    const off = { enabled: false, description: "off" };
    assert.deepEqual(declaredOf({ ...edited, ...off }, {}), { ...shown, ...off });
  });

  it("has extra fields only if the program declares them, at any depth", () => {
    const extra = { spoken: 1, other: 2 };
    const rule: Rule = { ...edited, extra, actionParameters: { extra, overrides: { action: "log", extra } } };
    const overrides = { action: "log" };
    assert.deepEqual(declaredOf(rule, {}), { ...shown, actionParameters: { overrides } });
    const spoken = { extra: { spoken: 0 } };
    const everywhere = (said: object) => ({
      ...said,
      actionParameters: { ...said, overrides: { ...overrides, ...said } },
    });
    const now = { extra: { spoken: 1 } };
    assert.deepEqual(declaredOf(rule, everywhere(spoken)), { ...shown, ...everywhere(now) });
    assert.deepEqual(declaredOf(rule, spoken), { ...shown, ...now, actionParameters: { overrides } });
  });

  it("has extra fields of an override only if the program declares them for the same rule or category", () => {
    const extra = { spoken: 1, other: 2 };
    const [a, b, category] = [{ id: "a", action: "log" }, { id: "b", enabled: false }, { category: "c" }];
    const overrides = {
      rules: [
        { ...a, extra },
        { ...b, extra },
      ],
      extra: { categories: [{ ...category, ...extra }] },
    };
    const declared = {
      rules: [b, { ...a, extra: { spoken: 0 } }],
      categories: [{ ...category, enabled: false }],
    };
    const spoken = { ...a, extra: { spoken: 1 } };
    assert.deepEqual(
      declaredOf(
        { ...edited, actionParameters: { overrides } },
        { actionParameters: { overrides: declared } },
      ),
      { ...shown, actionParameters: { overrides: { rules: [spoken, b], categories: [category] } } },
    );
    // Without another difference, the whole declaration stays.
    const same = { actionParameters: { overrides: { rules: [a, b], categories: [category] } } };
    assert.deepEqual(
      asDeclared({ ...live, actionParameters: { overrides } }, { ...before, ...same }).declared,
      { action: "skip", expression: before.expression, ...same },
    );
  });

  it("has the ref if someone has set one", () => {
    assert.deepEqual(declaredOf({ ...edited, ref: "shop" }, {}), { ...shown, ref: "shop" });
    assert.deepEqual(asDeclared(live, undefined).declared, { action: "skip", expression: live.expression });
  });
});

describe("A rule in the state", () => {
  it("has its id and ref, as far as they are known", () => {
    assert.deepEqual(fromRecord(before), before);
    assert.deepEqual(fromRecord({ ...shown, ref: "shop" }), { ...shown, ref: "shop" });
    assert.deepEqual(fromRecord(shown), shown);
  });
});
