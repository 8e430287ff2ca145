import type { PageGuardClient, Policy, PolicyBody } from "../../api/client-types";
import type { Run } from "../../lifecycle/run";
import { isSamePolicy } from "./equal-policy";
import { PolicyList } from "./policy-list";

const key = Symbol("policies of zones");

/** How old a list may be for reads that share it. A refresh is a snapshot in any case. */
const maxAgeMs = 60_000;

/** In what form policies of a zone are declared. An exact set says what becomes of those that it does not declare. */
export type Form = "policy" | "set" | "exact set";

/** The policies of one zone as this run knows them: one list request for all, and who owns which. */
export class ZonePolicies {
  private snapshot: { readonly at: number; readonly list: Promise<PolicyList> } | undefined;
  /** Declared by a resource that existed before this run: policy id to the resource's URN. */
  private readonly declared = new Map<string, string>();
  /** Created or taken over by a resource that is new in this run: policy id to its URN, empty where nobody told it. */
  private readonly acquired = new Map<string, string>();
  /** Those that are about to go, by a replacement or a deletion of this run: nobody is to take them over any more. */
  private readonly givenUp = new Set<string>();
  /** Creates of this run whose answer has not come yet. */
  private readonly underWay = new Set<Promise<unknown>>();

  /** What sets of this run are about to let go, for nobody that they know of: policy id to the set's URN. */
  private readonly aboutToDrop = new Map<string, string>();
  /** What sets of this run have let go and not deleted, for a resource that may have none yet: by policy id. */
  private readonly offered = new Map<string, Policy>();
  private readonly forms = new Map<string, Form>();
  private hasExactSet = false;
  private readonly recorded = new Set<string>();
  /** Since when policies log, by records that this run has read: a renamed resource goes on counting. */
  private readonly logging = new Map<string, string>();

  constructor(private readonly now: () => number) {}

  /** From one shared request. */
  async list(client: PageGuardClient, zoneId: string): Promise<PolicyList> {
    if (!this.snapshot || this.now() - this.snapshot.at > maxAgeMs) {
      const list = client.listPolicies(zoneId).then((found) => new PolicyList(found));
      this.snapshot = { at: this.now(), list };
      // Whoever asks next tries again; the one who asked gets the failure.
      list.catch(() => {
        this.snapshot = undefined;
      });
    }
    return this.snapshot.list;
  }

  /** Runs a create; what it makes is taken the moment that its answer comes. */
  async create(urn: string, work: () => Promise<Policy>): Promise<Policy> {
    const creating = work().then((policy) => {
      this.acquire(policy.policyId, urn);
      return policy;
    });
    this.underWay.add(creating);
    return creating.finally(() => this.underWay.delete(creating));
  }

  /** Until then a policy that is there may be one whose maker just waits for the answer. */
  async createsAnswered(): Promise<void> {
    await Promise.allSettled([...this.underWay]);
  }

  /** The next question is a new request. */
  forget(): void {
    this.snapshot = undefined;
  }

  async note(policy: Policy): Promise<void> {
    // A list that somebody else asks for may fail; what is to be noted has happened nevertheless.
    const list = await this.snapshot?.list.catch(() => undefined);
    list?.note(policy);
  }

  noteAboutToDrop(policyId: string, urn: string): void {
    this.aboutToDrop.set(policyId, urn);
  }

  /** The URN of the set that is about to let the policy go, and to delete it: it does not know who takes it over. */
  aboutToBeDroppedBy(policyId: string): string | undefined {
    return this.aboutToDrop.get(policyId);
  }

  /** A set lets it go and does not delete it: a resource beside it declares the same, and may have none yet. */
  offer(policy: Policy): void {
    this.offered.set(policy.policyId, policy);
  }

  /** The id of one of those, the same as what a resource has of its own already: from now on nobody takes it over. */
  withdrawOffer(wanted: PolicyBody): string | undefined {
    const same = [...this.offered.values()].filter((policy) => isSamePolicy(policy, wanted));
    const policyId = same.find((policy) => !this.isOwned(policy.policyId))?.policyId;
    if (policyId === undefined) return undefined;
    this.offered.delete(policyId);
    this.givenUp.add(policyId);
    return policyId;
  }

