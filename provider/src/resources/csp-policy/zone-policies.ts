import type { ConnectionArgs, Policy, PolicyBody } from "../../api/client-types";
import type { PageGuardClient } from "../../api/create-client";
import { type ItemsInUse, itemsInUse } from "../../api/paging/items-in-use";
import { isObjectGone } from "../../errors/api-error";
import { isZoneGone } from "../../functions/read-zone";
import { inZone, oneAtATime } from "../../lifecycle/memory";
import { mayHaveActed } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { changedPolicyFields, withoutLineBreaks } from "../../model/policies/declared-policy";
import { type Logged, loggingSince } from "../../model/policies/log-time";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import { PolicyList, policyText } from "../../model/policies/policy-list";
import { Ownership } from "./ownership";

/** How old a list may be for reads that share it. A refresh is a snapshot in any case. */
const maxAgeMs = 60_000;

/** What a run has read of a zone through one client. */
class Seen {
  /** Impacts by the text and expression of the policy. */
  readonly impacts = new Map<string, PolicyImpact>();
  itemsInUse: Promise<ItemsInUse> | undefined;
  snapshot: { readonly at: number; readonly list: Promise<PolicyList> } | undefined;
}

const knownPolicies = inZone(() => ({
  ownership: new Ownership(),
  seen: new Map<PageGuardClient, Seen>(),
}));

/** The policies of a zone: one list request a run for all of its resources, whose each is, and what it would block. */
export class ZonePolicies {
  readonly ownership: Ownership;

  /** Without a connection for what needs no request. */
  constructor(
    private readonly run: Run,
    readonly zoneId: string,
    private readonly connection?: ConnectionArgs | undefined,
  ) {
    this.ownership = knownPolicies(run, zoneId).ownership;
  }

  get client(): PageGuardClient {
    return this.run.client(this.connection);
  }

  /** Not what another connection, which may be one to another service, has read. */
  private get seen(): Seen {
    const { seen } = knownPolicies(this.run, this.zoneId);
    const known = seen.get(this.client) ?? new Seen();
    seen.set(this.client, known);
    return known;
  }

  /** Keeps the impact that `check` computed. */
  noteImpact(value: string, expression: string, impact: PolicyImpact): void {
    this.seen.impacts.set(JSON.stringify([withoutLineBreaks(value), expression]), impact);
  }

  /** What a state holds of a policy besides what is declared. `before`: of the same policy. */
  outputsOf(policy: Policy, before: Logged & { readonly impact?: PolicyImpact | string | undefined } = {}) {
    // A change that blocks nothing else leaves the impact as it was found.
    const isSame = changedPolicyFields({ ...before }, { ...policy }).every(
      (field) => field === "description" || field === "enabled",
    );
    const unchanged = isSame && typeof before.impact === "object" ? before.impact : undefined;
    const found = this.seen.impacts.get(JSON.stringify([policy.value, policy.expression])) ?? unchanged;
    return {
      loggingSince: loggingSince(this.run.now(), before, policy),
      impact: policy.action === "allow" ? found : undefined,
    };
  }

  /** What is in use: one read a run. */
  itemsInUse(): Promise<ItemsInUse> {
    this.seen.itemsInUse ??= itemsInUse(this.client, this.zoneId);
    return this.seen.itemsInUse;
  }

  /** From one shared request. */
  async list(): Promise<PolicyList> {
    const { seen } = this;
    if (!seen.snapshot || this.run.now() - seen.snapshot.at > maxAgeMs) {
      const list = this.client.listPolicies(this.zoneId).then((found) => new PolicyList(found));
      seen.snapshot = { at: this.run.now(), list };
      // Whoever asks next tries again, unless a later request has answered; the one who asked gets the failure.
      list.catch(() => {
        if (seen.snapshot?.list === list) seen.snapshot = undefined;
      });
    }
    return seen.snapshot.list;
  }

  /** The policy as it is now; undefined when it is gone, and the service has said so clearly. */
  async live(policyId: string): Promise<Policy | undefined> {
    const listed = (await this.list()).get(policyId);
    if (listed) return listed;
    try {
      // Missing from the list is not yet gone: only a 404 of its own says so.
      const found = await this.client.getPolicy(this.zoneId, policyId);
      await this.inList((list) => list.note(found));
      return found;
    } catch (error) {
      if (isObjectGone(error)) return undefined;
      throw error;
    }
  }

  /** What `work` comes to, or undefined in a zone that is gone. */
  async unlessGone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (await isZoneGone(error, this.client, this.zoneId)) return undefined;
      throw error;
    }
  }

  /**
   * Resolves once the zone has this policy and the resource of this URN owns it: adopted or created. Of the same content one at
   * a time: the second one sees what the first has made of the zone.
   */
  ensure(body: PolicyBody, urn: string): Promise<Policy> {
    return oneAtATime(this.run, `${this.zoneId.toLowerCase()} ${policyText(body)}`, async () => {
      // 1. Observe: an equal policy that nobody owns, of several the newest, is ours from a create whose answer was lost.
      const before = await this.list();
      const known = new Set(before.all().map(({ policyId }) => policyId));
      const isFree = ({ policyId }: Policy) => this.ownership.isFree(policyId);
      let policy = before.equalTo(body).findLast(isFree);
      if (!policy) {
        try {
          // 2. Ensure: one POST.
          policy = await this.client.createPolicy(this.zoneId, body);
        } catch (error) {
          if (!mayHaveActed(error)) throw error;
          // 3. Without an answer: read, never send again.
          this.seen.snapshot = undefined;
          const now = (await this.list()).equalTo(body);
          policy = now.find((one) => isFree(one) && !known.has(one.policyId));
          if (!policy) throw error;
        }
      }
      this.ownership.own(policy.policyId, urn);
      const made = policy;
      await this.inList((list) => list.note(made));
      return made;
    });
  }

  /** Resolves once the policy is as declared. */
  async update(policy: Policy): Promise<Policy> {
    const { policyId, ...body } = policy;
    await this.client.updatePolicy(this.zoneId, policyId, body);
    await this.inList((list) => list.note(policy));
    return policy;
  }

  /** Deletes it unless another resource of this run has it. */
  async delete(policyId: string): Promise<void> {
    if (!this.ownership.startDeleting(policyId)) return;
    await this.client.deletePolicy(this.zoneId, policyId);
    await this.inList((list) => list.delete(policyId));
  }

  /** A list that another resource asks for may fail; what is to be noted in it has happened nevertheless. */
  private async inList(change: (list: PolicyList) => void): Promise<void> {
    await this.seen.snapshot?.list.then(change, () => undefined);
  }
}
