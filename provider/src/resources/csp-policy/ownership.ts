/** Whose a policy is: of the resource that has created or adopted it in this run, or was compared with it in its state. */
interface Owner {
  readonly urn: string;
  /** Set if the owner is being replaced and will delete the policy: no other resource may adopt it. */
  readonly isLeaving?: true;
}

/**
 * Whose each policy of a zone is, by its id, in one run. What this run has created, adopted and deleted, and the states that
 * the engine hands over to be compared, say so; nothing that was read does. docs/decisions/0004-ownership-within-a-run.md.
 */
export class Ownership {
  /** Resources with policies of the zone, by URN: whether one decides on all (`others` "refuse" or "delete"). */
  readonly declaring = new Map<string, boolean>();
  /** Undeclared policies that a finding of an exact set has named: it deletes no others. */
  readonly named = new Set<string>();
  private readonly owners = new Map<string, Owner>();
  private readonly deleted = new Set<string>();

  /** Gives whether a policy of this resource's state is the resource's: the first that is compared has it. */
  claim(policyId: string, urn: string): boolean {
    const isOwn = this.isFor(policyId, urn);
    if (isOwn) this.owners.set(policyId, { urn });
    return isOwn;
  }

  /** Whether a policy of this resource's state is still the resource's: no other has it, and this run has not deleted it. */
  isFor(policyId: string, urn: string): boolean {
    const owner = this.owners.get(policyId);
    return !this.deleted.has(policyId) && (!owner || owner.isLeaving === true || owner.urn === urn);
  }

  /** The resource has created or adopted it. */
  own(policyId: string, urn: string): void {
    this.owners.set(policyId, { urn });
  }

  /** The resource that has it in its state no longer wants it: it is nobody's, and the first that declares the same adopts it. */
  giveUp(policyId: string, urn: string): void {
    if (this.ownerOf(policyId) === urn) this.owners.delete(policyId);
  }

  /** The resource is being replaced: it deletes the policy once its successor is there, or leaves it to whoever adopts it. */
  makeRoom(policyId: string, urn: string, onDestroy: "delete" | "keep" = "delete"): void {
    if (onDestroy === "keep") this.giveUp(policyId, urn);
    else if (this.ownerOf(policyId) === urn) this.owners.set(policyId, { urn, isLeaving: true });
  }

  /** Whether a create may adopt it. */
  isFree(policyId: string): boolean {
    return !this.owners.has(policyId) && !this.deleted.has(policyId);
  }

  isDeleted(policyId: string): boolean {
    return this.deleted.has(policyId);
  }

  ownerOf(policyId: string): string | undefined {
    return this.owners.get(policyId)?.urn;
  }

  /** Gives whether it may be deleted now: no resource has it. From then on none adopts it. */
  startDeleting(policyId: string): boolean {
    const owner = this.owners.get(policyId);
    if (owner && !owner.isLeaving) return false;
    this.owners.delete(policyId);
    this.deleted.add(policyId);
    return true;
  }
}
