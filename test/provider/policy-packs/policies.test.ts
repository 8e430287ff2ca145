import assert from "node:assert/strict";
import { reporter } from "../../../examples/policy-pack/exemptions";
import * as pageGuard from "../../../provider/src";
import { typePrefix } from "../../../provider/src/model/urn";
import {
  isClosedSecret,
  isCspPolicy,
  isCspPolicySet,
  isManagedWafEntrypoint,
  isOfPageGuard,
  isPageGuardSettings,
  isWafMigration,
  managedRulesets,
  policiesOf,
  rulesetsOf,
  stackOf,
} from "../../../provider/src/policy";

const prefix = "pulumi-nodejs:dynamic/page-guard:";
const resource = (kind: string, props: Record<string, unknown>) => ({
  type: `${prefix}${kind}`,
  urn: `urn:pulumi:prod::shop::${prefix}${kind}::x`,
  name: "x",
  props,
});

/** Returns the fields of a resource's policies that most rules read. */
const shown = (kind: string, props: Record<string, unknown>) =>
  policiesOf(resource(kind, props)).map((one) => [one.key, one.description, one.isEnforced, one.value]);

describe("A report of the ready policy pack", () => {
  it("is one line, whatever characters names and keys contain", () => {
    const reported: string[] = [];
    const report = reporter({ getConfig: <T extends object>() => Object({}) as T }, (text) =>
      reported.push(String(text)),
    );
    report({ rule: "r", resource: "set/\u001b[31mkey\n::error ::pwned <{%x%}>", text: "it blocks." });
    assert.deepEqual(reported, ["set/[31mkey ::error ::pwned < {%x%}>: it blocks. [r]"]);
  });
});

describe("The functions for policy packs", () => {
  it("recognise resources by their types, and no others", () => {
    const guards = {
      PageGuardSettings: isPageGuardSettings,
      CspPolicy: isCspPolicy,
      CspPolicySet: isCspPolicySet,
      ManagedWafEntrypoint: isManagedWafEntrypoint,
    };
    for (const [name, guard] of Object.entries(guards)) {
      const type = Reflect.get(Reflect.get(pageGuard, name), "__pulumiType");
      const others = Object.keys(guards).filter((other) => other !== name);
      assert.ok(guard({ ...resource("", {}), type }), name);
      assert.ok(guard({ ...resource("", {}), type: `page-guard:index:${name}` }), `${name} of the plugin`);
      for (const other of [...others, "WafMigrationStep"]) assert.ok(!guard(resource(other, {})), other);
      assert.ok(!guard({ ...resource("", {}), type: `other:index:${name}` }));
    }
    assert.ok(isWafMigration({ ...resource("", {}), type: `${typePrefix}WafMigrationStep` }));
    assert.ok(isWafMigration({ ...resource("", {}), type: "page-guard:index:WafMigrationStep" }));
    assert.ok(isOfPageGuard(resource("WafMigrationStep", {})));
    assert.ok(isOfPageGuard({ ...resource("", {}), type: "page-guard:index:CspPolicy" }));
    assert.ok(
      !isOfPageGuard({ ...resource("", {}), type: "page-guard:index:WafMigration" }),
      "the component",
    );
    assert.ok(!isOfPageGuard({ ...resource("", {}), type: "pulumi:pulumi:Stack" }));
    assert.equal(stackOf(resource("CspPolicy", {}).urn), "prod");
  });

  it("return the policies of both resources, with directives parsed as a browser does", () => {
    const checkout = { description: "checkout", action: "allow", expression: "true", minimumLogDays: 7 };
    const value = "Script-Src 'self'; script-src *; img-src";
    const [one] = policiesOf(resource("CspPolicy", { ...checkout, value }));
    assert.deepEqual(
      { ...one },
      {
        ...{ ...checkout, key: undefined, isEnabled: true, isEnforced: true, hasTwoTexts: false, value },
        directives: { "script-src": ["'self'"], "img-src": [] },
      },
    );
    const directives = { "img-src": ["'self'"], "Script-Src": ["x.example"] };
    const policies = {
      a: { action: "allow", enabled: false, directives },
      b: { action: "log", description: "B", directives: { "script-src": "[secret]" } },
    };
    assert.deepEqual(shown("CspPolicySet", { policies }), [
      ["a", "a", false, "script-src x.example; img-src 'self'"],
      ["b", "B", false, undefined],
    ]);
    assert.deepEqual(policiesOf(resource("PageGuardSettings", {})), []);
  });

  it("read a field only when a rule uses it, so that an unknown value stops only the rules that need it", () => {
    const props = {
      action: "log",
      get value(): string {
        throw new Error("not known yet");
      },
    };
    const [policy] = policiesOf(resource("CspPolicy", props));
    assert.equal(policy?.isEnforced, false);
    assert.throws(() => policy?.directives, /not known yet/);
  });

  it("return no text for a secret that cannot be decrypted", () => {
    const [policy] = policiesOf(resource("CspPolicy", { action: "allow", value: "[secret]" }));
    assert.deepEqual([policy?.value, policy?.directives], [undefined, undefined]);
  });

  it("return a set or a policy that cannot be decrypted once, as enforced", () => {
    const closed = shown("CspPolicySet", { policies: "[secret]" });
    assert.deepEqual(closed, [[undefined, "[secret]", true, undefined]]);
    const entry = shown("CspPolicySet", { policies: { a: "[secret]" } });
    assert.deepEqual(entry, [["a", "a", true, undefined]]);
    const one = { action: "[secret]", description: "x", value: "script-src 'self'" };
    assert.deepEqual(shown("CspPolicy", one), [[undefined, "x", true, "script-src 'self'"]]);
    assert.ok(isClosedSecret("[secret]") && !isClosedSecret("secret") && !isClosedSecret(undefined));
  });

  it("return which rulesets an entry point runs, and which of them are active", () => {
    const logged = { id: "r2", action: "log" };
    const run = (id: string, more: object = {}, overrides: object = {}) => ({
      action: "execute",
      expression: "true",
      actionParameters: { id, overrides },
      ...more,
    });
    assert.deepEqual(
      rulesetsOf({
        rules: [
          { action: "skip", expression: 'http.host eq "a.example"', actionParameters: { extra: {} } },
          run(managedRulesets.managed, {}, { rules: [{ id: "r1", enabled: false }, logged] }),
          run(managedRulesets.owasp, { enabled: false }),
          run("another", {}, { enabled: false }),
        ],
      }).map(({ id, isAtWork, idleBy, disabledRules }) => [id, isAtWork, idleBy, disabledRules]),
      [
        [managedRulesets.managed, true, undefined, ["r1"]],
        [managedRulesets.owasp, false, "enabled", []],
        ["another", false, "overrides", []],
      ],
    );
  });
});
