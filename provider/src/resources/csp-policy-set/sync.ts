import type { Policy } from "../../api/client-types";
import { isApiError, isObjectGone } from "../../errors/api-error";
import { CodedError } from "../../lifecycle/coded-error";
import { tell } from "../../lifecycle/findings-file";
import { inFlight } from "../../lifecycle/in-flight";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { warningOn } from "../../model/finding";
import { policyText } from "../../model/policies/policy-list";
import { pathOf } from "../../policies/at-key";
import { exactSetIn } from "../../policies/exact-sets";
import { ZonePolicies } from "../../policies/zone-policies";
import { messageOf } from "../../text/data";
import { listed, plural, shown } from "../../text/shown";
import { bodyAt, inMaps, type PolicyRecord, recordedPolicy } from "./entries";
import { isReleased, type Kept, planFor } from "./plan";
import { labelsOf, othersOf, undeclaredIn } from "./set-findings";
import type { Inputs, State } from "./state";

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
  const zone = new ZonePolicies(run, zoneId, inputs.connection);
  // 1. Observe, where the state alone can't tell. Meanwhile another resource may adopt what leaves the set.
  const isExact = othersOf(inputs) === "delete";
  const isIncomplete = state.incomplete === true;
  const list = isIncomplete || isExact ? await zone.list() : undefined;
  const plan = planFor(zone.ownership, urn, state, inputs);
  const { named, deleted } = exactSetIn(run, zoneId);
  const undeclared = list && isExact ? undeclaredIn(list, plan, state, zone.ownership, urn) : [];
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
  const update = async ({ record: { policyId }, wanted, isChanged }: Kept): Promise<Policy> => {
    const there = list?.get(policyId);
    // An attempt that was cut off may have left the zone behind the state, or before it.
    const isDue = isIncomplete ? !there || policyText(there) !== policyText(wanted) : isChanged;
    if (!isDue) return { ...wanted, policyId };
    return zone.update({ ...wanted, policyId }).catch((error: unknown) => {
      if (isObjectGone(error)) return zone.ensure(wanted, urn);
      throw error;
    });
  };
  const updates = plan.kept.map((kept): Task => ({ key: kept.key, work: () => update(kept) }));
  const creates = plan.missing.map(
    ({ key, wanted }): Task => ({ key, work: () => zone.ensure(wanted, urn) }),
  );
  await carryOut([...updates, ...creates]);
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
    await tell(run, warningOn("", "csp-set-no-room", message), { urn, zoneId });
    await carryOut(noRoom);
  }
  for (const { policyId } of undeclared) if (removed.has(policyId)) deleted.add(policyId);

  // 4. The new state, by key: of all, or of what is surely so.
  const records: PolicyRecord[] = [];
  const keepOld = (key: string, old: PolicyRecord) => {
    const { description } = bodyAt(old.key, old.entry);
    records.push({ ...old, key, entry: { ...old.entry, description } });
  };
  // What was dropped and could not be deleted yet has to be deleted by the next run.
  for (const old of plan.dropped)
    if (removals.has(old.policyId) && !removed.has(old.policyId)) keepOld(old.key, old);
  const before = new Map(plan.kept.map(({ key, record }) => [key, record]));
  for (const [key, entry] of Object.entries(inputs.policies)) {
    const old = before.get(key);
    const policy = settled.get(key);
    if (policy) {
      const { policyId } = policy;
      // Deleted by someone and recreated: nothing of the old one counts.
      const same = old?.policyId === policyId ? recordedPolicy(old) : undefined;
      const { loggingSince: since, impact } = zone.outputsOf(policy, same);
      records.push({ key, entry, policyId, since, impact });
    } else if (old) keepOld(key, old);
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
  const all = Object.keys(policies).length;
  const message = `Failed to make ${failures.length} of the set's changes: ${all - failed.size} of ${plural(all, "policy", "policies")} as declared. Fix the errors below, then run \`pulumi up\` again: it does the rest.\n${listed(failures, { most: 5, separator: "\n" })}`;
  const failure = new CodedError("csp-set-incomplete", message);
  const isNothingDone = records.length === 0 && Object.keys(state).length === 0;
  throw isNothingDone ? failure : new PartialFailureError(zoneId, after, failure);
}
