import { errorOn, type Finding } from "../lifecycle/finding";
import { urnParts } from "../lifecycle/urn";

/** In what form policies of a zone are declared. An exact set decides what happens to those that it does not declare. */
export type Form = "policy" | "set" | "exact set";

/**
 * Whose a policy is in this run; one without a claim is unmanaged.
 * - `held`: a resource has it in its state, or is new in this run and has created or adopted it.
 * - `released`: its set stops managing it, for `takers` that declare the same; without takers the set will delete it.
 * - `leaving`: its resource is being replaced and deletes it in the end. Nobody new adopts it; another resource that has
 *   it in its state too still holds it.
 * - `deleted`: its deletion is on the way: whoever has it in its state needs another one.
 */
type Claim =
  | { readonly is: "held"; readonly urn: string; readonly isNew: boolean }
  | { readonly is: "released"; readonly urn: string; readonly takers: readonly string[] }
  | { readonly is: "leaving"; readonly urn: string }
  | { readonly is: "deleted" };

/** How a taker is called: the resource's name, with the key where it is a policy of a set. */
export function labelOf(name: string, key?: string): string {
  return key === undefined ? name : `${name}.policies.${key}`;
}

/** Whose each policy of a zone is, by its id. All that changes it is here. */
export class PolicyClaims {
  private readonly claims = new Map<string, Claim>();
  /** What each label holds. */
  private readonly held = new Map<string, string>();
  /** In the state of a resource that this run has read or replaces, be it that the resource is about to be removed. */
  private readonly recorded = new Set<string>();

  /** The resources that declare policies of the zone, by URN; the exact sets among them. */
  private readonly declaring = new Set<string>();
  private readonly exactSets = new Set<string>();
  /** Policies that a finding on an exact set has named for deletion, by its URN. */
  private readonly named = new Map<string, Set<string>>();

  /** A resource declares policies of the zone. An exact set has to be the only one: it deletes what is beside it. */
  declare(urn: string, form: Form): Finding[] {
    this.declaring.add(urn);
    if (form === "exact set") this.exactSets.add(urn);
    const [exact] = form === "exact set" ? [urn] : this.exactSets;
    if (exact === undefined) return [];
    const beside = exact === urn ? [...this.declaring].find((other) => other !== urn) : urn;
    return beside === undefined ? [] : [notAlone(urnParts(exact).name, urnParts(beside).name)];
  }

  /** A finding on the set says that its update deletes it. */
  nameForDeletion(policyId: string, urn: string): void {
    this.named.set(urn, (this.named.get(urn) ?? new Set()).add(policyId));
  }

  isNamedForDeletion(policyId: string, urn: string): boolean {
    return this.named.get(urn)?.has(policyId) === true;
  }

  /** A resource of the program has it in its state. The first of several still holds it. */
  recordOwned(policyId: string, urn: string, key?: string): void {
    const claim = this.claims.get(policyId);
    if (claim?.is === "deleted" || (claim?.is === "held" && !claim.isNew)) return;
    this.claims.set(policyId, { is: "held", urn, isNew: false });
    this.held.set(labelOf(urnParts(urn).name, key), policyId);
  }

  /** It was created or adopted in this run. */
  adopt(policyId: string, urn: string, key?: string): void {
    this.claims.set(policyId, { is: "held", urn, isNew: true });
    this.held.set(labelOf(urnParts(urn).name, key), policyId);
  }

  /** A set stops managing it. */
  release(policyId: string, urn: string, takers: readonly string[]): void {
    const is = this.claims.get(policyId)?.is;
    if (is === undefined || is === "released") this.claims.set(policyId, { is: "released", urn, takers });
  }

  /**
   * The resource makes room for another policy of its own; what another resource holds stays its own. One that its removal
   * leaves in the zone is unmanaged from now on, and may be adopted.
   */
  startReplacing(policyId: string, urn: string, onDestroy: string | undefined): void {
    const isKept = onDestroy === "keep";
    if (!isKept) this.recorded.add(policyId);
    const claim = this.claims.get(policyId);
    if (claim?.is === "released" && claim.urn === urn && isKept) this.claims.delete(policyId);
    if (claim?.is !== "held" || claim.urn !== urn) return;
    for (const [label, id] of this.held) if (id === policyId) this.held.delete(label);
    if (isKept) this.claims.delete(policyId);
    else this.claims.set(policyId, { is: "leaving", urn });
  }

  /** Gives whether it may be deleted: no resource holds it. From this moment on none adopts it either. */
  claimForDeletion(policyId: string): boolean {
    if (this.isHeld(policyId)) return false;
    this.claims.set(policyId, { is: "deleted" });
    return true;
  }

  releasedFor(label: string): string[] {
    return [...this.claims].flatMap(([policyId, claim]) =>
      claim.is === "released" && claim.takers.includes(label) ? [policyId] : [],
    );
  }

  /** A released policy is left to these of its takers alone. Gives whether it may be deleted: there are none. */
  keepTakers(policyId: string, isLeft: (taker: string) => boolean): boolean {
    const claim = this.claims.get(policyId);
    if (claim?.is !== "released") return false;
    const takers = claim.takers.filter(isLeft);
    this.claims.set(policyId, { ...claim, takers });
    return takers.length === 0 && this.claimForDeletion(policyId);
  }

  /** What a run has read from the state of a resource. `isKept`: the resource's removal leaves it unmanaged. */
  noteRecorded(policyId: string, isKept: boolean): void {
    if (!isKept) this.recorded.add(policyId);
  }

  /** Whether a resource of this run has it: nothing that another one leaves behind may delete it. */
  isHeld(policyId: string): boolean {
    return this.claims.get(policyId)?.is === "held";
  }

  /** Whether a new resource may adopt it, or the set itself that has released it: that not while others may have it. */
  isFree(policyId: string, urn?: string): boolean {
    const claim = this.claims.get(policyId);
    if (claim?.is === "released") return claim.urn !== urn || claim.takers.length === 0;
    return claim === undefined;
  }

  isRecorded(policyId: string): boolean {
    return this.recorded.has(policyId);
  }

  /** Whether a resource has it, or had it until this run. */
  isAccountedFor(policyId: string): boolean {
    const is = this.claims.get(policyId)?.is;
    return this.recorded.has(policyId) || (is !== undefined && is !== "released");
  }

  heldBy(label: string): string | undefined {
    return this.held.get(label);
  }

  /** The URN of the set that is about to delete it unless another resource adopts it first. */
  aboutToBeDroppedBy(policyId: string): string | undefined {
    const claim = this.claims.get(policyId);
    return claim?.is === "released" && claim.takers.length === 0 ? claim.urn : undefined;
  }

  /** Whether the resource itself makes room by it. */
  isLeaving(policyId: string, urn: string): boolean {
    const claim = this.claims.get(policyId);
    return claim?.is === "leaving" && claim.urn === urn;
  }

  /** Whether a resource that has it in its state has lost it, and to whom where that is known. */
  takenFrom(policyId: string, urn: string): { readonly by: string | undefined } | undefined {
    const claim = this.claims.get(policyId);
    if (claim?.is === "deleted") return { by: undefined };
    if (claim?.is !== "held" || claim.urn === urn) return undefined;
    return { by: claim.isNew ? undefined : claim.urn };
  }
}

export function notAlone(exact: string, beside: string): Finding {
  const message = `${exact} decides on all policies of the zone (its others is not "keep"), and ${beside} declares policies of the same zone: each would undo the other's work. Move them into one set, or set others to "keep".`;
  return errorOn("", "csp-set-not-alone", message);
}
