import type { ConnectionArgs, PageGuardClient, Policy } from "../api/client-types";
import { type ItemsInUse, itemsInUse } from "../api/paging/items-in-use";
import { isObjectGone } from "../errors/not-found-error";
import type { Finding } from "../lifecycle/finding";
import { isZoneGone } from "../lifecycle/gone-zone";
import type { Properties } from "../lifecycle/kind";
import { inZone } from "../lifecycle/memory";
import type { Run } from "../lifecycle/run";
import { tell } from "../lifecycle/tell";
import { isUnknown } from "../lifecycle/unknown";
import { type Form, PolicyClaims } from "./policy-claims";
import type { PolicyImpact } from "./policy-impact";
import { PolicyList } from "./policy-list";

/** How old a list may be for reads that share it. A refresh is a snapshot in any case. */
const maxAgeMs = 60_000;

/** What a run knows of the policies of one zone, whatever resource has asked. */
class KnownPolicies {
  readonly claims = new PolicyClaims();
  readonly impacts = new Map<string, PolicyImpact>();
  /** Changes of this run whose answer has not come yet. */
  readonly underWay = new Set<Promise<unknown>>();
  itemsInUse: Promise<ItemsInUse> | undefined;
  snapshot: { readonly at: number; readonly list: Promise<PolicyList> } | undefined;
}

const knownPolicies = inZone(() => new KnownPolicies());

/** The policies of a zone: one list request a run for all of its resources, whose each is, and what it would block. */
export class ZonePolicies {
  readonly claims: PolicyClaims;
  private readonly known: KnownPolicies;

  constructor(
    private readonly run: Run,
    readonly zoneId: string,
    private readonly connection: ConnectionArgs | undefined,
  ) {
    this.known = knownPolicies(run, zoneId);
    this.claims = this.known.claims;
  }

  private get client(): PageGuardClient {
    return this.run.client(this.connection);
  }

  report(finding: Finding, urn: string): Promise<void> {
    return tell(this.run, finding, { urn, zoneId: this.zoneId });
  }

  /** What is in use: one read a run. */
  itemsInUse(): Promise<ItemsInUse> {
    this.known.itemsInUse ??= itemsInUse(this.client, this.zoneId);
    return this.known.itemsInUse;
  }

  /** As `check` of this run found it for the policy as it is now; undefined where it was not asked. */
  impactOf(policy: Sent): PolicyImpact | undefined {
    return this.known.impacts.get(sentText(policy));
  }

  noteImpact(policy: Sent, impact: PolicyImpact): void {
    this.known.impacts.set(sentText(policy), impact);
  }

  /** From one shared request. */
  async list(): Promise<PolicyList> {
    const { known, run } = this;
    if (!known.snapshot || run.now() - known.snapshot.at > maxAgeMs) {
      const list = this.client.listPolicies(this.zoneId).then((found) => new PolicyList(found));
      known.snapshot = { at: run.now(), list };
      // Whoever asks next tries again; the one who asked gets the failure.
      list.catch(() => this.forget());
    }
    return known.snapshot.list;
  }

  /** The policy as it is now; undefined when it is gone, and the service has said so clearly. */
  async live(policyId: string): Promise<Policy | undefined> {
    const listed = (await this.list()).get(policyId);
    if (listed) return listed;
    try {
      // Missing from the list is not yet gone: only a 404 of its own says so.
      const found = await this.client.getPolicy(this.zoneId, policyId);
      await this.note(found);
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

  /** Runs a change of one policy, which waits for no other one. */
  async change<T>(work: (client: PageGuardClient) => Promise<T>): Promise<T> {
    const { underWay } = this.known;
    const changing = work(this.client);
    underWay.add(changing);
    return changing.finally(() => underWay.delete(changing));
  }

  /** Until then a policy may exist whose creator is still waiting for the response, or be one that is being deleted. */
  async untilChangesSettle(): Promise<void> {
    await Promise.allSettled([...this.known.underWay]);
  }

  /** The next question is a new request. */
  forget(): void {
    this.known.snapshot = undefined;
  }

  async note(policy: Policy): Promise<void> {
    (await this.listed())?.note(policy);
  }

  async delete(policyId: string): Promise<void> {
    await this.change((client) => client.deletePolicy(this.zoneId, policyId));
    (await this.listed())?.remove(policyId);
  }

  /** A list that another resource asks for may fail; what is to be noted in it has happened nevertheless. */
  private listed(): Promise<PolicyList | undefined> | undefined {
    return this.known.snapshot?.list.catch(() => undefined);
  }
}

type Sent = Pick<Policy, "value" | "expression">;

function sentText({ value, expression }: Sent): string {
  return JSON.stringify([value, expression]);
}

/** As a resource with this connection reaches them; without a connection for what needs no request. */
export function zonePolicies(run: Run, zoneId: unknown, connection?: ConnectionArgs): ZonePolicies {
  return new ZonePolicies(run, String(zoneId), connection);
}

/** What can't be declared beside the resource, which declares policies in this form; nothing where its zone is not known. */
export function rivalFindings(run: Run, { zoneId }: Properties, urn: string, form: Form): Finding[] {
  return isUnknown(zoneId) ? [] : zonePolicies(run, zoneId).claims.declare(urn, form);
}
