import assert from "node:assert/strict";
import type { PageGuardClient, Policy } from "../../../provider/src/api/client-types";
import { ApiError, refusedRequest } from "../../../provider/src/errors/api-error";
import { createRun } from "../../../provider/src/lifecycle/run";
import { ZonePolicies } from "../../../provider/src/policies/zone-policies";
import { zoneA } from "../small-engine/zones";

const body = {
  description: "a",
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
};
const policy = (policyId: string): Policy => ({ ...body, policyId });
const zoneOf = (client: object) =>
  new ZonePolicies({ ...createRun({ env: {} }), client: () => client as PageGuardClient }, zoneA);

describe("The list of a zone's policies", () => {
  it("is shared by those who reach the zone in the same way, and by nobody else", async () => {
    let asked = 0;
    const clientOf = (policyId: string) => ({
      async listPolicies() {
        asked += 1;
        return [policy(policyId)];
      },
    });
    const [ours, theirs] = [clientOf("ours"), clientOf("theirs")];
    const client = (connection?: object) => (connection ? theirs : ours) as unknown as PageGuardClient;
    const run = { ...createRun({ env: {} }), client };
    const listed = async (connection?: { readonly baseUrl: string }) =>
      (await new ZonePolicies(run, zoneA, connection).list()).all().map(({ policyId }) => policyId);
    assert.deepEqual(await listed({ baseUrl: "theirs" }), ["theirs"]);
    assert.deepEqual(await listed(), ["ours"]);
    assert.deepEqual(await listed(), ["ours"]);
    assert.equal(asked, 2);
  });

  it("is asked for again after a failure, which forgets no newer list when it comes late", async () => {
    const answers: { resolve(list: Policy[]): void; reject(error: Error): void }[] = [];
    const listPolicies = () =>
      new Promise<Policy[]>((resolve, reject) => {
        answers.push({ resolve, reject });
      });
    const zone = zoneOf({ listPolicies });
    const first = zone.list();
    zone.forget();
    const second = zone.list();
    answers[1]?.resolve([policy("new")]);
    await second;
    answers[0]?.reject(new Error("late"));
    await assert.rejects(first, /late/);
    assert.equal((await zone.list()).all().length, 1);
    assert.equal(answers.length, 2);
  });
});

describe("A policy that is created", () => {
  /** The zone before and after the request, and the ids that other resources own by then. */
  async function created(
    failure: Error,
    before: readonly Policy[],
    after: readonly Policy[] = [],
    owned: readonly string[] = [],
  ) {
    let looks = 0;
    const zone = zoneOf({
      listPolicies: async () => {
        looks += 1;
        return looks === 1 ? before : after;
      },
      createPolicy: async () => {
        for (const policyId of owned) zone.ownership.claim(policyId, "other");
        throw failure;
      },
    });
    for (const { policyId } of before) zone.ownership.claim(policyId, "other");
    const { policyId } = await zone.ensure(body, "urn").finally(() => assert.ok(looks <= 2));
    return [policyId, zone.ownership.ownerOf(policyId)];
  }

  it("without an answer is the new one that no resource holds", async () => {
    const facts = { operation: "create a policy", zoneId: zoneA, outcome: "unknown" } as const;
    const lost = new ApiError("PG_NETWORK", facts, { what: "It was lost." });
    const [old, fresh] = [policy("1"), policy("2")];
    assert.deepEqual(await created(lost, [], [fresh]), ["2", "urn"]);
    assert.deepEqual(await created(lost, [old], [old, fresh]), ["2", "urn"]);
    // It may be kept for a resource; it may be someone else's.
    await assert.rejects(created(lost, [old], [old]), lost);
    await assert.rejects(created(lost, [], [fresh], ["2"]), lost);
    await assert.rejects(created(lost, []), lost);
  });

  it("and refused is not searched for: nothing was done", async () => {
    const facts = { operation: "create a policy", zoneId: zoneA, outcome: "refused" } as const;
    const refused = refusedRequest("PG_REFUSED", facts);
    await assert.rejects(created(refused, [], [policy("2")]), refused);
  });
});
