import type { PageGuardClient, Policy, PolicyBody } from "../../api/client-types";
import { mayHaveActed } from "../../lifecycle/may-have-acted";
import type { PolicyList } from "./policy-list";
import type { ZonePolicies } from "./zone-policies";

/** The zone has this policy when it resolves, and it belongs to who asked: found free, or made. */
export async function ensurePolicy(
  client: PageGuardClient,
  zone: ZonePolicies,
  zoneId: string,
  wanted: PolicyBody,
  /** Of the resource that asks. */
  urn: string,
  /** How many free policies like it are left to resources that have not been seen yet. */
  reserved: (list: PolicyList) => number = () => 0,
): Promise<Policy> {
  // 1. Observe: an equal policy that nobody of this run owns is ours from a create whose answer was lost.
  const before = await zone.list(client, zoneId);
  const found = freeEqual(before, zone, wanted, reserved(before));
  if (found) {
    zone.acquire(found.policyId, urn);
    return found;
  }
  // 2. Ensure: one POST.
  let created: Policy;
  try {
    created = await zone.create(urn, () => client.createPolicy(zoneId, wanted));
  } catch (error) {
    if (!mayHaveActed(error)) throw error;
    // 3. Without an answer: look, never send again.
    zone.forget();
    const now = await zone.list(client, zoneId);
    await zone.createsAnswered();
    const made = now
      .equalTo(wanted)
      .find(({ policyId }) => zone.isFree(policyId) && before.get(policyId) === undefined);
    if (!made) throw error;
    created = made;
  }
  zone.acquire(created.policyId, urn);
  await zone.note(created);
  return created;
}

/** A policy that does the same under the same name and that nobody of this run owns. */
export function freeEqual(
  list: PolicyList,
  zone: ZonePolicies,
  wanted: PolicyBody,
  reserved = 0,
): Policy | undefined {
  return list.equalTo(wanted).filter(({ policyId }) => zone.isFree(policyId))[reserved];
}
