import type { Policy } from "../../api/client-types";
import { isApiError, isObjectGone } from "../../errors/api-error";
import { CodedError } from "../../errors/coded-error";
import { tell } from "../../lifecycle/findings-file";
import { type Settled, settleInFlight } from "../../lifecycle/in-flight";
import type { UpdateRequest } from "../../lifecycle/kind";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import { makeWarning } from "../../model/finding";
import { fillDescription, isReleased } from "../../model/policies/match-policies";
import { policyText } from "../../model/policies/policy-list";
import { readMessage } from "../../text/data";
import { clean, enumerate, pluralize } from "../../text/shown";
import { makePath } from "../csp-policy/zone-findings";
import { ZonePolicies } from "../csp-policy/zone-policies";
import { type PolicyRecord, recordedPolicy, splitIntoMaps } from "./entries";
import { makeSetPlan, type Wanted } from "./plan";
import { findUndeclared, labelPolicies, readOthers } from "./set-findings";
import type { Inputs, State } from "./state";

/** Maximum number of requests that one set has in flight. The rate limit may reduce it. */
export const mostInFlight = 16;

type SyncRequest = UpdateRequest<Inputs, State>;

/** The plan of an update, with the policies in the zone if they were read. */
type Work = Awaited<ReturnType<typeof observe>>;

/** The results for the declared policies, by key, and for the policies to delete, by id. */
interface Outcome {
  readonly settled: ReadonlyMap<string, Settled<Wanted, Policy>>;
  readonly removed: ReadonlySet<string>;
  readonly undeleted: ReadonlyMap<string, unknown>;
}

/**
 * Brings the zone to the declared state and returns the new state. If a change fails, throws a PartialFailureError with the state
 * that was reached, or a plain error if there is no such state.
 */
export async function sync(request: SyncRequest): Promise<State> {
  const { run, id: zoneId, state, inputs } = request;
  const zone = new ZonePolicies(run, zoneId, inputs.connection);
  const work = await observe(zone, request);
  const outcome = await carryOut(zone, work, request);
  const records = await makeRecords(zone, work, outcome, inputs);
  const { impact: impactLevel, policies: _, ...settings } = inputs;
  const still = work.undeclared.filter(({ policyId }) => outcome.undeleted.has(policyId));
  const undeclared = readOthers(inputs) !== "keep" && { undeclared: labelPolicies(still) };
  const after = { ...settings, ...splitIntoMaps(records), impactLevel, ...undeclared };
  const failure = findFailure(work, outcome, inputs);
  if (!failure) return after;
  const isNothingDone = records.length === 0 && Object.keys(state).length === 0;
  throw isNothingDone ? failure : new PartialFailureError(zoneId, after, failure);
}

/**
 * Plans the update. If the plan needs the policies in the zone, reads them before it plans: another resource may adopt a policy
 * that leaves the set while this request runs, and an earlier plan would miss that.
 */
async function observe(zone: ZonePolicies, { state, inputs, urn }: SyncRequest) {
  const { ownership } = zone;
  const deletesOthers = readOthers(inputs) === "delete";
  const isIncomplete = state.incomplete === true;
  const list = isIncomplete || deletesOthers ? await zone.list() : undefined;
  const plan = makeSetPlan(state, inputs, (policyId) => ownership.belongsTo(policyId, urn));
  const undeclared = list && deletesOthers ? findUndeclared(list, plan, state, ownership, urn) : [];
  const dropped = plan.dropped.filter(({ key }) => !isReleased(inputs.release, key));
  // An undeclared policy that no finding has announced stays, because it appeared after the preview.
  const announced = undeclared.filter(({ policyId }) => ownership.named.has(policyId));
  /** Names of the policies to delete, by id: a key, or the id of an undeclared policy. */
  const removals = new Map([
    ...dropped.map(({ policyId, key }) => [policyId, key] as const),
    ...announced.map(({ policyId }) => [policyId, policyId] as const),
  ]);
  return { list, plan, undeclared, dropped, removals, isIncomplete };
}

/** Creates and updates the declared policies, then deletes the others. Deletes first only if the zone has no room for new ones. */
async function carryOut(zone: ZonePolicies, work: Work, { run, id, urn }: SyncRequest): Promise<Outcome> {
  const { plan, removals } = work;
  const ensureAll = async (some: readonly Wanted[]) => {
    const all = await settleInFlight(mostInFlight, some, (one) => ensure(zone, work, one, urn));
    return all.map((done) => [done.item.key, done] as const);
  };
  const settled = new Map(await ensureAll([...plan.kept, ...plan.missing]));
  const failed = listFailed(settled);
  const noRoom = failed.flatMap(({ item, error }) =>
    !item.record && isApiError(error, "PG_QUOTA") ? [item] : [],
  );
  const deletions = failed.length === noRoom.length ? [...removals.keys()] : [];
  const ended = await settleInFlight(mostInFlight, deletions, (policyId) => zone.delete(policyId));
  const undeleted = new Map(ended.flatMap(({ item, error }) => (error === undefined ? [] : [[item, error]])));
  const removed = new Set(deletions.filter((policyId) => !undeleted.has(policyId)));
  if (noRoom.length > 0 && removed.size > 0) {
    const message = `the zone had no room for ${noRoom.length} of the new policies, so ${pluralize(removed.size, "old policy was", "old policies were")} deleted first. The new ones are now created in a second attempt.`;
    await tell(run, makeWarning("", "csp-set-no-room", message), { urn, zoneId: id });
    for (const [key, done] of await ensureAll(noRoom)) settled.set(key, done);
  }
  return { settled, removed, undeleted };
}

/** Creates a policy, or updates it if it differs from its declaration. */
async function ensure(
  zone: ZonePolicies,
  { list, isIncomplete }: Work,
  { wanted, record, isChanged }: Wanted,
  urn: string,
): Promise<Policy> {
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
}

/** Returns the policies of the new state. A policy that could not be changed or deleted stays in it as it was. */
async function makeRecords(
  zone: ZonePolicies,
  { dropped }: Work,
  { settled, removed }: Outcome,
  inputs: Inputs,
): Promise<PolicyRecord[]> {
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
  return records;
}

/** Returns the error that names the changes that failed; undefined if none failed. */
function findFailure(
  { removals }: Work,
  { settled, undeleted }: Outcome,
  { policies }: Inputs,
): Error | undefined {
  const failed = listFailed(settled);
  const failures = [
    ...failed.map(({ item: { key }, error }) => `${makePath(key)}: ${readMessage(error)}`),
    ...[...undeleted].map(
      ([id, error]) => `the deletion of ${clean(removals.get(id) ?? id)}: ${readMessage(error)}`,
    ),
  ];
  if (failures.length === 0) return undefined;
  const all = Object.keys(policies).length;
  const message = `Failed to make ${failures.length} of the set's changes: ${all - failed.length} of ${pluralize(all, "policy is", "policies are")} as declared. Fix the errors below, then run \`pulumi up\` again: it does the rest.\n${enumerate(failures, { most: 5, separator: "\n" })}`;
  return new CodedError("csp-set-incomplete", message);
}

function listFailed(settled: Outcome["settled"]) {
  return [...settled.values()].filter(({ error }) => error !== undefined);
}
