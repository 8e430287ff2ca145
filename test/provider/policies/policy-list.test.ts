import assert from "node:assert/strict";
import type { PageGuardClient, Policy } from "../../../provider/src/api/client-types";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import { changedPolicyFields, isSamePolicy } from "../../../provider/src/model/policies/equal-policy";
import { PolicyList } from "../../../provider/src/model/policies/policy-list";
import { zonePolicies } from "../../../provider/src/policies/zone-policies";
import { zoneA } from "../small-engine/zones";

const body = (description: string) => ({
  description,
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});
const policy = (policyId: string, description: string): Policy => ({ ...body(description), policyId });
const env = { PAGE_GUARD_API_TOKEN: "t", PAGE_GUARD_BASE_URL: "http://127.0.0.1/v4" };
const begin = (client?: PageGuardClient) =>
  zonePolicies(createRun({ env, ...(client && { createClient: () => client }) }), zoneA);
const ids = (policies: readonly Policy[]) => policies.map(({ policyId }) => policyId);

describe("The list of a zone's policies", () => {
  it("goes with what happens to them, whatever was looked up before", () => {
    for (const isLookedUp of [false, true]) {
      const list = new PolicyList([policy("1", "a"), policy("2", "b")]);
      const seen = (description: string) => [
        ids(list.equalTo(body(description))),
        list.nearTo({ ...body(description), enabled: false }).map((near) => near.policy.policyId),
      ];
      if (isLookedUp) seen("a");
      list.note(policy("3", "a"));
      list.note(policy("2", "a"));
      list.remove("1");
      list.remove("9");
      assert.deepEqual(seen("a"), [
        ["3", "2"],
        ["3", "2"],
      ]);
      assert.deepEqual(seen("b"), [[], []]);
      assert.deepEqual(ids(list.all()), ["3", "2"]);
    }
  });

  it("finds the equal ones among thousands without comparing each with all", () => {
    const names = Array.from({ length: 5000 }, (_, index) => `${index}`);
    class CountedList extends PolicyList {
      passes = 0;
      override all(): Policy[] {
        this.passes += 1;
        return super.all();
      }
    }
    const list = new CountedList(names.map((name) => policy(name, name)));
    for (const name of names) assert.deepEqual(ids(list.equalTo(body(name))), [name]);
    assert.ok(list.passes <= 1, `went through all of them ${list.passes} times`);
  });

  it("is asked for once in a run, which notes in it what it makes and deletes", async () => {
    let asked = 0;
    const client = {
      listPolicies: async () => {
        asked += 1;
        return [policy("1", "a")];
      },
      deletePolicy: async () => undefined,
    } as unknown as PageGuardClient;
    const zone = begin(client);
    await zone.list();
    await zone.note(policy("2", "b"));
    await zone.delete("1");
    assert.deepEqual([ids((await zone.list()).all()), asked], [["2"], 1]);
  });

  it("has as near ones those that differ in just one field", () => {
    const list = new PolicyList([policy("1", "a")]);
    const near = (more: object) => list.nearTo({ ...body("a"), ...more }).map(({ field }) => field);
    assert.deepEqual(near({}), [], "the same is not near");
    assert.deepEqual(near({ description: "b" }), ["description"]);
    assert.deepEqual(near({ action: "allow" }), ["action"]);
    assert.deepEqual(near({ action: "allow", enabled: false }), []);
  });

  it("holds two for the same where nothing but their spelling differs", () => {
    const same = (more: object) => isSamePolicy(body("a"), { ...body("a"), ...more });
    assert.ok(same({ expression: " true", value: "script-src 'self';" }));
    for (const more of [
      { description: "b" },
      { action: "allow" },
      { enabled: false },
      { expression: "false" },
      { value: "script-src 'none'" },
    ])
      assert.ok(!same(more), JSON.stringify(more));
    const directives = { "script-src": ["'none'"] };
    assert.deepEqual(changedPolicyFields(body("a"), { ...body("a"), value: undefined, directives }), [
      "directives",
    ]);
    assert.deepEqual(changedPolicyFields(body("a"), { ...body("a"), value: "script-src 'none'" }), ["value"]);
  });
});
