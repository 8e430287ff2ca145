import assert from "node:assert/strict";
import fc from "fast-check";
import { build, equalPolicies } from "../../../csp/src";
import { toDeclaration } from "../../../provider/src";
import type { Policy } from "../../../provider/src/api/client-types";
import { toRule, wafRuleInput } from "../../../provider/src/model/waf-rules/rule-input";
import { isSameRule } from "../../../provider/src/model/waf-rules/rule-match";
import { entrypointDeclaration } from "../../../provider/src/resources/managed-waf-entrypoint/to-declaration";
import { liveList } from "./support/random-rules";

const policy: Policy = {
  policyId: "1".repeat(32),
  description: "Checkout",
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
};

describe("toDeclaration", () => {
  it("given settings, then returns every switch, and no field that the service sets", () => {
    const switches = { enabled: true, useConnectionUrlPath: false };
    assert.deepEqual(toDeclaration({ ...switches, updatedAt: "2024-01-01T00:00:00Z" }), switches);
  });

  it("given a policy, then returns directives if they mean the same, and neither defaults nor the id", () => {
    const content = { description: "Checkout", action: "log", expression: "true" };
    assert.deepEqual(toDeclaration(policy), { ...content, directives: { "script-src": ["'self'"] } });
    assert.equal(toDeclaration({ ...policy, enabled: false }).enabled, false);
  });

  for (const [value, why] of [
    ["script-src 'self'; script-src 'none'", "browsers ignore a repeated directive"],
    ["script-src 'self' https://exämple.com", "browsers ignore a directive with a non-ASCII character"],
    ["script-src 'self', img-src *", "a comma starts another policy"],
    ["script-scr 'self'", "the compiler refuses an unknown directive name"],
    ["", "there is no directive"],
  ] as const) {
    it(`given ${JSON.stringify(value)}, then returns the text, because ${why}`, () => {
      const { directives, value: text } = toDeclaration({ ...policy, value });
      assert.deepEqual([directives, text], [undefined, value]);
    });
  }

  it("given any text, then returns a policy with the same meaning", () => {
    const word = fc.constantFrom(
      ...["script-src", "SCRIPT-SRC", "img-src", "'self'", "*", ";", ",", " ", "\n", "ä", "__proto__"],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const value = words.join(" ");
        const declared = toDeclaration({ ...policy, value });
        const text = declared.directives ? build(declared.directives) : (declared.value ?? "");
        assert.ok(equalPolicies(text, value));
      }),
    );
  });

  it("given an action that CspPolicy does not accept, then fails and names the argument", () => {
    assert.throws(() => toDeclaration({ ...policy, action: "later" }), /^InputError: .*action/);
  });

  it("given any rules of a service, then returns equal rules in the same order, with their refs", () => {
    fc.assert(
      fc.property(liveList, (rules) => {
        const declared = toDeclaration({ name: "ours", rulesetId: "1", version: "3", rules });
        assert.equal(declared.name, "ours");
        for (const [index, rule] of declared.rules.entries()) {
          const live = rules[index];
          assert.ok(live);
          assert.equal(rule.ref, live.ref);
          assert.ok(isSameRule(toRule(wafRuleInput.parse(rule)), live));
        }
      }),
    );
  });

  it("given a field that is null, then omits it, at any depth, but keeps null in lists", () => {
    const rule = (extra: object) => ({ action: "block", expression: "true", extra: { ...extra } });
    const declared = (extra: object) =>
      toDeclaration({ name: "", rulesetId: "1", version: "1", rules: [rule(extra)] });
    assert.deepEqual(declared({ a: null, b: [1], c: { e: 2 } }), { rules: [rule({ b: [1], c: { e: 2 } })] });
    assert.deepEqual(declared({ c: { d: null, e: [{ f: null }] } }), { rules: [rule({ c: { e: [{}] } })] });
    assert.deepEqual(declared({ b: [1, null] }), { rules: [rule({ b: [1, null] })] });
  });
});

describe("A rule that cannot be declared", () => {
  const rule = { action: "skip", expression: "true", actionParameters: { extra: { ruleset: "current" } } };

  it("is reported with its place when a zone is exported as a program", () => {
    assert.deepEqual(entrypointDeclaration({ rules: [rule] } as never), { rules: [rule] });
    const cannot = "A ManagedWafEntrypoint cannot declare this rule";
    for (const [odd, expected] of [
      [{ expression: "" }, `rules\\[1\\]\\.expression: ${cannot}: the expression is empty`],
      [{ action: 7 }, `rules\\[1\\]\\.action: ${cannot}: `],
    ] as const) {
      const rules = [rule, { ...rule, ...odd }];
      assert.throws(() => entrypointDeclaration({ rules } as never), new RegExp(expected));
    }
  });

  it("is not one that contains null or defaults: these are omitted, except null in a list", () => {
    const bare = { ...rule, enabled: true, description: "", ref: "" };
    assert.deepEqual(entrypointDeclaration({ name: "", rules: [bare] } as never), { rules: [rule] });
    const listed = { ...rule, actionParameters: { extra: { list: [null, 1] } } };
    const named = { name: "n", rules: [{ ...rule, enabled: false, description: "d", ref: "r" }, listed] };
    assert.deepEqual(entrypointDeclaration(named as never), named);
  });
});
