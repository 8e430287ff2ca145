import assert from "node:assert/strict";
import type { Policy } from "../../../provider/src/api/client-types";
import { checkedResources } from "../../../provider/src/lifecycle/checked-resources";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import type { Run } from "../../../provider/src/lifecycle/run";
import { noSecrets } from "../../../provider/src/lifecycle/secret-inputs";
import { unknownValue } from "../../../provider/src/lifecycle/unknown";
import { PolicyList } from "../../../provider/src/policies/policy-list";
import { zonePolicies } from "../../../provider/src/policies/zone-policies";
import { handOversOf, siblingPolicies } from "../../../provider/src/resources/csp-policy-set/siblings";
import { zoneA, zoneB } from "../../small-engine/zones";

const body = (description: string) => ({
  description,
  action: "log" as const,
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});

const policy = (policyId: string, description = policyId): Policy => ({ ...body(description), policyId });

const run = () => createRun({ env: {} });

const urnOf = (name: string) => `urn:pulumi:dev::p::pulumi-nodejs:dynamic/page-guard:CspPolicy::${name}`;

describe("What the program declares beside a set", () => {
  const around = (...resources: readonly object[]) => {
    const given = run();
    noteBeside(given, "set", resources);
    return { claims: zonePolicies(given, zoneA).claims, beside: siblingPolicies(given, "set", zoneA) };
  };
  const single = (name: string, description: string, zoneId = zoneA) => ({
    kind: "CspPolicy",
    name,
    args: { ...body(description), zoneId },
  });
  const otherSet = (name: string, ...keys: readonly string[]) => ({
    kind: "CspPolicySet",
    name,
    args: { zoneId: zoneA, policies: Object.fromEntries(keys.map((key) => [key, body(key)])) },
  });

  it("is known of its own zone alone, singly or in sets", () => {
    const { beside } = around(single("one", "a"), single("two", "a", zoneB), otherSet("set", "a", "b"));
    const labels = (key: string) => beside.declaring(body(key)).map(({ label }) => label);
    assert.deepEqual(
      [labels("a"), labels("b"), labels("c")],
      [["one", "set.policies.a"], ["set.policies.b"], []],
    );
    assert.deepEqual([...beside.inZone], ["one", "set"]);
  });

  it("lacks a policy where it holds none yet; it may take one, too, where its own does not say so yet", () => {
    const { beside, claims } = around(single("one", "a"), otherSet("set", "a"));
    const list = new PolicyList([policy("1", "a"), policy("2", "b")]);
    const of = () => [
      beside.lacking(body("a")).map(({ label }) => label),
      beside.adoptersOf(policy("9", "a"), list).map(({ label }) => label),
      beside.areAllSeen(),
    ];
    assert.deepEqual(of(), [["one", "set.policies.a"], ["one", "set.policies.a"], false]);
    claims.recordOwned("2", urnOf("one"));
    assert.deepEqual(of(), [["set.policies.a"], ["one", "set.policies.a"], false]);
    claims.recordOwned("1", urnOf("set"), "a");
    assert.deepEqual(of(), [[], ["one"], true]);
  });

  it("may have what was released for it as long as it is declared and known to hold nothing else", () => {
    const late = { zoneId: zoneA, policies: { a: { ...body("a"), value: unknownValue } } };
    const { beside, claims } = around(
      { ...single("kept", "a"), args: { ...body("a"), zoneId: zoneA, onDestroy: "keep" } },
      { kind: "CspPolicySet", name: "late", args: late },
    );
    const labels = ["kept", "late.policies.b", "gone"];
    assert.deepEqual(beside.thatMayHave(labels), ["kept", "late.policies.b"]);
    assert.deepEqual(
      labels.map((label) => beside.isKept(label)),
      [true, false, false],
    );
    claims.recordOwned("1", urnOf("kept"));
    assert.deepEqual(beside.thatMayHave(["kept"]), []);
  });

  it("gets as many of the dropped policies as it has none of, and no more", () => {
    const two = new PolicyList([policy("1", "a"), policy("2", "a")]);
    const handed = ({ beside }: ReturnType<typeof around>, ...leaving: readonly string[]) => [
      ...handOversOf(leaving, two, beside).keys(),
    ];
    const one = around(single("one", "a"));
    assert.deepEqual(handed(one, "1", "2"), ["1"]);
    const both = around(single("one", "a"), single("two", "a"));
    assert.deepEqual(handed(both, "1", "2"), ["1", "2"]);
    // The other one is free: it can be adopted as well.
    assert.deepEqual(handed(one, "1"), []);
    assert.deepEqual(handed(both, "1"), ["1"]);
    // What is gone cannot be handed over.
    assert.deepEqual(handed(both, "3"), []);
    one.claims.recordOwned("2", urnOf("other"));
    assert.deepEqual(handed(one, "1"), ["1"]);
    one.claims.recordOwned("1", urnOf("one"));
    assert.deepEqual(handed(one, "1"), [], "it has it already");
  });
});

/** As `check` does for a set. */
function noteBeside(run: Run, urn: string, beside: readonly object[]): void {
  checkedResources(run).set(urn, { secrets: noSecrets, beside });
}