  noteLogging(policyId: string, since: string | undefined): void {
    if (since !== undefined) this.logging.set(policyId, since);
  }

  loggingOf(policyId: string): string | undefined {
    return this.logging.get(policyId);
  }

  /** Only the first of several resources that have one policy on record goes on owning it. */
  declare(policyId: string, urn: string): void {
    if (!this.declared.has(policyId)) this.declared.set(policyId, urn);
  }

  acquire(policyId: string, urn: string): void {
    this.acquired.set(policyId, urn);
  }

  /** The URN of the resource of this run that has the policy. */
  ownerOf(policyId: string): string | undefined {
    return this.declared.get(policyId) ?? this.acquired.get(policyId);
  }

  isFree(policyId: string): boolean {
    return !this.isOwned(policyId) && !this.givenUp.has(policyId);
  }

  /**
   * Whether a resource of this run owns the policy; if none does it is about to be deleted, and nobody takes it over
   * from this moment on: who did would have on record what is gone.
   */
  isOwnedElseLetGo(policyId: string): boolean {
    if (this.isOwned(policyId)) return true;
    this.givenUp.add(policyId);
    return false;
  }

  /** Whether a resource that existed before this run has lost the policy, and to whom where that is known. */
  takenFrom(policyId: string, urn: string): { readonly by: string | undefined } | undefined {
    const owner = this.declared.get(policyId);
    if (owner === urn || (owner === undefined && !this.acquired.has(policyId))) return undefined;
    return { by: owner };
  }

  /**
   * The resource makes room for another policy of its own; what somebody else declares stays theirs. One that its
   * removal leaves in the zone is nobody's from now on, and may be taken over.
   */
  giveUp(policyId: string, urn: string, onDestroy: string | undefined): void {
    const isDeclared = this.declared.get(policyId) === urn;
    if (isDeclared) this.declared.delete(policyId);
    if (onDestroy === "keep") {
      if (this.aboutToDrop.get(policyId) === urn) this.aboutToDrop.delete(policyId);
      return;
    }
    this.recorded.add(policyId);
    if (isDeclared) this.givenUp.add(policyId);
  }

  /** Notes who declares policies of the zone. Gives an exact set and who is beside it, where there are such. */
  declareForm(urn: string, form: Form): { readonly exact: string; readonly beside: string } | undefined {
    this.forms.set(urn, form);
    this.hasExactSet ||= form === "exact set";
    // Nearly always: hundreds of policies are not to be looked through for each of them.
    if (!this.hasExactSet) return undefined;
    const others = [...this.forms].filter(([other]) => other !== urn);
    const exact = form === "exact set" ? urn : others.find(([, other]) => other === "exact set")?.[0];
    const beside = exact === urn ? others[0]?.[0] : urn;
    return exact === undefined || beside === undefined ? undefined : { exact, beside };
  }

  /** On record for a resource that this run has read or replaces, so somebody's, whether it is declared or about to be removed. */
  noteRecorded(policyId: string): void {
    this.recorded.add(policyId);
  }

  isAccountedFor(policyId: string): boolean {
    return this.isOwned(policyId) || this.recorded.has(policyId) || this.givenUp.has(policyId);
  }

  async noteDeleted(policyId: string): Promise<void> {
    (await this.snapshot?.list.catch(() => undefined))?.remove(policyId);
  }

  /** Whether a resource of this run owns the policy: nothing that another one leaves behind may delete it. */
  isOwned(policyId: string): boolean {
    return this.acquired.has(policyId) || this.declared.has(policyId);
  }
}

export function zonePolicies(run: Run, zoneId: string): ZonePolicies {
  const zones = run.memory(key, () => new Map<string, ZonePolicies>());
  let policies = zones.get(zoneId.toLowerCase());
  if (!policies) {
    policies = new ZonePolicies(run.now);
    zones.set(zoneId.toLowerCase(), policies);
  }
  return policies;
}
