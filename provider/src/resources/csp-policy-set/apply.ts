import type { PageGuardClient, Policy } from "../../api/client-types";
import { isNoRoute } from "../../errors/no-route";
import { NotFoundError } from "../../errors/not-found-error";
import { QuotaExceededError } from "../../errors/quota-exceeded-error";
import type { Finding } from "../../lifecycle/finding";
import { inFlight, type Settled } from "../../lifecycle/in-flight";
import { ensurePolicy } from "../csp-policy/ensure-policy";
import { isSamePolicy } from "../csp-policy/equal-policy";
import { deleteOffered } from "../csp-policy/offered-policy";
import type { PolicyList } from "../csp-policy/policy-list";
import type { ZonePolicies } from "../csp-policy/zone-policies";
import type { Kept, Plan } from "./plan";

/** Requests of one set that are under way at a time; the rate limit may let fewer. */
export const mostInFlight = 16;

export interface Work {
  readonly client: PageGuardClient;
  readonly zone: ZonePolicies;
  readonly zoneId: string;
  readonly plan: Plan;
  /** Given: the record can't be trusted, each policy is compared with what the zone has. */
  readonly live: PolicyList | undefined;
  /** Policies of nobody that are to go. */
  readonly undeclared: readonly string[];
  /** Ids of dropped policies that a resource beside the set is about to take over. */
  readonly handedOver: ReadonlySet<string>;
  /** The set's own. */
  readonly urn: string;
  /** How many free policies like it resources beside the set are going to take. */
  readonly reserved: (wanted: Kept["wanted"], list: PolicyList) => number;
  readonly warn: (finding: Finding) => Promise<void>;
}

export interface Outcome {
  /** Key to the policy that the zone has now, as declared. */
  readonly settled: ReadonlyMap<string, Policy>;
  /** Key to why not. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Keys of dropped policies that are gone, or nobody's concern any more. */
  readonly deleted: ReadonlySet<string>;
  /** Failed deletions of undeclared policies, by id. */
  readonly left: ReadonlyMap<string, unknown>;
}

type Missing = Plan["missing"][number];

/** First all creations and updates, then the deletions: a zone is never without protection in between. */
export async function apply(work: Work): Promise<Outcome> {
  const { plan, warn } = work;
  const settled = new Map<string, Policy>();
  const failed = new Map<string, unknown>();
  const note = (ended: readonly Settled<{ readonly key: string }, Policy>[]): void => {
    for (const { item, result, error } of ended) {
      failed.delete(item.key);
      if (result) settled.set(item.key, result);
      else failed.set(item.key, error);
    }
  };
  // 1. What is there is brought up to date, what is missing is made.
  const tasks = [
    ...plan.kept.map((kept) => ({ key: kept.key, work: () => update(work, kept) })),
    ...plan.missing.map((missing) => ({ key: missing.key, work: () => create(work, missing) })),
  ];
  note(await inFlight(mostInFlight, tasks, (task) => task.work()));
  // 2. What is in the way goes. Not before everything else stands, unless just that makes the room.
  const noRoom = plan.missing.filter(({ key }) => failed.get(key) instanceof QuotaExceededError);
  const isDue = failed.size === noRoom.length;
  const due = plan.dropped.length + work.undeclared.length;
  const { deleted, left } = isDue ? await removeAll(work) : { deleted: new Set<string>(), left: new Map() };
  // 3. Now there may be room.
  if (isDue && noRoom.length > 0 && due > 0) {
    await warn({
      severity: "warning",
      code: "csp-set-no-room",
      property: "policies",
      message: `the zone had no room for ${noRoom.length} of the new policies: the ${due} that are to go were deleted first, and the new ones are sent once more.`,
    });
    note(await inFlight(mostInFlight, noRoom, (task) => create(work, task)));
  }
  return { settled, failed, deleted, left };
}

async function update(work: Work, kept: Kept): Promise<Policy> {
  const { client, zone, zoneId, live } = work;
  const { policyId, wanted } = kept;
  const updated = { ...wanted, policyId };
  const there = live?.get(policyId);
  const isDue = live ? !there || !isSamePolicy(there, wanted) : kept.isChanged;
  if (!isDue) return updated;
  try {
    await client.updatePolicy(zoneId, policyId, wanted);
  } catch (error) {
    // Somebody has deleted it: then it is missing as any other.
    if (error instanceof NotFoundError && !isNoRoute(error.facts.apiCode)) return create(work, kept);
    throw error;
  }
  await zone.note(updated);
  await deleteOffered(client, zone, zoneId, wanted);
  return updated;
}

function create({ client, zone, zoneId, urn, reserved }: Work, { wanted }: Missing): Promise<Policy> {
  return ensurePolicy(client, zone, zoneId, wanted, urn, (list) => reserved(wanted, list));
}

async function removeAll(work: Work): Promise<Pick<Outcome, "deleted" | "left">> {
  const { client, zone, zoneId, plan, undeclared, handedOver } = work;
  const tasks = [...plan.dropped, ...undeclared.map((policyId) => ({ key: undefined, policyId }))];
  const ended = await inFlight(mostInFlight, tasks, async ({ policyId }) => {
    // Somebody else of this run has it, or is going to: handed over, not deleted.
    if (handedOver.has(policyId) || zone.isOwnedElseLetGo(policyId)) return;
    await client.deletePolicy(zoneId, policyId);
    await zone.noteDeleted(policyId);
  });
  const deleted = new Set<string>();
  const left = new Map<string, unknown>();
  for (const { item, error } of ended) {
    if (error !== undefined) left.set(item.key ?? item.policyId, error);
    else if (item.key !== undefined) deleted.add(item.key);
  }
  return { deleted, left };
}
