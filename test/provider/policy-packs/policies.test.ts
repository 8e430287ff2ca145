import assert from "node:assert/strict";
import { typePrefix } from "../../../provider/src/model/urn";
import * as pack from "../../../provider/src/policy";

const { isClosedSecret, managedRulesets, policiesOf, rulesetsOf, stackOf } = pack;
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

describe("The functions for policy packs", () => {
  it("recognise resources by their types, and no others", () => {
    const guards = {
      PageGuardSettings: pack.isPageGuardSettings,
      CspPolicy: pack.isCspPolicy,
      CspPolicySet: pack.isCspPolicySet,
      ManagedWafEntrypoint: pack.isManagedWafEntrypoint,
      WafMigrationStep: pack.isWafMigration,
    };
    const typed = (type: string) => ({ ...resource("", {}), type });
    for (const [name, guard] of Object.entries(guards)) {
      for (const ours of [`${prefix}${name}`, `page-guard:index:${name}`]) {
        assert.ok(guard(typed(ours)) && pack.isOfPageGuard(typed(ours)), ours);
        for (const [other, isOther] of Object.entries(guards))
          assert.equal(isOther(typed(ours)), other === name, `${ours} is no ${other}`);
      }
      assert.ok(!guard(typed(`other:index:${name}`)));
    }
    for (const type of ["page-guard:index:WafMigration", "pulumi:pulumi:Stack"])
      assert.ok(!pack.isOfPageGuard(typed(type)), type);
    assert.equal(prefix, typePrefix);
    assert.equal(stackOf(resource("CspPolicy", {}).urn), "prod");
  });

  it("return the policies of both resources, with directives parsed as a browser does", () => {
    const checkout = { description: "checkout", action: "allow", expression: "true", minimumLogDays: 7 };
    const value = "Script-Src 'self'; script-src *; img-src";
    const [one] = policiesOf(resource("CspPolicy", { ...checkout, value }));
    const parsed = { "script-src": ["'self'"], "img-src": [] };
    const flags = { isEnabled: true, isEnforced: true, hasTwoTexts: false };
    assert.deepEqual({ ...one }, { ...checkout, ...flags, key: undefined, value, directives: parsed });
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
    const props = Object.defineProperty({ action: "log" }, "value", {
      get: () => assert.fail("not known yet"),
    });
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
    const rules = [
      { action: "skip", expression: 'http.host eq "a.example"', actionParameters: { extra: {} } },
      run(managedRulesets.managed, {}, { rules: [{ id: "r1", enabled: false }, logged] }),
      run(managedRulesets.owasp, { enabled: false }),
      run("another", {}, { enabled: false }),
    ];
    assert.deepEqual(
      rulesetsOf({ rules }).map(({ id, isAtWork, idleBy, disabledRules: off }) => [
        id,
        isAtWork,
        idleBy,
        off,
      ]),
      [
        [managedRulesets.managed, true, undefined, ["r1"]],
        [managedRulesets.owasp, false, "enabled", []],
        ["another", false, "overrides", []],
      ],
    );
  });
});
