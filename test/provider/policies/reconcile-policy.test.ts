import assert from "node:assert/strict";
import type { PageGuardClient, Policy } from "../../../provider/src/api/client-types";
import { ApiError, refusedRequest } from "../../../provider/src/errors/api-error";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import { reconcilePolicy } from "../../../provider/src/policies/reconcile-policy";
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

describe("A policy that is created without an answer", () => {
  const facts = { operation: "create a policy", zoneId: zoneA, outcome: "unknown" } as const;
  const lost = new ApiError("PG_NETWORK", facts, { what: "It was lost." });

  /** The zone before and after the request, and what the run knows of it by then. */
  async function made(before: readonly Policy[], after: readonly Policy[], owned: readonly string[]) {
    let looks = 0;
    const client = {
      listPolicies: async () => {
        looks += 1;
        return looks === 1 ? before : after;
      },
      createPolicy: async () => {
        for (const policyId of owned) zone.ownership.claim(policyId, "other");
        throw lost;
      },
    } as unknown as PageGuardClient;
    const zone = begin(client);
    // What was there before is another resource's.
    for (const one of before) zone.ownership.claim(one.policyId, "other");
    const { policyId } = await reconcilePolicy({ zone, body: body("a"), urn: "urn" });
    return [policyId, zone.ownership.ownerOf(policyId)];
  }

  it("is the new one that no resource holds", async () => {
    const [old, fresh] = [policy("1", "a"), policy("2", "a")];
    assert.deepEqual(await made([], [fresh], []), ["2", "urn"]);
    assert.deepEqual(await made([old], [old, fresh], []), ["2", "urn"]);
    // It may be kept for a resource; it may be someone else's.
    await assert.rejects(made([old], [old], []), lost);
    await assert.rejects(made([], [fresh], ["2"]), lost);
    await assert.rejects(made([], [], []), lost);
  });
});

describe("A policy that is created", () => {
  it("and refused is not searched for: nothing was done", async () => {
    const refused = refusedRequest("PG_REFUSED", {
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
        zone: begin(client),
        body: body("a"),
        urn: "urn",
      }),
      refused,
    );
    assert.equal(looks, 1, "before it was sent");
  });
});
