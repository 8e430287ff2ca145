import type { PageGuardClient, Policy } from "../api/client-types";
import type { ItemsInUse } from "../api/paging/items-in-use";
import type { Finding } from "../lifecycle/finding";
import type { Properties } from "../lifecycle/kind";
import { inZone } from "../lifecycle/memory";
import type { Run } from "../lifecycle/run";
import { isUnknown } from "../lifecycle/unknown";
import { type Form, PolicyClaims } from "./policy-claims";
import type { PolicyImpact } from "./policy-impact";
import { PolicyList } from "./policy-list";

/** How old a list may be for reads that share it. A refresh is a snapshot in any case. */
const maxAgeMs = 60_000;

/** The policies of one zone as this run knows them: one list request for all, whose each is, and what it would block. */
export class ZonePolicies {
  readonly claims = new PolicyClaims();
  /** What is in use: one read a run. */
  itemsInUse: Promise<ItemsInUse> | undefined;
  private readonly impacts = new Map<string, PolicyImpact>();
  private snapshot: { readonly at: number; readonly list: Promise<PolicyList> } | undefined;
  /** Changes of this run whose answer has not come yet. */
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(private readonly now: () => number) {}

  /** As `check` of this run found it for the policy as it is now; undefined where it was not asked. */
  readonly impactOf = (policy: Sent): PolicyImpact | undefined => this.impacts.get(sentText(policy));

  noteImpact(policy: Sent, impact: PolicyImpact): void {
    this.impacts.set(sentText(policy), impact);
  }

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

  /** Runs a change of one policy, which waits for no other one. */
  async change<T>(work: () => Promise<T>): Promise<T> {
    const changing = work();
    this.underWay.add(changing);
    return changing.finally(() => this.underWay.delete(changing));
  }

  /** Until then a policy may be there whose maker just waits for the answer, or be one that is on its way out. */
  async changesAnswered(): Promise<void> {
    await Promise.allSettled([...this.underWay]);
  }

  /** The next question is a new request. */
  forget(): void {
    this.snapshot = undefined;
  }

  async note(policy: Policy): Promise<void> {
    // A list that another resource asks for may fail; what is to be noted has happened nevertheless.
    (await this.snapshot?.list.catch(() => undefined))?.note(policy);
  }

  async delete(client: PageGuardClient, zoneId: string, policyId: string): Promise<void> {
    await this.change(() => client.deletePolicy(zoneId, policyId));
    (await this.snapshot?.list.catch(() => undefined))?.remove(policyId);
  }
}

type Sent = Pick<Policy, "value" | "expression">;

function sentText({ value, expression }: Sent): string {
  return JSON.stringify([value, expression]);
}

export const zonePolicies = inZone((run) => new ZonePolicies(run.now));

/** What can't be declared beside the resource, which declares policies in this form; nothing where its zone is not known. */
export function rivalFindings(run: Run, { zoneId }: Properties, urn: string, form: Form): Finding[] {
  return isUnknown(zoneId) ? [] : zonePolicies(run, zoneId).claims.declare(urn, form);
}
