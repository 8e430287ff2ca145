import type { ConnectionArgs, Policy, PolicyBody } from "../../api/client-types";
import type { PageGuardClient } from "../../api/create-client";
import { type ItemsInUse, itemsInUse } from "../../api/paging/items-in-use";
import { isObjectGone } from "../../errors/api-error";
import { isZoneGone } from "../../functions/read-zone";
import { oneAtATime, rememberInZone } from "../../lifecycle/memory";
import { mayHaveActed } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { findChangedPolicyFields } from "../../model/policies/declared-policy";
import { type Logged, loggingSince } from "../../model/policies/log-time";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import { PolicyList, policyText } from "../../model/policies/policy-list";
import { computeImpact, impactOutput } from "./impact-data";
import { Ownership } from "./ownership";

/** Maximum time in milliseconds for which resources share one list of policies. After that, the list is read again. */
const maxAgeMs = 60_000;

/** Values that a run has read from a zone through one client. */
class Seen {
  itemsInUse: Promise<ItemsInUse> | undefined;
  snapshot: { readonly at: number; readonly list: Promise<PolicyList> } | undefined;
}

const knownPolicies = rememberInZone(() => ({
  ownership: new Ownership(),
  seen: new Map<PageGuardClient, Seen>(),
}));

/** The policies of a zone in one run. Resources of the zone share the list, the items in use and the owners of policies. */
export class ZonePolicies {
  readonly ownership: Ownership;

  /** Omit `connection` if no request will be made. */
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

  /** Values read through this connection. Another connection may belong to another service. */
  private get seen(): Seen {
    const { seen } = knownPolicies(this.run, this.zoneId);
    const known = seen.get(this.client) ?? new Seen();
    seen.set(this.client, known);
    return known;
  }

  /** Returns `loggingSince` and `impact` of a policy. `level`: the input `impact`. `before`: the policy in the state. */
  async makeOutputs(
    policy: Policy,
    level: unknown,
    before: Logged & { readonly impact?: PolicyImpact | string | undefined } = {},
  ) {
    const since = loggingSince(this.run.now(), before, policy);
    if (policy.action !== "allow") return { loggingSince: since, impact: undefined };
    const changed = findChangedPolicyFields({ ...before }, { ...policy }).filter(
      (field) => field !== "description",
    );
    const isChecked = changed.length > 0 && policy.enabled && level !== "off";
    const inUse = isChecked ? await this.seen.itemsInUse?.catch(() => undefined) : undefined;
    if (inUse) return { loggingSince: since, impact: impactOutput(computeImpact(inUse, policy)) };
    // A change of `enabled` alone does not change the impact.
    const isSame = changed.every((field) => field === "enabled") && typeof before.impact === "object";
    return { loggingSince: since, impact: isSame ? before.impact : undefined };
  }

  /** Reads the scripts and connections in use, once per run. */
  itemsInUse(): Promise<ItemsInUse> {
    this.seen.itemsInUse ??= itemsInUse(this.client, this.zoneId);
    return this.seen.itemsInUse;
  }

  /** Lists the policies. Resources of the zone with the same connection share one list for at most `maxAgeMs`. */
  async list(): Promise<PolicyList> {
    const { seen } = this;
    if (!seen.snapshot || this.run.now() - seen.snapshot.at > maxAgeMs) {
      const list = this.client.listPolicies(this.zoneId).then((found) => new PolicyList(found));
      seen.snapshot = { at: this.run.now(), list };
      // Callers that wait for this list get the failure. Forget the list, so that the next caller reads again.
      list.catch(() => {
        if (seen.snapshot?.list === list) seen.snapshot = undefined;
      });
    }
    return seen.snapshot.list;
  }

  /** Returns the live policy, or undefined if the service has clearly said that the policy does not exist. */
  async live(policyId: string): Promise<Policy | undefined> {
    const listed = (await this.list()).get(policyId);
    if (listed) return listed;
    try {
      // A policy that is not in the list may still exist. Only a 404 for the policy itself proves that it is gone.
      const found = await this.client.getPolicy(this.zoneId, policyId);
      await this.inList((list) => list.note(found));
      return found;
    } catch (error) {
      if (isObjectGone(error)) return undefined;
      throw error;
    }
  }

  /** Returns the result of `work`, or undefined if it fails because the zone is gone. */
  async unlessGone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (await isZoneGone(error, this.client, this.zoneId)) return undefined;
      throw error;
    }
  }

  /**
   * Creates or adopts a policy for the resource with this URN. Calls for equal policies run one at a time, so that the second
   * call sees the change of the first.
   */
  ensure(body: PolicyBody, urn: string): Promise<Policy> {
    return oneAtATime(this.run, `${this.zoneId.toLowerCase()} ${policyText(body)}`, async () => {
      // 1. Observe: adopt the newest equal policy without an owner. It may come from an earlier create whose response was lost.
      const before = await this.list();
      const known = new Set(before.all().map(({ policyId }) => policyId));
      const isFree = ({ policyId }: Policy) => this.ownership.isFree(policyId);
      let policy = before.equalTo(body).findLast(isFree);
      if (!policy) {
        try {
          // 2. Ensure: send one POST.
          policy = await this.client.createPolicy(this.zoneId, body);
        } catch (error) {
          if (!mayHaveActed(error)) throw error;
          // 3. If the response was lost, read the list again. Never send the POST a second time.
          this.seen.snapshot = undefined;
          const now = await this.list().catch(() => {
            // Throw the error of the POST, not the error of this read, because the POST may have been carried out.
            throw error;
          });
          policy = now.equalTo(body).find((one) => isFree(one) && !known.has(one.policyId));
          if (!policy) throw error;
        }
      }
      this.ownership.own(policy.policyId, urn);
      const made = policy;
      await this.inList((list) => list.note(made));
      return made;
    });
  }

  async update(policy: Policy): Promise<Policy> {
    const { policyId, ...body } = policy;
    await this.client.updatePolicy(this.zoneId, policyId, body);
    await this.inList((list) => list.note(policy));
    return policy;
  }

  /** Deletes a policy unless another resource of this run owns it. */
  async delete(policyId: string): Promise<void> {
    if (!this.ownership.startDeleting(policyId)) return;
    await this.client.deletePolicy(this.zoneId, policyId);
    await this.inList((list) => list.delete(policyId));
  }

  /** Applies a change of the zone to the shared list as well. Does nothing if no list could be read. */
  private async inList(change: (list: PolicyList) => void): Promise<void> {
    await this.seen.snapshot?.list.then(change, () => undefined);
  }
}
