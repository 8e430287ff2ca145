import assert from "node:assert/strict";
import type { PageGuardClient } from "../../provider/src/api/client-types";
import { RequestRefusedError } from "../../provider/src/errors/request-refused-error";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { reconcilePolicy } from "../../provider/src/policies/reconcile-policy";
import { zonePolicies } from "../../provider/src/policies/zone-policies";
import { zoneA } from "../small-engine/zones";

const body = (description: string) => ({
  description,
  action: "log" as const,
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});

const connection = { PAGE_GUARD_API_TOKEN: "t", PAGE_GUARD_BASE_URL: "http://127.0.0.1/v4" };

describe("A policy that is created", () => {
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
        zone: zonePolicies(createRun({ env: connection, createClient: () => client }), zoneA),
        body: body("a"),
        urn: "urn",
      }),
      refused,
    );
    assert.equal(looks, 1, "before it was sent");
  });
});
