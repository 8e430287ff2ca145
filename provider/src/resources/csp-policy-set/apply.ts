import type { Policy, PolicyBody } from "../../api/client-types";
import { QuotaExceededError } from "../../errors/quota-exceeded-error";
import { inFlight, type Settled } from "../../lifecycle/in-flight";
import { urnParts } from "../../lifecycle/urn";
import { isSamePolicy } from "../../policies/equal-policy";
import { deleteLeftBehind } from "../../policies/left-behind";
import { labelOf } from "../../policies/policy-claims";
import { type Known, reconcilePolicy } from "../../policies/reconcile-policy";
import { makeRoom, reportNoRoom } from "../../policies/room";
import type { Observed, SetUpdate } from "./observe";
import type { Kept, SetPlan } from "./plan";
import { type HandOvers, handOversOf } from "./siblings";

/** Requests of one set that are under way at a time; the rate limit may let fewer. */
export const mostInFlight = 16;

/** A policy to delete, with its name in the program, or its id where it has none. */
interface Removal {
  readonly name: string;
  readonly policyId: string;
}

export interface Outcome {
  /** Key to the policy that the zone has now, as declared. */
  readonly settled: ReadonlyMap<string, Policy>;
  /** Key to why not. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Ids of policies that are gone, or no longer of concern. */
  readonly removed: ReadonlySet<string>;
  /** Failed deletions by id. */
  readonly left: ReadonlyMap<string, { readonly name: string; readonly error: unknown }>;
  /** As far as nobody has adopted them otherwise. */
  readonly handOvers: HandOvers;
}

/** First all creations and updates, then the deletions: a zone is never without protection in between. */
export async function apply(work: SetUpdate, observed: Observed): Promise<Outcome> {
  const { zone, state, urn } = work;
  const { plan, list, siblings } = observed;
  const settled = new Map<string, Policy>();
  const failed = new Map<string, unknown>();
  const note = (ended: readonly Settled<{ readonly key: string }, Policy>[]): void => {
    for (const { item, result, error } of ended) {
      failed.delete(item.key);
      if (result) settled.set(item.key, result);
      else failed.set(item.key, error);
    }
  };
  const reconcile = (key: string, body: PolicyBody, known?: Known): Promise<Policy> => {
    const reserved = () => siblings.lacking(body).filter(({ isInSet }) => !isInSet).length;
    return reconcilePolicy({ zone, body, urn, key, reserved }, known);
  };
  const create = ({ key, wanted }: SetPlan["missing"][number]) => reconcile(key, wanted);
  // Given: the state can't be trusted, each policy is compared with what the zone has.
  const live = state.incomplete === true ? list : undefined;
  const update = ({ key, record: { policyId }, wanted, isChanged }: Kept): Promise<Policy> => {
    const there = live?.get(policyId);
    const needsUpdate = live ? !there || !isSamePolicy(there, wanted) : isChanged;
    return reconcile(key, wanted, { policyId, needsUpdate, onGone: "recreate" });
  };
  // 1. What is there is brought up to date, what is missing is created.
  const tasks = [
    ...plan.kept.map((kept) => ({ key: kept.key, work: () => update(kept) })),
    ...plan.missing.map((missing) => ({ key: missing.key, work: () => create(missing) })),
  ];
  note(await inFlight(mostInFlight, tasks, (task) => task.work()));
  // 2. What is in the way is deleted. Not before everything else is there, unless just that makes the room.
  const noRoom = plan.missing.filter(({ key }) => failed.get(key) instanceof QuotaExceededError);
  const mayDeleteNow = failed.size === noRoom.length;
  const handOvers = mayDeleteNow ? await openHandOvers(work, observed) : observed.plannedHandOvers;
  const removals = mayDeleteNow ? removalsIn(observed, handOvers) : [];
  const deletions = await inFlight(mostInFlight, removals, async ({ policyId }) => {
    // Another resource of this run has it by now: it moved.
    if (zone.claims.claimForDeletion(policyId)) await zone.delete(policyId);
  });
  const left = new Map<string, { readonly name: string; readonly error: unknown }>();
  const removed = new Set<string>();
  for (const { item, error } of deletions) {
    if (error === undefined) removed.add(item.policyId);
    else left.set(item.policyId, { name: item.name, error });
  }
  // 3. Now there may be room.
  if (noRoom.length > 0 && removals.length > 0) {
    await reportNoRoom(zone, urn, noRoom.length, removals.length);
    note(await inFlight(mostInFlight, noRoom, create));
  }
  const still = noRoom.filter(({ key }) => mayDeleteNow && failed.get(key) instanceof QuotaExceededError);
  const last = await inFlight(mostInFlight, still, async (task) => {
    if (!(await makeRoom(zone, task.wanted, urn, siblings.areAllSeen()))) throw failed.get(task.key);
    return create(task);
  });
  note(last);
  // 4. What another set has released for policies that this one has got in another way, and that are surely there.
  const seen = plan.kept.filter(({ isChanged }) => isChanged || live !== undefined);
  const arrived = [...seen, ...plan.missing].filter(({ key }) => settled.has(key));
  const ended = await inFlight(mostInFlight, arrived, ({ key }) =>
    deleteLeftBehind(zone, labelOf(urnParts(urn).name, key)),
  );
  for (const { item, error } of ended) if (error !== undefined) failed.set(item.key, error);
  // 5. Others may be adopting what moves to them.
  if (handOvers.size > 0) await zone.untilChangesSettle();
  return { settled, failed, removed, left, handOvers };
}

function removalsIn({ plan, toDelete, undeclared }: Observed, handOvers: HandOvers): Removal[] {
  const unnamed = [...Object.keys(toDelete), ...undeclared.map(({ policyId }) => policyId)];
  return [
    ...plan.dropped.map(({ key, policyId }) => ({ name: key, policyId })),
    ...unnamed.map((policyId) => ({ name: policyId, policyId })),
  ].filter(({ policyId }) => !handOvers.has(policyId));
}

/** How long an update waits for those that are to adopt a policy. They are mostly compared or created at the same time. */
const patienceMs = 5_000;
const lookMs = 50;

/** The planned ones that are still to happen, once all that may adopt are known to hold a policy, or the time is up. */
async function openHandOvers(
  { run, zone: { claims } }: SetUpdate,
  { list, siblings, plannedHandOvers }: Observed,
): Promise<HandOvers> {
  if (!list || plannedHandOvers.size === 0) return plannedHandOvers;
  const adopters = [...plannedHandOvers.values()].flat();
  for (let waited = 0; waited < patienceMs; waited += lookMs) {
    if (adopters.every((label) => claims.heldBy(label) !== undefined)) break;
    await run.sleep(lookMs);
  }
  return handOversOf([...plannedHandOvers.keys()], list, siblings);
}
