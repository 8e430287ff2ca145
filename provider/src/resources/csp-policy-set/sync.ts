import { CodedError, messageOf } from "../../lifecycle/coded-error";
import type { Finding } from "../../lifecycle/finding";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { tell } from "../../lifecycle/tell";
import type { PolicyClaims } from "../../policies/policy-claims";
import { makeRoom } from "../../policies/room";
import { zonePolicies } from "../../policies/zone-policies";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import { apply, type Outcome, type Removal } from "./apply";
import { allPoliciesBeside, handedOver, planInZone, policiesBeside } from "./beside";
import { planFor } from "./plan";
import { recordAfter } from "./recorded";
import { releasedNow, releasedThere } from "./released";
import { pathOf } from "./set-findings";
import type { Inputs, Released, State } from "./state";
import { labelsOf, othersOf, undeclaredIn } from "./undeclared";

/** Brings the zone to what is declared, and gives the record of it: of all, or of the part that is surely so. */
export async function sync(
  run: Run,
  zoneId: string,
  state: State,
  inputs: Inputs,
  urn: string,
): Promise<State> {
  const zone = zonePolicies(run, zoneId, inputs.connection);
  const { claims } = zone;
  const planned = () => planFor(claims, urn, state, inputs);
  // 1. Observe, where the record alone can't tell.
  const releases = planned().dropped.length > 0 || state.released !== undefined;
  const beside = await (releases ? allPoliciesBeside : policiesBeside)(run, urn, zoneId);
  const known = planned();
  const others = othersOf(inputs);
  const isLeaving = known.dropped.length > 0 || releasedNow(state, beside, claims).needsUpdate;
  const needsList =
    known.missing.length > 0 ||
    state.incomplete === true ||
    others === "delete" ||
    (isLeaving && beside.known.size > 0);
  const list = needsList ? await zone.list() : undefined;
  const there = list ? { ...state, released: await releasedThere(zone, state) } : state;
  // By now another resource may have adopted what leaves the set.
  const first = planned();
  const { waiting, due } = releasedNow(there, beside, claims, list);
  for (const [policyId, labels] of Object.entries(waiting))
    claims.release(policyId, urn, Object.keys(labels));
  const { plan, handed: wanted } = list
    ? planInZone(first, list, due, beside, claims)
    : { plan: first, handed: new Map<string, string[]>() };
  let handed = wanted;
  // No one may adopt what continues under another key; anyone what moves away.
  for (const { key, record } of plan.kept)
    if (!claims.isHeld(record.policyId)) claims.take(record.policyId, urn, key);
  for (const [policyId, takers] of handed) claims.release(policyId, urn, takers);
  const undeclared =
    list && others === "delete"
      ? undeclaredIn(list, plan, claims, state).filter(({ policyId }) =>
          claims.isNamedForDeletion(policyId, urn),
        )
      : [];
  for (const policyId of Object.keys(due)) if (!handed.has(policyId)) claims.release(policyId, urn, []);
  const unnamed = [...Object.keys(due), ...undeclared.map(({ policyId }) => policyId)];
  const removals = async (): Promise<Removal[]> => {
    if (list && handed.size > 0) {
      await takersSeen(run, claims, [...handed.values()].flat());
      handed = handedOver([...handed.keys()], list, beside, claims);
    }
    const going = [
      ...plan.dropped.map(({ key, policyId }) => ({ name: key, policyId })),
      ...unnamed.map((policyId) => ({ name: policyId, policyId })),
    ];
    return going.filter(({ policyId }) => !handed.has(policyId));
  };
  // 2. Ensure and sync.
  const warn = (finding: Finding) => tell(run, finding, { urn, zoneId });
  const outcome = await apply({
    zone,
    plan,
    live: state.incomplete === true ? list : undefined,
    removals,
    urn,
    reserved: (wanted) => beside.lacking(wanted).filter(({ isInSet }) => !isInSet).length,
    makeRoom: (wanted) => makeRoom(zone, wanted, { urn, isAllSeen: beside.areAllSeen(), warn }),
    warn,
  });
  // What moves away stays in the state until another resource has it.
  if (handed.size > 0) await zone.untilChangesSettle();
  const stays = [
    ...Object.entries(waiting),
    ...Object.entries(due).filter(([policyId]) => !handed.has(policyId) && !outcome.removed.has(policyId)),
    ...[...handed].flatMap(([policyId, takers]): [string, Record<string, string>][] =>
      takers.some((label) => beside.isKept(label)) ? [] : [[policyId, beside.digestsOf(takers)]],
    ),
  ];
  const released: Released = Object.fromEntries(
    stays.filter(
      ([policyId]) => !claims.isHeld(policyId) && (list === undefined || list.get(policyId) !== undefined),
    ),
  );
  const dropped = plan.dropped.filter(({ policyId }) => !handed.has(policyId));
  const record = recordAfter(run, inputs, { ...plan, dropped }, outcome, released);
  const after =
    others === "keep"
      ? record
      : { ...record, undeclared: labelsOf(undeclared.filter(({ policyId }) => outcome.left.has(policyId))) };
  if (outcome.failed.size + outcome.left.size === 0) return after;
  // 3. A part of it: recorded by key, so that the next run does the rest.
  const failure = new SetIncompleteError(outcome, Object.keys(inputs.policies).length);
  const isNothingDone = Object.keys(record.policyIds ?? {}).length === 0 && Object.keys(state).length === 0;
  if (isNothingDone) throw failure;
  throw new PartialFailureError(zoneId, after, failure);
}

/** How long an update waits for those that are to adopt a policy. They are mostly compared or created at the same time. */
const patienceMs = 5_000;
const lookMs = 50;

/** Until all takers are known to hold a policy, or the time is up. */
async function takersSeen(run: Run, claims: PolicyClaims, labels: readonly string[]): Promise<void> {
  for (let waited = 0; waited < patienceMs; waited += lookMs) {
    if (labels.every((label) => claims.heldBy(label) !== undefined)) return;
    await run.sleep(lookMs);
  }
}

/** How many failures are shown in full. */
const mostFailures = 5;

/** Why a set could not be brought to what is declared, by key. */
class SetIncompleteError extends CodedError {
  constructor({ failed, left }: Outcome, all: number) {
    const failures = [
      ...[...failed].map(([key, error]) => `${pathOf(key)}: ${messageOf(error)}`),
      ...[...left.values()].map(({ name, error }) => `the deletion of ${shown(name)}: ${messageOf(error)}`),
    ];
    const done = all - failed.size;
    super(
      "csp-set-incomplete",
      `Failed to make ${failures.length} of the set's changes: ${done} of ${all} policies are as declared. Fix the errors below, then run \`pulumi up\` again: it does the rest.\n${listed(failures, { most: mostFailures, separator: "\n" })}`,
    );
    this.name = "SetIncompleteError";
  }
}
