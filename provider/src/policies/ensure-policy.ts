import type { PageGuardClient, Policy, PolicyBody } from "../api/client-types";
import { mayHaveActed } from "../lifecycle/may-have-acted";
import type { PolicyList } from "./policy-list";
import type { ZonePolicies } from "./zone-policies";

/** The zone has this policy when it resolves, and it belongs to who asked: found free, or made. */
export async function ensurePolicy(
  client: PageGuardClient,
  zone: ZonePolicies,
  zoneId: string,
  wanted: PolicyBody,
  /** Who asks: a resource, with the key where it is for one policy of a set. */
  { urn, key }: { readonly urn: string; readonly key?: string },
  /** How many free policies like it are left to resources that have not been seen yet. */
  reserved: (list: PolicyList) => number = () => 0,
): Promise<Policy> {
  // 1. Observe: an equal policy that nobody of this run owns is ours from a create whose answer was lost.
  const before = await zone.list(client, zoneId);
  const found = freeEqual(before, zone, wanted, { urn, reserved: reserved(before) });
  if (found) {
    zone.claims.take(found.policyId, urn, key);
    return found;
  }
  // 2. Ensure: one POST.
  let created: Policy;
  try {
    created = await zone.change(async () => {
      const policy = await client.createPolicy(zoneId, wanted);
      // At once: until then it would look like nobody's.
      zone.claims.take(policy.policyId, urn, key);
      return policy;
    });
  } catch (error) {
    if (!mayHaveActed(error)) throw error;
    // 3. Without an answer: look, never send again.
    zone.forget();
    const now = await zone.list(client, zoneId);
    await zone.changesAnswered();
    const made = now
      .equalTo(wanted)
      .find(({ policyId }) => zone.claims.isFree(policyId) && before.get(policyId) === undefined);
    if (!made) throw error;
    created = made;
    zone.claims.take(created.policyId, urn, key);
  }
  await zone.note(created);
  return created;
}

/**
 * A policy that does the same under the same name and that nobody of this run has. First one that the set itself is about
 * to drop, for any other may be one of a resource that has not been seen yet.
 */
export function freeEqual(
  list: PolicyList,
  { claims }: ZonePolicies,
  wanted: PolicyBody,
  { urn, reserved = 0 }: { readonly urn?: string; readonly reserved?: number } = {},
): Policy | undefined {
  const free = list.equalTo(wanted).filter(({ policyId }) => claims.isFree(policyId, urn));
  const own = free.find(({ policyId }) => urn !== undefined && claims.aboutToBeDroppedBy(policyId) === urn);
  return own ?? free[reserved];
}
