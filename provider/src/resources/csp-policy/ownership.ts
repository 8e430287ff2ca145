/** Resource that owns a policy: it has created or adopted the policy in this run, or its state contains the policy. */
interface Owner {
  readonly urn: string;
  /** Set if the owner is being replaced and will delete the policy, so that no other resource may adopt it. */
  readonly isLeaving?: true;
}

/**
 * Owners of a zone's policies in one run, by policy id. The zone does not say who owns a policy, so this class derives the owners
 * from the policies that this run has created, adopted and deleted, and from the states that the engine passes to `diff`. See
 * docs/decisions/0004-ownership-within-a-run.md.
 */
export class Ownership {
  /** URNs of the resources that declare policies in the zone. The value is true for a set with `others` "refuse" or "delete". */
  readonly declaring = new Map<string, boolean>();
  /** Ids of the undeclared policies that findings have announced for deletion. A set deletes no other undeclared policy. */
  readonly named = new Set<string>();
  private readonly owners: Map<string, Owner>;
  private readonly deleted = new Set<string>();

  /** @param keepers URNs of the resources that keep policies in an approved update, by policy id. */
  constructor(keepers: ReadonlyMap<string, string> = new Map()) {
    this.owners = new Map([...keepers].map(([policyId, urn]) => [policyId, { urn }]));
  }

  /**
   * Claims a policy for the resource `urn`, whose state contains the policy. Returns false if the policy no longer belongs to
   * `urn` (see `belongsTo`).
   */
  claim(policyId: string, urn: string): boolean {
    const isOwn = this.belongsTo(policyId, urn);
    if (isOwn) this.owners.set(policyId, { urn });
    return isOwn;
  }

  /** Whether a policy still belongs to `urn`: it is not deleted, and no other resource owns it, except one being replaced. */
  belongsTo(policyId: string, urn: string): boolean {
    const owner = this.owners.get(policyId);
    return !this.deleted.has(policyId) && (!owner || owner.isLeaving === true || owner.urn === urn);
  }

  /** Records that the resource `urn` has created or adopted the policy. */
  own(policyId: string, urn: string): void {
    this.owners.set(policyId, { urn });
  }

  /** Releases a policy that its resource no longer declares, so that a resource that declares an equal policy can adopt it. */
  release(policyId: string, urn: string): void {
    if (this.findOwner(policyId) === urn) this.owners.delete(policyId);
  }

  /**
   * Prepares the replacement of the resource `urn`: marks the policy that the resource will delete after the replacement. With
   * `onDestroy` "keep", releases the policy instead.
   */
  prepareReplacement(policyId: string, urn: string, onDestroy: "delete" | "keep" = "delete"): void {
    if (onDestroy === "keep") this.release(policyId, urn);
    else if (this.findOwner(policyId) === urn) this.owners.set(policyId, { urn, isLeaving: true });
  }

  /** Whether a create may adopt the policy. */
  isFree(policyId: string): boolean {
    return !this.owners.has(policyId) && !this.deleted.has(policyId);
  }

  isDeleted(policyId: string): boolean {
    return this.deleted.has(policyId);
  }

  findOwner(policyId: string): string | undefined {
    return this.owners.get(policyId)?.urn;
  }

  /**
   * Records the deletion of a policy before the deletion begins, so that no resource adopts the policy. Returns false if a deletion
   * has begun before, or if the policy must stay, because a resource that is not being replaced owns it.
   */
  startDeleting(policyId: string): boolean {
    const owner = this.owners.get(policyId);
    if (this.deleted.has(policyId) || (owner && !owner.isLeaving)) return false;
    this.owners.delete(policyId);
    this.deleted.add(policyId);
    return true;
  }
}
