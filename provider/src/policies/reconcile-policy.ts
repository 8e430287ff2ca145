import type { Policy, PolicyBody } from "../api/client-types";
import { isObjectGone, NotFoundError } from "../errors/api-error";
import { mayHaveActed } from "../lifecycle/partial-failure-error";
import { type PolicyList, policyText } from "../model/policies/policy-list";
import type { ZonePolicies } from "./zone-policies";

/** The policy of a zone that a resource is to have. */
interface Wanted {
  readonly zone: ZonePolicies;
  readonly body: PolicyBody;
  /** URN of the resource. */
  readonly urn: string;
}

/** What the resource has in its state of it. */
interface Known {
  readonly policyId: string;
  /** The zone does not have it as declared. */
  readonly needsUpdate: boolean;
  /** The id of a `CspPolicy` holds that of the policy, and no update may change an id. */
  readonly onGone: "recreate" | "fail";
}

/** Resolves once the zone has this policy and the resource owns it: adopted, created or updated. */
export async function reconcilePolicy(wanted: Wanted, known?: Known): Promise<Policy> {
  if (!known) return ensurePolicy(wanted);
  const { zone, body } = wanted;
  const { policyId, needsUpdate, onGone } = known;
  const updated = { ...body, policyId };
  if (!needsUpdate) return updated;
  try {
    await zone.client.updatePolicy(zone.zoneId, policyId, body);
    await zone.note(updated);
    return updated;
  } catch (error) {
    if (!isObjectGone(error)) throw error;
    if (onGone === "recreate") return ensurePolicy(wanted);
    throw new NotFoundError({ ...error.facts, outcome: error.outcome }, undefined, {
      what: `The zone does not have the policy ${policyId}.`,
      why: "It was deleted outside of this program.",
      fix: "Run `pulumi refresh`, then `pulumi up`, which creates it again.",
    });
  }
}

function ensurePolicy({ zone, body, urn }: Wanted): Promise<Policy> {
  return zone.ownership.inTurn(policyText(body), async () => {
    // 1. Observe: an equal policy that nobody owns, of several the newest, is ours from a create whose answer was lost.
    const before = await zone.list();
    const found = before.equalTo(body).findLast(({ policyId }) => zone.ownership.isFree(policyId));
    // 2. Ensure: one POST.
    const policy = found ?? (await create(zone, body, before));
    zone.ownership.own(policy.policyId, urn);
    if (!found) await zone.note(policy);
    return policy;
  });
}

async function create(zone: ZonePolicies, body: PolicyBody, before: PolicyList): Promise<Policy> {
  const known = new Set(before.all().map(({ policyId }) => policyId));
  try {
    return await zone.client.createPolicy(zone.zoneId, body);
  } catch (error) {
    if (!mayHaveActed(error)) throw error;
    // 3. Without an answer: read, never send again.
    zone.forget();
    const now = await zone.list();
    const made = now
      .equalTo(body)
      .find(({ policyId }) => zone.ownership.isFree(policyId) && !known.has(policyId));
    if (!made) throw error;
    return made;
  }
}
