import type { Policy, PolicyBody } from "../api/client-types";
import { mayHaveActed } from "../lifecycle/partial-failure-error";
import { policyText } from "../model/policies/policy-list";
import type { ZonePolicies } from "./zone-policies";

/** Resolves once the zone has this policy and the resource of this URN owns it: adopted or created. */
export function ensurePolicy(zone: ZonePolicies, body: PolicyBody, urn: string): Promise<Policy> {
  return zone.ownership.inTurn(policyText(body), async () => {
    // 1. Observe: an equal policy that nobody owns, of several the newest, is ours from a create whose answer was lost.
    const before = await zone.list();
    const known = new Set(before.all().map(({ policyId }) => policyId));
    const isFree = ({ policyId }: Policy) => zone.ownership.isFree(policyId);
    let policy = before.equalTo(body).findLast(isFree);
    if (!policy) {
      try {
        // 2. Ensure: one POST.
        policy = await zone.client.createPolicy(zone.zoneId, body);
      } catch (error) {
        if (!mayHaveActed(error)) throw error;
        // 3. Without an answer: read, never send again.
        zone.forget();
        const now = (await zone.list()).equalTo(body);
        policy = now.find((one) => isFree(one) && !known.has(one.policyId));
        if (!policy) throw error;
      }
    }
    zone.ownership.own(policy.policyId, urn);
    await zone.note(policy);
    return policy;
  });
}

/** Resolves once the policy is as declared. */
export async function updatePolicy(zone: ZonePolicies, policy: Policy): Promise<Policy> {
  const { policyId, ...body } = policy;
  await zone.client.updatePolicy(zone.zoneId, policyId, body);
  await zone.note(policy);
  return policy;
}
