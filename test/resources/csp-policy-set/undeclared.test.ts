import assert from "node:assert/strict";
import type { Policy } from "../../../provider/src/api/client-types";
import { PolicyList } from "../../../provider/src/model/policies/policy-list";
import { undeclaredFindings, undeclaredIn } from "../../../provider/src/resources/csp-policy-set/undeclared";

const body = (description: string) => ({
  description,
  action: "log" as const,
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});

const policy = (policyId: string, description = policyId): Policy => ({ ...body(description), policyId });

const missing = (key: string, description = key) => ({
  key,
  wanted: body(description),
  entry: body(description),
});

const ids = (policies: readonly Policy[]) => policies.map(({ policyId }) => policyId);

const plan = { kept: [], missing: [], dropped: [], lost: [], partlyUnknownPolicies: [] };
const none = () => false;

describe("Policies of a zone that nothing declares", () => {
  it("are those that are not in the state of the set, would not be adopted, and are not about to be replaced by it", () => {
    const list = new PolicyList(["a", "b", "c", "d", "e"].map((id) => policy(id)));
    const state = { policyIds: { a: "a", x: "b" } };
    const found = undeclaredIn(list, { ...plan, missing: [missing("c")] }, state, (id) => id === "e");
    assert.deepEqual(ids(found), ["d"]);
  });

  it("are adopted once each: of two that are equal the newest is", () => {
    const list = new PolicyList([policy("a", "same"), policy("b", "same")]);
    assert.deepEqual(ids(undeclaredIn(list, { ...plan, missing: [missing("same")] }, {}, none)), ["a"]);
    const twice = [missing("same"), missing("again", "same")];
    assert.deepEqual(ids(undeclaredIn(list, { ...plan, missing: twice }, {}, none)), []);
  });

  it("are named one by one with what they do, and those beyond twenty together, each with its id", () => {
    const found = (count: number) =>
      undeclaredFindings(
        "delete",
        new Set(),
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
    const [one, ...none] = undeclaredFindings("refuse", new Set(), [policy("b"), policy("a")], []);
    assert.deepEqual(none, []);
    assert.equal(one?.severity, "error");
    assert.match(one?.message ?? "", /2 policies that nothing declares, .*: "a"; "b"\. /);
    assert.match(
      undeclaredFindings("refuse", new Set(), [policy("a")], [])[0]?.message ?? "",
      /has a policy that/,
    );
    assert.deepEqual(undeclaredFindings("keep", new Set(), [policy("a")], []), []);
  });
});
