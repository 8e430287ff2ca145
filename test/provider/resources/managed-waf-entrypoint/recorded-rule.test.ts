import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import {
  asDeclared,
  fromRecord,
} from "../../../../provider/src/resources/managed-waf-entrypoint/recorded-rule";

const before = { action: "skip", expression: 'http.host  eq "a"', id: "1", ref: "1" };
const live: Rule = { action: "skip", expression: 'http.host eq "a"', id: "1", ref: "1", version: "4" };
/** Edited by somebody, so that not all is in the program's own words. */
const edited: Rule = { ...live, expression: "true" };
const shown = { action: "skip", expression: "true" };
const declaredOf = (rule: Rule, record: object) => asDeclared(rule, { ...before, ...record }).declared;

describe("A live rule as a program would declare it", () => {
  it("is in the program's own words where it says the same", () => {
    const { declared, recorded } = asDeclared({ ...live, enabled: true, description: "" }, before);
    assert.deepEqual(declared, { action: "skip", expression: before.expression });
    assert.deepEqual(recorded, { ...before, version: "4" });
  });

  it("has no default that the program has left out, and has each that it says", () => {
    const whole = { ...edited, enabled: true, description: "" };
    assert.deepEqual(declaredOf(whole, {}), shown);
    assert.deepEqual(declaredOf(whole, { enabled: true, description: "x" }), {
      ...shown,
      enabled: true,
      description: "",
    });
    assert.deepEqual(declaredOf({ ...edited, enabled: false, description: "off" }, {}), {
      ...shown,
      enabled: false,
      description: "off",
    });
  });

  it("has of further fields those that the program speaks of, at each depth", () => {
    const extra = { spoken: 1, other: 2 };
    const rule: Rule = { ...edited, extra, actionParameters: { extra, overrides: { action: "log", extra } } };
    const overrides = { action: "log" };
    assert.deepEqual(declaredOf(rule, {}), { ...shown, actionParameters: { overrides } });
    const spoken = { extra: { spoken: 0 } };
    assert.deepEqual(
      declaredOf(rule, {
        ...spoken,
        actionParameters: { ...spoken, overrides: { ...overrides, ...spoken } },
      }),
      {
        ...shown,
        extra: { spoken: 1 },
        actionParameters: { extra: { spoken: 1 }, overrides: { ...overrides, extra: { spoken: 1 } } },
      },
    );
    assert.deepEqual(declaredOf(rule, spoken), {
      ...shown,
      extra: { spoken: 1 },
      actionParameters: { overrides },
    });
  });

  it("has its name where someone gave it one", () => {
    assert.deepEqual(declaredOf({ ...edited, ref: "shop" }, {}), { ...shown, ref: "shop" });
    assert.deepEqual(asDeclared(live, undefined).declared, { action: "skip", expression: live.expression });
  });
});

describe("A rule in the state", () => {
  it("is the rule with the identity that it had, as far as that is known", () => {
    assert.deepEqual(fromRecord(before), before);
    assert.deepEqual(fromRecord({ ...shown, ref: "shop" }), { ...shown, ref: "shop" });
    assert.deepEqual(fromRecord(shown), shown);
  });
});
