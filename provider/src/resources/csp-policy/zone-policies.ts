import type { ConnectionArgs, Policy, PolicyBody } from "../../api/client-types";
import type { PageGuardClient } from "../../api/create-client";
import { isObjectGone } from "../../errors/api-error";
import { addSeenOn, type ItemsInUse, itemsInUse, itemsSeenOn } from "../../functions/items-in-use";
import { unlessGone } from "../../functions/read-zone";
import { oneAtATime, rememberInZone } from "../../lifecycle/memory";
import { mayHaveActed } from "../../lifecycle/partial-failure-error";
import { approvedKeepers } from "../../lifecycle/remediated-inputs";
import type { Run } from "../../lifecycle/run";
import { findChangedPolicyFields } from "../../model/policies/declared-policy";
import { type Logged, loggingSince } from "../../model/policies/log-time";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import { PolicyList, policyText } from "../../model/policies/policy-list";
import { computeImpact, findHostsInDoubt, impactOutput } from "./impact-data";
import { Ownership } from "./ownership";

/** Maximum age in milliseconds of a list of policies that resources share. An older list is read again. */
const maxAgeMs = 60_000;

/** Maximum number of lists that a run reads from a zone to find items by host. Each list has the items seen on one host. */
const mostHostLists = 40;

/** Values that a run has read from a zone through one client. */
class Seen {
  itemsInUse: Promise<ItemsInUse> | undefined;
  /** Items that were seen on a given host, by kind and host; undefined if the service refuses the request. */
  readonly onHosts = new Map<string, ReturnType<typeof itemsSeenOn>>();
  snapshot: { readonly at: number; readonly list: Promise<PolicyList> } | undefined;
}

const knownPolicies = rememberInZone((run) => ({
  ownership: new Ownership(approvedKeepers(run)),
  seen: new Map<PageGuardClient, Seen>(),
}));

/** Policies of a zone in one run. All resources of the zone share the list, the items in use and the owners of policies. */
export class ZonePolicies {
  readonly ownership: Ownership;

  /** `connection` may be left out if no request will be made. */
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

  /** Values that were read through this connection. Another connection may belong to another service. */
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
    const isRead = isChecked && this.seen.itemsInUse !== undefined;
    const inUse = isRead ? await this.itemsInUse(policy).catch(() => undefined) : undefined;
    if (inUse) return { loggingSince: since, impact: impactOutput(computeImpact(inUse, policy)) };
    // A change of `enabled` alone does not change the impact.
    const isSame = changed.every((field) => field === "enabled") && typeof before.impact === "object";
    return { loggingSince: since, impact: isSame ? before.impact : undefined };
  }

  /** Returns the scripts and connections in use, with the web pages on which a policy may block them. Reads each list once per run. */
  async itemsInUse(policy: Pick<Policy, "value" | "expression">): Promise<ItemsInUse> {
    this.seen.itemsInUse ??= itemsInUse(this.client, this.zoneId);
    const inUse = await this.seen.itemsInUse;
    const lists = findHostsInDoubt(inUse, policy);
    return addSeenOn(inUse, lists, (kind, host) => this.seenOn(kind, host));
  }

  private async seenOn(kind: "scripts" | "connections", host: string) {
    const { onHosts } = this.seen;
    const key = `${kind} ${host}`;
    const known = onHosts.get(key);
    if (known || onHosts.size >= mostHostLists) return known;
    const found = itemsSeenOn(this.client, kind, this.zoneId, host);
    onHosts.set(key, found);
    return found;
  }

  /** Returns the list of policies. All resources of the zone with the same connection share it for at most `maxAgeMs`. */
  async list(): Promise<PolicyList> {
    const { seen } = this;
    if (!seen.snapshot || this.run.now() - seen.snapshot.at > maxAgeMs) {
      const list = this.client.listPolicies(this.zoneId).then((found) => new PolicyList(found));
      seen.snapshot = { at: this.run.now(), list };
      // Callers that wait for this list get its failure. Forget the list, so that the next caller reads it again.
      list.catch(() => {
        if (seen.snapshot?.list === list) seen.snapshot = undefined;
      });
    }
    return seen.snapshot.list;
  }

  /** Returns the live policy; undefined if the service has clearly said that it does not exist. */
  async live(policyId: string): Promise<Policy | undefined> {
    const listed = (await this.list()).get(policyId);
    if (listed) return listed;
    try {
      // A policy that is missing in the list may still exist. Only a 404 for the policy itself proves that it is gone.
      const found = await this.client.getPolicy(this.zoneId, policyId);
      await this.inList((list) => list.note(found));
      return found;
    } catch (error) {
      if (isObjectGone(error)) return undefined;
      throw error;
    }
  }

  /** Returns the result of `work`; undefined if `work` fails because the zone is gone. */
  unlessGone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    return unlessGone(this.client, this.zoneId, work);
  }

  /**
   * Creates or adopts a policy for the resource `urn`. Calls for equal policies run one at a time: each call
   * has to see what the earlier ones have changed.
   */
  ensure(body: PolicyBody, urn: string): Promise<Policy> {
    return oneAtATime(this.run, `${this.zoneId.toLowerCase()} ${policyText(body)}`, async () => {
      const list = await this.list();
      // Adopt the newest equal policy without an owner. It may come from an earlier create whose response was lost.
      const found = list.equalTo(body).findLast(({ policyId }) => this.ownership.isFree(policyId));
      const policy = found ?? (await this.create(body, new Set(list.keys())));
      this.ownership.own(policy.policyId, urn);
      await this.inList((known) => known.note(policy));
      return policy;
    });
  }

  /** Creates a policy with one POST request, which is never sent again. `before`: ids of the policies before the request. */
  private async create(body: PolicyBody, before: ReadonlySet<string>): Promise<Policy> {
    try {
      return await this.client.createPolicy(this.zoneId, body);
    } catch (error) {
      if (!mayHaveActed(error)) throw error;
      // If the response was lost, look for the policy in the list.
      this.seen.snapshot = undefined;
      const equal = await this.list().then(
        (list) => list.equalTo(body),
        () => [],
      );
      const made = equal.find(({ policyId }) => this.ownership.isFree(policyId) && !before.has(policyId));
      if (!made) throw error;
      return made;
    }
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

  /** Applies a change of the zone to the shared list. Does nothing if there is no such list. */
  private async inList(change: (list: PolicyList) => void): Promise<void> {
    await this.seen.snapshot?.list.then(change, () => undefined);
  }
}
