import type { Policy } from "../../api/client-types";
import { isApiError } from "../../errors/api-error";
import { CodedError } from "../../lifecycle/coded-error";
import { inFlight } from "../../lifecycle/in-flight";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { warningOn } from "../../model/finding";
import { isSamePolicy } from "../../model/policies/equal-policy";
import { pathOf } from "../../policies/at-key";
import { deletionsOf } from "../../policies/exact-sets";
import { policyOutputs } from "../../policies/policy-record";
import { reconcilePolicy } from "../../policies/reconcile-policy";
import { zonePolicies } from "../../policies/zone-policies";
import { messageOf } from "../../text/data";
import { listed, plural, shown } from "../../text/shown";
import { inMaps, type PolicyRecord, recordedPolicy } from "./entries";
import { isReleased, type Kept, planFor } from "./plan";
import type { Inputs, State } from "./state";
import { labelsOf, othersOf, undeclaredIn } from "./undeclared";

/** Requests of one set that are under way at a time; the rate limit may let fewer. */
export const mostInFlight = 16;

interface Task {
  readonly key: string;
  readonly work: () => Promise<Policy>;
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
  /** Policies to delete, by id, with their names in the program or the zone. What no finding has named has come since. */
  const removals = new Map<string, string>();
  for (const { key, policyId } of plan.dropped)
    if (!isReleased(inputs.release, key)) removals.set(policyId, key);
  for (const { policyId } of undeclared) if (named.has(policyId)) removals.set(policyId, policyId);

  // 2. Ensure: what is there is brought up to date, what is missing is created.
  const settled = new Map<string, Policy>();
  const failed = new Map<string, unknown>();
  const carryOut = async (tasks: readonly Task[]): Promise<void> => {
    for (const { item, result, error } of await inFlight(mostInFlight, tasks, ({ work }) => work())) {
      failed.delete(item.key);
      if (result) settled.set(item.key, result);
      else failed.set(item.key, error);
    }
  };
  const update = ({ record: { policyId }, wanted, isChanged }: Kept) => {
    const there = list?.get(policyId);
    // An attempt that was cut off may have left the zone behind the state, or before it.
    const needsUpdate = isIncomplete ? !there || !isSamePolicy(there, wanted) : isChanged;
    return reconcilePolicy({ zone, body: wanted, urn }, { policyId, needsUpdate, onGone: "recreate" });
  };
  const creates = plan.missing.map(
    ({ key, wanted }): Task => ({ key, work: () => reconcilePolicy({ zone, body: wanted, urn }) }),
  );
  await carryOut([...plan.kept.map((kept) => ({ key: kept.key, work: () => update(kept) })), ...creates]);
  // 3. What is in the way is deleted: not before everything else is there, unless just that makes the room.
  const noRoom = creates.filter(({ key }) => isApiError(failed.get(key), "PG_QUOTA"));
  const removed = new Set<string>();
  const left = new Map<string, unknown>();
  const deletions = failed.size === noRoom.length ? [...removals.keys()] : [];
  for (const { item, error } of await inFlight(mostInFlight, deletions, (id) => zone.delete(id))) {
    if (error === undefined) removed.add(item);
    else left.set(item, error);
  }
  if (noRoom.length > 0 && removed.size > 0) {
    const message = `the zone had no room for ${noRoom.length} of the new policies, so the ${removed.size} old ones were deleted first, and the new ones are created in a second try.`;
    await zone.report(warningOn("", "csp-set-no-room", message), urn);
    await carryOut(noRoom);
  }
  for (const { policyId } of undeclared) if (removed.has(policyId)) deleted.add(policyId);

  // 4. The new state, by key: of all, or of what is surely so.
  const records = new Map<string, PolicyRecord>();
  // What was dropped and could not be deleted yet has to be deleted by the next run.
  for (const old of plan.dropped)
    if (removals.has(old.policyId) && !removed.has(old.policyId)) records.set(old.key, underAnyKey(old));
  const before = new Map(plan.kept.map(({ key, record }) => [key, record]));
  for (const [key, entry] of Object.entries(inputs.policies)) {
    const old = before.get(key);
    const policy = settled.get(key);
    if (policy) {
      const { policyId } = policy;
      // Deleted by someone and recreated: nothing of the old one counts.
      const same = old?.policyId === policyId ? recordedPolicy(old) : undefined;
      const { loggingSince: since, impact } = policyOutputs(run, zone, policy, same);
      records.set(key, { key, entry, policyId, since, impact });
    } else if (old) records.set(key, underAnyKey(old));
  }
  const { impact: impactLevel, policies, ...settings } = inputs;
  const still = othersOf(inputs) !== "keep" && {
    undeclared: labelsOf(undeclared.filter(({ policyId }) => left.has(policyId))),
  };
  const after = { ...settings, ...inMaps(records), impactLevel, ...still };
  if (failed.size + left.size === 0) return after;
  const failures = [
    ...[...failed].map(([key, error]) => `${pathOf(key)}: ${messageOf(error)}`),
    ...[...left].map(
      ([id, error]) => `the deletion of ${shown(removals.get(id) ?? id)}: ${messageOf(error)}`,
    ),
  ];
  const failure = incomplete(failures, Object.keys(policies).length, failed.size);
  const isNothingDone = records.size === 0 && Object.keys(state).length === 0;
  throw isNothingDone ? failure : new PartialFailureError(zoneId, after, failure);
}

function underAnyKey(record: PolicyRecord): PolicyRecord {
  const { entry, key } = record;
  return { ...record, entry: { ...entry, description: entry.description ?? key } };
}

/** Why a set could not be brought to what is declared, by key. */
function incomplete(failures: readonly string[], all: number, failed: number): CodedError {
  const message = `Failed to make ${failures.length} of the set's changes: ${all - failed} of ${plural(all, "policy", "policies")} as declared. Fix the errors below, then run \`pulumi up\` again: it does the rest.\n${listed(failures, { most: 5, separator: "\n" })}`;
  return new CodedError("csp-set-incomplete", message);
}
