import assert from "node:assert/strict";
import type { PageGuardClient, Policy } from "../../../provider/src/api/client-types";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import { zonePolicies } from "../../../provider/src/policies/zone-policies";
import { zoneA } from "../small-engine/zones";

const policy = (policyId: string): Policy => ({
  policyId,
  description: policyId,
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});

describe("The list of a zone's policies", () => {
  it("is shared by those who reach the zone in the same way, and by nobody else", async () => {
    let asked = 0;
    const clientFor = new Map<string | undefined, PageGuardClient>();
    const run = {
      ...createRun({ env: {} }),
      client: (connection: { readonly baseUrl?: string } | undefined) => {
        const known = clientFor.get(connection?.baseUrl);
        if (known) return known;
        const listPolicies = async () => {
          asked += 1;
          return [policy(connection?.baseUrl ?? "ours")];
        };
        const made = { listPolicies } as unknown as PageGuardClient;
        clientFor.set(connection?.baseUrl, made);
        return made;
      },
    };
    const listed = async (connection?: { readonly baseUrl: string }) =>
      (await zonePolicies(run, zoneA, connection).list()).all().map(({ policyId }) => policyId);
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
    const client = { listPolicies } as unknown as PageGuardClient;
    const zone = zonePolicies({ ...createRun({ env: {} }), client: () => client }, zoneA);
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
