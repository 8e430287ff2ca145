import { CodedError, messageOf } from "../lifecycle/coded-error";
import type { Properties, Recorded } from "../lifecycle/kind";
import { PartialFailureError } from "../lifecycle/partial-failure-error";
import { urnParts } from "../lifecycle/urn";
import { isSamePolicy } from "./equal-policy";
import { labelOf } from "./policy-claims";
import type { ZonePolicies } from "./zone-policies";

/**
 * Deletes what a set has released for this taker, which has a policy of its own by now: the set could not know that, and
 * leaves the zone with a policy that says the same until the taker's is there. Not what another taker may need yet.
 */
export async function deleteLeftBehind(zone: ZonePolicies, label: string): Promise<void> {
  const { claims } = zone;
  if (claims.releasedFor(label).length === 0) return;
  const list = await zone.list();
  for (const policyId of claims.releasedFor(label)) {
    const live = list.get(policyId);
    const hasOwn = (taker: string): boolean => {
      const own = list.get(claims.heldBy(taker) ?? "");
      return live !== undefined && own !== undefined && isSamePolicy(own, live);
    };
    if (!claims.keepTakers(policyId, (taker) => taker !== label && !hasOwn(taker))) continue;
    try {
      await zone.delete(policyId);
    } catch (error) {
      throw new CodedError(
        "csp-left-behind",
        `Failed to delete policy ${policyId}, which a set released for ${label}: ${messageOf(error)} The set still has it in its state: run \`pulumi up\` again to delete it.`,
      );
    }
  }
}

/** The same for a `CspPolicy`, which is created or changed by then. */
export async function endMove(
  zone: ZonePolicies,
  { id, state }: Recorded<Properties>,
  urn: string,
): Promise<void> {
  try {
    await deleteLeftBehind(zone, labelOf(urnParts(urn).name));
  } catch (error) {
    throw new PartialFailureError(id, state, error);
  }
}
