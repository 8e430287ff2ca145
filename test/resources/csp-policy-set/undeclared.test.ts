import assert from "node:assert/strict";
import type { Policy } from "../../../provider/src/api/client-types";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import { PolicyClaims } from "../../../provider/src/policies/policy-claims";
import { PolicyList } from "../../../provider/src/policies/policy-list";
import { zonePolicies } from "../../../provider/src/policies/zone-policies";
import { undeclaredFindings, undeclaredIn } from "../../../provider/src/resources/csp-policy-set/undeclared";
import { zoneA } from "../../small-engine/zones";

const body = (description: string) => ({
  description,
  action: "log" as const,
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});

const policy = (policyId: string, description = policyId): Policy => ({ ...body(description), policyId });

const record = (key: string) => ({ key, policyId: key, entry: {}, since: undefined, impact: undefined });
const kept = (key: string) => ({ key, wanted: body(key), record: record(key), isChanged: false });
const missing = (key: string, description = key) => ({
  key,
  wanted: body(description),
  entry: body(description),
});

const ids = (policies: readonly Policy[]) => policies.map(({ policyId }) => policyId);

const run = () => createRun({ env: {} });

const plan = { kept: [], missing: [], dropped: [], partlyUnknownPolicies: [] };

const urnOf = (name: string) => `urn:pulumi:dev::p::pulumi-nodejs:dynamic/page-guard:CspPolicy::${name}`;

describe("Policies of a zone that nothing declares", () => {
  it("are those that are not in the plan of the set, would not be adopted, and belong to no one of this run", () => {
    const zone = zonePolicies(run(), zoneA);
    const list = new PolicyList(["a", "b", "c", "d", "e"].map((id) => policy(id)));
    zone.claims.recordOwned("e", urnOf("e"));
    const undeclared = undeclaredIn(
      list,
      {
        kept: [kept("a")],
        missing: [missing("c")],
        dropped: [record("b")],
        partlyUnknownPolicies: [],
      },
      zone.claims,
    );
    assert.deepEqual(ids(undeclared), ["d"]);
  });

  it("are adopted once each: of two that are equal one is left", () => {
    const list = new PolicyList([policy("a", "same"), policy("b", "same")]);
    const zone = zonePolicies(run(), zoneA);
    assert.deepEqual(ids(undeclaredIn(list, { ...plan, missing: [missing("same")] }, zone.claims)), ["b"]);
    const twice = [missing("same"), missing("again", "same")];
    assert.deepEqual(ids(undeclaredIn(list, { ...plan, missing: twice }, zone.claims)), []);
  });

  it("are named one by one with what they do, and those beyond twenty together, each with its id", () => {
    const found = (count: number) =>
      undeclaredFindings(
        new PolicyClaims(),
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
    const [one, ...none] = undeclaredFindings(
      new PolicyClaims(),
      "urn",
      "refuse",
      [policy("b"), policy("a")],
      [],
    );
    assert.deepEqual(none, []);
    assert.equal(one?.severity, "error");
    assert.match(one?.message ?? "", /2 policies that nothing declares, .*: "a"; "b"\. /);
    assert.match(
      undeclaredFindings(new PolicyClaims(), "urn", "refuse", [policy("a")], [])[0]?.message ?? "",
      /has a policy that/,
    );
    assert.deepEqual(undeclaredFindings(new PolicyClaims(), "urn", "keep", [policy("a")], []), []);
  });
});
