/** The resource that owns a policy: it created or adopted the policy in this run, or has it in its state. */
interface Owner {
  readonly urn: string;
  /** Set if the owner is being replaced and will delete the policy: no other resource may adopt it. */
  readonly isLeaving?: true;
}

/**
 * Owners of a zone's policies in one run, by policy id. They are known from the policies that this run has created, adopted and
 * deleted, and from the states that the engine passes to `diff`; reading the zone tells nothing about owners. See
 * docs/decisions/0004-ownership-within-a-run.md.
 */
export class Ownership {
  /**
   * Resources that declare policies of the zone, by URN. The value is true for a set whose `others` is "refuse" or "delete".
   */
  readonly declaring = new Map<string, boolean>();
  /** Ids of the undeclared policies that a finding of an exact set has named. The set deletes no others. */
  readonly named = new Set<string>();
  private readonly owners = new Map<string, Owner>();
  private readonly deleted = new Set<string>();

  /**
   * Claims a policy of this resource's state. Returns false if another resource has claimed it before, or if this run has
   * deleted it.
   */
  claim(policyId: string, urn: string): boolean {
    const isOwn = this.isFor(policyId, urn);
    if (isOwn) this.owners.set(policyId, { urn });
    return isOwn;
  }

  /**
   * Whether a policy of this resource's state still belongs to it: no other resource owns it and this run has not deleted it.
   */
  isFor(policyId: string, urn: string): boolean {
    const owner = this.owners.get(policyId);
    return !this.deleted.has(policyId) && (!owner || owner.isLeaving === true || owner.urn === urn);
  }

  /** Records that the resource has created or adopted the policy. */
  own(policyId: string, urn: string): void {
    this.owners.set(policyId, { urn });
  }

  /** Releases a policy that its resource no longer declares. The first resource that declares an equal one adopts it. */
  giveUp(policyId: string, urn: string): void {
    if (this.ownerOf(policyId) === urn) this.owners.delete(policyId);
  }

  /**
   * Prepares the replacement of a resource: it deletes the policy once its successor exists, or, with `onDestroy` "keep",
   * releases it.
   */
  makeRoom(policyId: string, urn: string, onDestroy: "delete" | "keep" = "delete"): void {
    if (onDestroy === "keep") this.giveUp(policyId, urn);
    else if (this.ownerOf(policyId) === urn) this.owners.set(policyId, { urn, isLeaving: true });
  }

  /** Whether a create may adopt the policy. */
  isFree(policyId: string): boolean {
    return !this.owners.has(policyId) && !this.deleted.has(policyId);
  }

  isDeleted(policyId: string): boolean {
    return this.deleted.has(policyId);
  }

  ownerOf(policyId: string): string | undefined {
    return this.owners.get(policyId)?.urn;
  }

  /**
   * Starts the deletion of a policy, so that no resource adopts it. Returns false if a resource owns it; then it must not be
   * deleted.
   */
  startDeleting(policyId: string): boolean {
    const owner = this.owners.get(policyId);
    if (owner && !owner.isLeaving) return false;
    this.owners.delete(policyId);
    this.deleted.add(policyId);
    return true;
  }
}
