import assert from "node:assert/strict";
import type { Policy } from "../../provider/src/api/client-types";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { mayBe } from "../../provider/src/resources/csp-policy-set/plan";

const live: Policy = {
  policyId: "p",
  description: "shop",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  enabled: true,
  value: "script-src 'self'; img-src 'self'",
};

describe("Whether a policy of the zone may be one of which not all is known", () => {
  const rows: readonly [string, object, boolean][] = [
    ["all is unknown", { description: unknownValue, action: unknownValue, value: unknownValue }, true],
    ["what is known is so", { description: "shop", action: "log", value: unknownValue }, true],
    ["another name", { description: "blog", value: unknownValue }, false],
    ["another action", { action: "allow", value: unknownValue }, false],
    ["another expression", { expression: "true", value: unknownValue }, false],
    [
      "the same expression, spelled otherwise",
      { expression: 'http.host   eq  "shop.example.com"', value: unknownValue },
      true,
    ],
    ["switched off here", { enabled: false, value: unknownValue }, false],
    ["switched on by default", { value: unknownValue }, true],
    ["nobody knows whether it is switched on", { enabled: unknownValue }, true],
    ["another text", { description: unknownValue, value: "script-src 'none'" }, false],
    [
      "the same text in another order",
      { description: unknownValue, value: "img-src 'self'; script-src 'self'" },
      true,
    ],
    ["the same as directives", { directives: { "img-src": ["'self'"], "script-src": ["'self'"] } }, true],
    ["other directives", { directives: { "img-src": ["'none'"] } }, false],
  ];
  for (const [what, entry, expected] of rows) {
    it(`${what}: ${expected}`, () => assert.equal(mayBe({ key: "a", entry: { ...entry } }, live), expected));
  }

  it("one that is switched off may be one that is declared so", () => {
    const off = { ...live, enabled: false };
    assert.equal(mayBe({ key: "a", entry: { enabled: false } }, off), true);
    assert.equal(mayBe({ key: "a", entry: {} }, off), false);
  });
});
