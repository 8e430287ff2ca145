import type { Policy, PolicyBody } from "../api/client-types";
import { isObjectGone, NotFoundError } from "../errors/not-found-error";
import { mayHaveActed } from "../lifecycle/partial-failure-error";
import type { PolicyList } from "./policy-list";
import type { ZonePolicies } from "./zone-policies";

/** The policy of a zone that a resource is to have. */
export interface Wanted {
  readonly zone: ZonePolicies;
  readonly body: PolicyBody;
  /** Of the resource. */
  readonly urn: string;
  /** Of a policy of a set. */
  readonly key?: string;
  /** How many free policies like it are left to resources that have not been seen yet. */
  readonly reserved?: () => number;
}

/** What the resource has in its state of it. */
export interface Known {
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
    await zone.change(async (client) => {
      await client.updatePolicy(zone.zoneId, policyId, body);
      await zone.note(updated);
    });
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

async function ensurePolicy({ zone, body: wanted, urn, key, reserved = () => 0 }: Wanted): Promise<Policy> {
  // 1. Observe: an equal policy that no resource of this run owns is ours from a create whose answer was lost.
  const before = await zone.list();
  const found = freeEqual(before, zone, wanted, { urn, reserved: reserved() });
  if (found) {
    zone.claims.adopt(found.policyId, urn, key);
    return found;
  }
  // 2. Ensure: one POST.
  let created: Policy;
  try {
    created = await zone.change(async (client) => {
      const policy = await client.createPolicy(zone.zoneId, wanted);
      // At once: until then it would look unmanaged.
      zone.claims.adopt(policy.policyId, urn, key);
      return policy;
    });
  } catch (error) {
    if (!mayHaveActed(error)) throw error;
    // 3. Without an answer: read, never send again.
    zone.forget();
    const now = await zone.list();
    await zone.untilChangesSettle();
    const made = now
      .equalTo(wanted)
      .find(({ policyId }) => zone.claims.isFree(policyId) && before.get(policyId) === undefined);
    if (!made) throw error;
    created = made;
    zone.claims.adopt(created.policyId, urn, key);
  }
  await zone.note(created);
  return created;
}

/**
 * A policy that does the same under the same name and that no resource of this run has. First one that the set itself is about
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
