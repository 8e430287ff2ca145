import type { PageGuardClient, PolicyBody } from "../../api/client-types";
import type { ZonePolicies } from "./zone-policies";

/**
 * Deletes the policy that a set has left for who was changed to say the same: the set could not know that there is one
 * already, and nobody else has it on record.
 */
export async function deleteLeftFor(
  client: PageGuardClient,
  zone: ZonePolicies,
  zoneId: string,
  wanted: PolicyBody,
): Promise<void> {
  const left = zone.takeLeft(wanted);
  if (!left || zone.isOwnedElseLetGo(left.policyId)) return;
  await client.deletePolicy(zoneId, left.policyId);
  await zone.noteDeleted(left.policyId);
}
