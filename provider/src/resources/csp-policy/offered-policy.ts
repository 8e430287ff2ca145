import type { PageGuardClient, PolicyBody } from "../../api/client-types";
import { CodedError } from "../../lifecycle/coded-error";
import { messageOf } from "../../lifecycle/message-of";
import type { ZonePolicies } from "./zone-policies";

/**
 * Deletes the policy that a set has offered to whoever was changed to say the same: the set could not know that there is
 * one already, and nobody else has it on record.
 */
export async function deleteOffered(
  client: PageGuardClient,
  zone: ZonePolicies,
  zoneId: string,
  wanted: PolicyBody,
): Promise<void> {
  const policyId = zone.withdrawOffer(wanted);
  if (policyId === undefined) return;
  try {
    await client.deletePolicy(zoneId, policyId);
  } catch (error) {
    // No later run can find it out: the set has let it go, and this resource never had it.
    throw new CodedError(
      "csp-left-behind",
      `a set has let go of policy ${policyId}, which says what this resource has a policy of its own for; its deletion failed, and no record holds it any more. Delete it in the dashboard if it is still there. ${messageOf(error)}`,
    );
  }
  await zone.noteDeleted(policyId);
}
