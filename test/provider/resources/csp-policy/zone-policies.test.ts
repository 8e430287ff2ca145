import assert from "node:assert/strict";
import type { Policy } from "../../../../provider/src/api/client-types";
import type { PageGuardClient } from "../../../../provider/src/api/create-client";
import { createRun } from "../../../../provider/src/lifecycle/run";
import { ZonePolicies } from "../../../../provider/src/resources/csp-policy/zone-policies";
import { zoneA } from "../../small-engine/zones";

const body = { description: "a", action: "log", expression: "true", enabled: true, value: "img-src 'self'" };
const policy = (policyId: string): Policy => ({ ...body, policyId });

describe("The list of a zone's policies", () => {
  it("is shared by resources with the same connection, and not with others", async () => {
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

  it("is kept if an earlier request fails after a later one has succeeded", async () => {
    const asked: ((failure: Error) => void)[] = [];
    const client = {
      listPolicies: () =>
        asked.length === 0
          ? new Promise((_, reject) => asked.push(reject))
          : Promise.resolve(asked.push(() => {}) && []),
    } as unknown as PageGuardClient;
    let now = 0;
    const run = { ...createRun({ env: {} }), client: () => client, now: () => now };
    const policies = new ZonePolicies(run, zoneA);
    const late = assert.rejects(policies.list(), /too late/);
    now = 120_000;
    await policies.list();
    asked[0]?.(new Error("too late"));
    await late;
    await policies.list();
    assert.equal(asked.length, 2);
  });
});
