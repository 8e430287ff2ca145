import type { Policy } from "../../api/client-types";
import { isApiError, isObjectGone } from "../../errors/api-error";
import { CodedError } from "../../lifecycle/coded-error";
import { tell } from "../../lifecycle/findings-file";
import { settleInFlight } from "../../lifecycle/in-flight";
import type { UpdateRequest } from "../../lifecycle/kind";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import { makeWarning } from "../../model/finding";
import { fillDescription, isReleased } from "../../model/policies/match-policies";
import { policyText } from "../../model/policies/policy-list";
import { readMessage } from "../../text/data";
import { clean, enumerate, pluralize } from "../../text/shown";
import { makePath } from "../csp-policy/zone-findings";
import { ZonePolicies } from "../csp-policy/zone-policies";
import { makeSetPlan, type PolicyRecord, recordedPolicy, splitIntoMaps, type Wanted } from "./plan";
import { findUndeclared, labelPolicies, readOthers } from "./set-findings";
import type { Inputs, State } from "./state";

/** Maximum number of requests that one set has in flight. The rate limit may reduce it. */
export const mostInFlight = 16;

/**
 * Brings the zone to the declared state and returns the new state. If a change fails, throws a PartialFailureError with the state
 * that was reached, or a plain error if there is no such state.
 */
export async function sync(request: UpdateRequest<Inputs, State>): Promise<State> {
  const { run, id: zoneId, state, inputs, urn } = request;
  const zone = new ZonePolicies(run, zoneId, inputs.connection);
  // 1. Observe the zone if the state is not enough. Plan only after this request: while it is under way, another resource may adopt
  // a policy that leaves the set.
  const deletesOthers = readOthers(inputs) === "delete";
  const isIncomplete = state.incomplete === true;
  const list = isIncomplete || deletesOthers ? await zone.list() : undefined;
  const plan = makeSetPlan(state, inputs, (policyId) => zone.ownership.belongsTo(policyId, urn));
  const undeclared = list && deletesOthers ? findUndeclared(list, plan, state, zone.ownership, urn) : [];
  const dropped = plan.dropped.filter(({ key }) => !isReleased(inputs.release, key));
  /**
   * Keys of the policies to delete, by id. For an undeclared policy, which has no key, the id is used as the key. An undeclared
   * policy that no finding has announced stays, because it appeared after the preview.
   */
  const removals = new Map([
    ...dropped.map(({ policyId, key }) => [policyId, key] as const),
    ...undeclared.flatMap(({ policyId }) =>
      zone.ownership.named.has(policyId) ? [[policyId, policyId] as const] : [],
    ),
  ]);

  // 2. Ensure: update the policies that exist, create those that are missing.
  const settle = async ({ wanted, record, isChanged }: Wanted): Promise<Policy> => {
    if (!record) return zone.ensure(wanted, urn);
    const policy = { ...wanted, policyId: record.policyId };
    const there = list?.get(record.policyId);
    // After an interrupted update, the zone may differ from the state, and the list may not show it yet.
    const isDue = isChanged || (isIncomplete && (!there || policyText(there) !== policyText(wanted)));
    if (!isDue) return policy;
    return zone.update(policy).catch((error: unknown) => {
      if (isObjectGone(error)) return zone.ensure(wanted, urn);
      throw error;
    });
  };
  const carryOut = async (some: readonly Wanted[]) =>
    (await settleInFlight(mostInFlight, some, settle)).map((done) => [done.item.key, done] as const);
  const settled = new Map(await carryOut([...plan.kept, ...plan.missing]));
  const failed = () => [...settled.values()].filter(({ error }) => error !== undefined);
  // 3. Delete once everything else exists. Delete earlier only if the zone has no room for the new policies.
  const noRoom = failed().flatMap(({ item, error }) =>
    !item.record && isApiError(error, "PG_QUOTA") ? [item] : [],
  );
  const deletions = failed().length === noRoom.length ? [...removals.keys()] : [];
  const ended = await settleInFlight(mostInFlight, deletions, (id) => zone.delete(id));
  const undeleted = new Map(ended.flatMap(({ item, error }) => (error === undefined ? [] : [[item, error]])));
  const removed = new Set(deletions.filter((id) => !undeleted.has(id)));
  if (noRoom.length > 0 && removed.size > 0) {
    const message = `the zone had no room for ${noRoom.length} of the new policies, so ${pluralize(removed.size, "old one was", "old ones were")} deleted first, and the new ones are created in a second attempt.`;
    await tell(run, makeWarning("", "csp-set-no-room", message), { urn, zoneId });
    for (const [key, done] of await carryOut(noRoom)) settled.set(key, done);
  }

  // 4. Build the new state from the changes that succeeded. Policies that could not be deleted stay in it.
  const asBefore = (key: string, old: PolicyRecord) => ({ ...old, key, policy: fillDescription(old) });
  const left = dropped.filter(({ policyId }) => !removed.has(policyId));
  const records: PolicyRecord[] = left.map((old) => asBefore(old.key, old));
  for (const [key, policy] of Object.entries(inputs.policies)) {
    const { item, result: live } = settled.get(key) ?? {};
    const old = item?.record;
    if (!live) {
      if (old) records.push(asBefore(key, old));
      continue;
    }
    const { policyId } = live;
    // The old outputs do not apply to a policy that was deleted by someone and recreated.
    const same = old?.policyId === policyId ? recordedPolicy(old) : undefined;
    const { loggingSince: since, impact } = await zone.makeOutputs(live, inputs.impact, same);
    records.push({ key, policy, policyId, since, impact });
  }
  const { impact: impactLevel, policies, ...settings } = inputs;
  const still = undeclared.filter(({ policyId }) => undeleted.has(policyId));
  const undeclaredOutput = readOthers(inputs) !== "keep" && { undeclared: labelPolicies(still) };
  const after = { ...settings, ...splitIntoMaps(records), impactLevel, ...undeclaredOutput };
  const failures = [
    ...failed().map(({ item: { key }, error }) => `${makePath(key)}: ${readMessage(error)}`),
    ...[...undeleted].map(
      ([id, error]) => `the deletion of ${clean(removals.get(id) ?? id)}: ${readMessage(error)}`,
    ),
  ];
  if (failures.length === 0) return after;
  const all = Object.keys(policies).length;
  const message = `Failed to make ${failures.length} of the set's changes: ${all - failed().length} of ${pluralize(all, "policy is", "policies are")} as declared. Fix the errors below, then run \`pulumi up\` again: it does the rest.\n${enumerate(failures, { most: 5, separator: "\n" })}`;
  const failure = new CodedError("csp-set-incomplete", message);
  const isNothingDone = records.length === 0 && Object.keys(state).length === 0;
  throw isNothingDone ? failure : new PartialFailureError(zoneId, after, failure);
}
