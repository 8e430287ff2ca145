import type { PolicyBody } from "../api/client-types";
import { warningOn } from "../lifecycle/finding";
import { sameDescription } from "./equal-policy";
import type { ZonePolicies } from "./zone-policies";

/** Reported when policies are deleted before what takes their place is there. */
export function reportNoRoom(zone: ZonePolicies, urn: string, missing: number, going: number): Promise<void> {
  const message = `the zone had no room for ${missing} of the new policies, so the ${going} old ones were deleted first, and the new ones are created in a second try.`;
  return zone.report(warningOn("", "csp-set-no-room", message), urn);
}

/**
 * Deletes a policy that this run is going to delete in any case, and gives whether there was one: in a full zone its
 * successor would never be created, and so it would never go. That is one that makes room for a policy of the same
 * resource; or, where the state was read first and all that is declared is seen, one of the same name that no
 * declared resource has. `urn`: of the resource that finds no room; `isAllSeen`: whether this run has seen which policies
 * all declared resources of the zone hold.
 */
export async function makeRoom(
  zone: ZonePolicies,
  wanted: PolicyBody,
  urn: string,
  isAllSeen: boolean,
): Promise<boolean> {
  const { claims } = zone;
  const going = (await zone.list())
    .all()
    .filter(({ description }) => sameDescription(description, wanted.description))
    .find(
      ({ policyId }) =>
        claims.isLeaving(policyId, urn) ||
        (isAllSeen && claims.isRecorded(policyId) && claims.isFree(policyId)),
    );
  if (!going || !claims.claimForDeletion(going.policyId)) return false;
  await reportNoRoom(zone, urn, 1, 1);
  await zone.delete(going.policyId);
  return true;
}
