import type { Policy } from "../../api/client-types";
import { QuotaExceededError } from "../../errors/quota-exceeded-error";
import type { Finding } from "../../lifecycle/finding";
import { inFlight, type Settled } from "../../lifecycle/in-flight";
import { urnParts } from "../../lifecycle/urn";
import { isSamePolicy } from "../../policies/equal-policy";
import { deleteLeftBehind } from "../../policies/left-behind";
import { labelOf } from "../../policies/policy-claims";
import type { PolicyList } from "../../policies/policy-list";
import { reconcilePolicy, type Wanted } from "../../policies/reconcile-policy";
import { noRoomFinding } from "../../policies/room";
import type { ZonePolicies } from "../../policies/zone-policies";
import type { Kept, SetPlan } from "./plan";

/** Requests of one set that are under way at a time; the rate limit may let fewer. */
export const mostInFlight = 16;

/** A policy that is to go, with its name in the program, or its id where it has none. */
export interface Removal {
  readonly name: string;
  readonly policyId: string;
}

export interface SetWork {
  readonly zone: ZonePolicies;
  readonly plan: SetPlan;
  /** Given: the record can't be trusted, each policy is compared with what the zone has. */
  readonly live: PolicyList | undefined;
  /** Policies that are to go; asked when all else is done. */
  readonly removals: () => Promise<readonly Removal[]>;
  readonly urn: string;
  /** How many free policies like it resources beside the set are going to take. */
  readonly reserved: (wanted: Kept["wanted"]) => number;
  /** Deletes what another resource is about to delete in this run, for a policy that finds no room. */
  readonly makeRoom: (wanted: Kept["wanted"]) => Promise<boolean>;
  readonly warn: (finding: Finding) => Promise<void>;
}

export interface Outcome {
  /** Key to the policy that the zone has now, as declared. */
  readonly settled: ReadonlyMap<string, Policy>;
  /** Key to why not. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Ids of policies that are gone, or no longer of concern. */
  readonly removed: ReadonlySet<string>;
  /** Failed deletions by id, with what it is called. */
  readonly left: ReadonlyMap<string, { readonly name: string; readonly error: unknown }>;
}

type Missing = SetPlan["missing"][number];

/** First all creations and updates, then the deletions: a zone is never without protection in between. */
export async function apply(work: SetWork): Promise<Outcome> {
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
  // 2. What is in the way is deleted. Not before everything else is there, unless just that makes the room.
  const noRoom = plan.missing.filter(({ key }) => failed.get(key) instanceof QuotaExceededError);
  const isDue = failed.size === noRoom.length;
  const removals = isDue ? await work.removals() : [];
  const { removed, left } = await removeAll(work, removals);
  // 3. Now there may be room.
  if (noRoom.length > 0 && removals.length > 0) {
    await warn(noRoomFinding(noRoom.length, removals.length));
    note(await inFlight(mostInFlight, noRoom, (task) => create(work, task)));
  }
  const still = noRoom.filter(({ key }) => isDue && failed.get(key) instanceof QuotaExceededError);
  const last = await inFlight(mostInFlight, still, async (task) => {
    if (!(await work.makeRoom(task.wanted))) throw failed.get(task.key);
    return create(work, task);
  });
  note(last);
  // 4. What another set has released for policies that this one has got in another way, and that are surely there.
  const seen = plan.kept.filter(({ isChanged }) => isChanged || work.live !== undefined);
  const arrived = [...seen, ...plan.missing].filter(({ key }) => settled.has(key));
  const ended = await inFlight(mostInFlight, arrived, ({ key }) =>
    deleteLeftBehind(work.zone, labelOf(urnParts(work.urn).name, key)),
  );
  for (const { item, error } of ended) if (error !== undefined) failed.set(item.key, error);
  return { settled, failed, removed, left };
}

function update(work: SetWork, { key, record: { policyId }, wanted, isChanged }: Kept): Promise<Policy> {
  const there = work.live?.get(policyId);
  const isDue = work.live ? !there || !isSamePolicy(there, wanted) : isChanged;
  return reconcilePolicy(wantedAt(work, key, wanted), { policyId, isDue });
}

function create(work: SetWork, { key, wanted }: Missing): Promise<Policy> {
  return reconcilePolicy(wantedAt(work, key, wanted));
}

function wantedAt({ zone, urn, reserved }: SetWork, key: string, body: Kept["wanted"]): Wanted {
  return { zone, body, urn, key, reserved: () => reserved(body) };
}

async function removeAll(
  { zone }: SetWork,
  removals: readonly Removal[],
): Promise<Pick<Outcome, "removed" | "left">> {
  const ended = await inFlight(mostInFlight, removals, async ({ policyId }) => {
    // Another resource of this run has it by now: it moved.
    if (zone.claims.mayDelete(policyId)) await zone.delete(policyId);
  });
  const removed = new Set<string>();
  const left = new Map<string, { readonly name: string; readonly error: unknown }>();
  for (const { item, error } of ended) {
    if (error === undefined) removed.add(item.policyId);
    else left.set(item.policyId, { name: item.name, error });
  }
  return { removed, left };
}
