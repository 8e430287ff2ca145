import type { Policy, PolicyBody } from "../../api/client-types";
import { QuotaExceededError } from "../../errors/api-error";
import { CodedError, messageOf } from "../../lifecycle/coded-error";
import { inFlight, type Settled } from "../../lifecycle/in-flight";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { warningOn } from "../../model/finding";
import { isSamePolicy } from "../../model/policies/equal-policy";
import type { PolicyList } from "../../model/policies/policy-list";
import { deletionsOf } from "../../policies/exact-sets";
import { policyOutputs } from "../../policies/policy-record";
import { type Known, reconcilePolicy } from "../../policies/reconcile-policy";
import { type ZonePolicies, zonePolicies } from "../../policies/zone-policies";
import { listed, shown } from "../../text/shown";
import { inMaps, type PolicyRecord, recordedPolicy } from "./entries";
import { isReleased, type Kept, planFor, type SetPlan } from "./plan";
import { pathOf } from "./set-findings";
import type { Inputs, State } from "./state";
import { labelsOf, othersOf, undeclaredIn } from "./undeclared";

/** Requests of one set that are under way at a time; the rate limit may let fewer. */
export const mostInFlight = 16;

/** What an update is to do. */
interface Work {
  readonly zone: ZonePolicies;
  readonly urn: string;
  readonly plan: SetPlan;
  /** Given where the state can't be trusted: each policy is compared with what the zone has. */
  readonly live: PolicyList | undefined;
  /** Policies to delete, by id, with their names in the program or the zone. */
  readonly removals: ReadonlyMap<string, string>;
}

interface Outcome {
  /** Key to the policy that the zone has now, as declared. */
  readonly settled: ReadonlyMap<string, Policy>;
  /** Key to why not. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Ids of policies that are gone, or that another resource has. */
  readonly removed: ReadonlySet<string>;
  /** Failed deletions by id. */
  readonly left: ReadonlyMap<string, unknown>;
}

/** Brings the zone to what is declared, and gives the state of it: of all, or of the part that is surely so. */
export async function sync(
  run: Run,
  zoneId: string,
  state: State,
  inputs: Inputs,
  urn: string,
): Promise<State> {
  const zone = zonePolicies(run, zoneId, inputs.connection);
  // 1. Observe, where the state alone can't tell.
  const isExact = othersOf(inputs) === "delete";
  const isIncomplete = state.incomplete === true;
  const { missing } = planFor(zone.ownership, urn, state, inputs);
  const list = missing.length > 0 || isIncomplete || isExact ? await zone.list() : undefined;
  // By now another resource may have adopted what leaves the set.
  const plan = planFor(zone.ownership, urn, state, inputs);
  const { named, deleted } = deletionsOf(run, zoneId, urn);
  const undeclared = list && isExact ? undeclaredIn(list, plan, state, zone.isOf(urn)) : [];
  const removals = new Map([
    ...plan.dropped
      .filter(({ key }) => !isReleased(inputs.release, key))
      .map(({ key, policyId }) => [policyId, key] as const),
    // What no finding has named has come since.
    ...undeclared
      .filter(({ policyId }) => named.has(policyId))
      .map(({ policyId }) => [policyId, policyId] as const),
  ]);
  // 2. Ensure.
  const outcome = await apply({ zone, urn, plan, live: isIncomplete ? list : undefined, removals });
  for (const { policyId } of undeclared) if (outcome.removed.has(policyId)) deleted.add(policyId);
  // 3. The new state.
  const records = recordsAfter(run, zone, inputs, plan, outcome, removals);
  const { impact: impactLevel, policies, ...settings } = inputs;
  const after = {
    ...settings,
    ...inMaps(records),
    impactLevel,
    ...(othersOf(inputs) !== "keep" && {
      undeclared: labelsOf(undeclared.filter(({ policyId }) => outcome.left.has(policyId))),
    }),
  };
  if (outcome.failed.size + outcome.left.size === 0) return after;
  // A part of it is recorded by key, so that the next run does the rest.
  const failure = new SetIncompleteError(outcome, removals, Object.keys(policies).length);
  const isNothingDone = records.size === 0 && Object.keys(state).length === 0;
  throw isNothingDone ? failure : new PartialFailureError(zoneId, after, failure);
}

