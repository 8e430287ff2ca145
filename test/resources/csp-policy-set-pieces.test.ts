import assert from "node:assert/strict";
import type { PageGuardClient, Policy } from "../../provider/src/api/client-types";
import { RequestRefusedError } from "../../provider/src/errors/request-refused-error";
import { checkedResources } from "../../provider/src/lifecycle/checked-resources";
import { createRun } from "../../provider/src/lifecycle/process-run";
import type { Run } from "../../provider/src/lifecycle/run";
import { noSecrets } from "../../provider/src/lifecycle/secret-inputs";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { PolicyList } from "../../provider/src/policies/policy-list";
import { reconcilePolicy } from "../../provider/src/policies/reconcile-policy";
import { zonePolicies } from "../../provider/src/policies/zone-policies";
import { handedOver, policiesBeside } from "../../provider/src/resources/csp-policy-set/beside";
import { undeclaredFindings, undeclaredIn } from "../../provider/src/resources/csp-policy-set/undeclared";
import { zoneA, zoneB } from "../small-engine/zones";

const body = (description: string) => ({
  description,
  action: "log" as const,
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});
const policy = (policyId: string, description = policyId): Policy => ({ ...body(description), policyId });
const kept = (policyId: string) => ({
  key: policyId,
  policyId,
  wanted: body(policyId),
  recordedKey: policyId,
  isChanged: false,
});
const ids = (policies: readonly Policy[]) => policies.map(({ policyId }) => policyId);
const run = () => createRun({ env: {} });
const plan = { kept: [], missing: [], dropped: [] };
const urnOf = (name: string) => `urn:pulumi:dev::p::pulumi-nodejs:dynamic/page-guard:CspPolicy::${name}`;

describe("Policies of a zone that nothing declares", () => {
  it("are those that are not in the plan of the set, would not be taken over, and belong to nobody of this run", () => {
    const zone = zonePolicies(run(), zoneA);
    const list = new PolicyList(["a", "b", "c", "d", "e"].map((id) => policy(id)));
    zone.claims.hold("e", urnOf("e"));
    const undeclared = undeclaredIn(
      list,
      {
        kept: [kept("a")],
        missing: [{ key: "c", wanted: body("c") }],
        dropped: [{ key: "b", policyId: "b" }],
      },
      zone.claims,
    );
    assert.deepEqual(ids(undeclared), ["d"]);
  });

  it("are taken over once each: of two that are equal one is left", () => {
    const list = new PolicyList([policy("a", "same"), policy("b", "same")]);
    const missing = [{ key: "same", wanted: body("same") }];
    const zone = zonePolicies(run(), zoneA);
    assert.deepEqual(ids(undeclaredIn(list, { ...plan, missing }, zone.claims)), ["b"]);
    const twice = [...missing, { key: "again", wanted: body("same") }];
    assert.deepEqual(ids(undeclaredIn(list, { ...plan, missing: twice }, zone.claims)), []);
  });

  it("are named one by one with what they do, and those beyond twenty together, each with its id", () => {
    const found = (count: number) =>
      undeclaredFindings(
        run(),
        "urn",
        "delete",
        Array.from({ length: count }, (_, index) => policy(`p${index}`)),
        [],
      );
    const told = (count: number) => found(count).map(({ message }) => message);
    assert.deepEqual(told(0), []);
    assert.equal(told(20).length, 20);
    assert.ok(told(20).every((message) => message.startsWith("nothing declares the policy")));
    assert.equal(told(22).length, 21);
    assert.match(told(22).at(-1) ?? "", /^2 more policies are deleted .*: "p8" \(id p8\); "p9" \(id p9\)\. /);
    const last = told(200);
    assert.ok(Array.from({ length: 200 }, (_, at) => `"p${at}"`).every((one) => last.join().includes(one)));
    assert.ok(last.every((message) => message.length < 6000));
    assert.deepEqual(
      found(200).flatMap(({ data }) => data?.["policies"]).length,
      200,
      "and for machines in full",
    );
  });

  it("are all named where they are refused, in one error", () => {
    const [one, ...none] = undeclaredFindings(run(), "urn", "refuse", [policy("b"), policy("a")], []);
    assert.deepEqual(none, []);
    assert.equal(one?.severity, "error");
    assert.match(one?.message ?? "", /2 policies that nothing declares, .*: "a"; "b"\. /);
    assert.match(
      undeclaredFindings(run(), "urn", "refuse", [policy("a")], [])[0]?.message ?? "",
      /has a policy that/,
    );
    assert.deepEqual(undeclaredFindings(run(), "urn", "keep", [policy("a")], []), []);
  });
});

describe("What the program declares beside a set", () => {
  const around = (...resources: readonly object[]) => {
    const given = run();
    noteBeside(given, "set", resources);
    return { claims: zonePolicies(given, zoneA).claims, beside: policiesBeside(given, "set", zoneA) };
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
      beside.takersOf(policy("9", "a"), list).map(({ label }) => label),
      beside.areAllSeen(),
    ];
    assert.deepEqual(of(), [["one", "set.policies.a"], ["one", "set.policies.a"], false]);
    claims.hold("2", urnOf("one"));
    assert.deepEqual(of(), [["set.policies.a"], ["one", "set.policies.a"], false]);
    claims.hold("1", urnOf("set"), "a");
    assert.deepEqual(of(), [[], ["one"], true]);
  });

  it("may have what was released for it as long as it is declared and known to hold nothing else", () => {
    const late = { zoneId: zoneA, policies: { a: { ...body("a"), value: unknownValue } } };
    const { beside, claims } = around(
      { ...single("kept", "a"), args: { ...body("a"), zoneId: zoneA, onDestroy: "keep" } },
      { kind: "CspPolicySet", name: "late", args: late },
    );
    const labels = ["kept", "late.policies.b", "gone"];
    assert.deepEqual(
      labels.map((label) => beside.mayHave(label)),
      [true, true, false],
    );
    assert.deepEqual(
      labels.map((label) => beside.isKept(label)),
      [true, false, false],
    );
    claims.hold("1", urnOf("kept"));
    assert.equal(beside.mayHave("kept"), false);
  });

  it("gets as many of the dropped policies as it has none of, and no more", () => {
    const two = new PolicyList([policy("1", "a"), policy("2", "a")]);
    const handed = ({ beside, claims }: ReturnType<typeof around>, ...leaving: readonly string[]) => [
      ...handedOver(leaving, two, beside, claims).keys(),
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
    one.claims.hold("2", urnOf("other"));
    assert.deepEqual(handed(one, "1"), ["1"]);
    one.claims.hold("1", urnOf("one"));
    assert.deepEqual(handed(one, "1"), [], "it has it already");
  });
});

describe("A policy that is made", () => {
  it("and refused is not looked for: nothing was done", async () => {
    const refused = new RequestRefusedError({
      operation: "create a policy",
      zoneId: zoneA,
      outcome: "refused",
    });
    let looks = 0;
    const client = {
      listPolicies: async () => {
        looks += 1;
        return [];
      },
      createPolicy: async () => {
        throw refused;
      },
    } as unknown as PageGuardClient;
    await assert.rejects(
      reconcilePolicy({
        client,
        zone: zonePolicies(run(), zoneA),
        zoneId: zoneA,
        body: body("a"),
        urn: "urn",
      }),
      refused,
    );
    assert.equal(looks, 1, "before it was sent");
  });
});

/** As `check` does for a set. */
function noteBeside(run: Run, urn: string, beside: readonly object[]): void {
  checkedResources(run).set(urn, { secrets: noSecrets, beside });
}