/** First all creations and updates, then the deletions: a zone is never without protection in between. */
async function apply({ zone, urn, plan, live, removals }: Work): Promise<Outcome> {
  const settled = new Map<string, Policy>();
  const failed = new Map<string, unknown>();
  const note = (ended: readonly Settled<{ readonly key: string }, Policy>[]): void => {
    for (const { item, result, error } of ended) {
      failed.delete(item.key);
      if (result) settled.set(item.key, result);
      else failed.set(item.key, error);
    }
  };
  const reconcile = (body: PolicyBody, known?: Known) => reconcilePolicy({ zone, body, urn }, known);
  const update = ({ record: { policyId }, wanted, isChanged }: Kept): Promise<Policy> => {
    const there = live?.get(policyId);
    const needsUpdate = live ? !there || !isSamePolicy(there, wanted) : isChanged;
    return reconcile(wanted, { policyId, needsUpdate, onGone: "recreate" });
  };
  // 1. What is there is brought up to date, what is missing is created.
  const tasks = [
    ...plan.kept.map((kept) => ({ key: kept.key, work: () => update(kept) })),
    ...plan.missing.map(({ key, wanted }) => ({ key, work: () => reconcile(wanted) })),
  ];
  note(await inFlight(mostInFlight, tasks, (task) => task.work()));
  // 2. What is in the way is deleted. Not before everything else is there, unless just that makes the room.
  const noRoom = plan.missing.filter(({ key }) => failed.get(key) instanceof QuotaExceededError);
  const mayDelete = failed.size === noRoom.length;
  const removed = new Set<string>();
  const left = new Map<string, unknown>();
  const deletions = mayDelete ? [...removals.keys()] : [];
  for (const { item, error } of await inFlight(mostInFlight, deletions, (policyId) =>
    zone.delete(policyId),
  )) {
    if (error === undefined) removed.add(item);
    else left.set(item, error);
  }
  // 3. Now there may be room.
  if (noRoom.length > 0 && removed.size > 0) {
    const message = `the zone had no room for ${noRoom.length} of the new policies, so the ${removed.size} old ones were deleted first, and the new ones are created in a second try.`;
    await zone.report(warningOn("", "csp-set-no-room", message), urn);
    note(await inFlight(mostInFlight, noRoom, ({ wanted }) => reconcile(wanted)));
  }
  return { settled, failed, removed, left };
}

/** The state after an update, whether all of it worked or only a part: by key, what is surely so. */
function recordsAfter(
  run: Run,
  zone: ZonePolicies,
  { policies }: Inputs,
  { kept, dropped }: SetPlan,
  { settled, removed }: Outcome,
  removals: Work["removals"],
): Map<string, PolicyRecord> {
  const records = new Map<string, PolicyRecord>();
  // What was dropped and could not be deleted yet has to be deleted by the next run.
  for (const old of dropped) {
    if (removals.has(old.policyId) && !removed.has(old.policyId)) records.set(old.key, asDeclared(old));
  }
  const before = new Map(kept.map(({ key, record }) => [key, record]));
  for (const [key, entry] of Object.entries(policies)) {
    const old = before.get(key);
    const policy = settled.get(key);
    if (policy) {
      const { policyId } = policy;
      // Deleted by someone and recreated: nothing of the old one counts.
      const same = old?.policyId === policyId ? recordedPolicy(old) : undefined;
      const { loggingSince: since, impact } = policyOutputs(run, zone, policy, same);
      records.set(key, { key, entry, policyId, since, impact });
    } else if (old) records.set(key, asDeclared(old));
  }
  return records;
}

/** As if it were declared under any other key. */
function asDeclared(record: PolicyRecord): PolicyRecord {
  const { entry, key } = record;
  return { ...record, entry: { ...entry, description: entry.description ?? key } };
}

/** How many failures are shown in full. */
const mostFailures = 5;

/** Why a set could not be brought to what is declared, by key. */
class SetIncompleteError extends CodedError {
  constructor({ failed, left }: Outcome, removals: Work["removals"], all: number) {
    const failures = [
      ...[...failed].map(([key, error]) => `${pathOf(key)}: ${messageOf(error)}`),
      ...[...left].map(
        ([policyId, error]) =>
          `the deletion of ${shown(removals.get(policyId) ?? policyId)}: ${messageOf(error)}`,
      ),
    ];
    const done = all - failed.size;
    super(
      "csp-set-incomplete",
      `Failed to make ${failures.length} of the set's changes: ${done} of ${all} policies are as declared. Fix the errors below, then run \`pulumi up\` again: it does the rest.\n${listed(failures, { most: mostFailures, separator: "\n" })}`,
    );
    this.name = "SetIncompleteError";
  }
}
