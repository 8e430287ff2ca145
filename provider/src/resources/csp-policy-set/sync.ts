import { CodedError, messageOf } from "../../lifecycle/coded-error";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import type { PolicyClaims } from "../../policies/policy-claims";
import { policyOutputs } from "../../policies/policy-record";
import { zonePolicies } from "../../policies/zone-policies";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import { apply, type Outcome } from "./apply";
import { inMaps, type PolicyRecord, recordedPolicy } from "./entries";
import { type Observed, observe, type SetUpdate } from "./observe";
import { pathOf } from "./set-findings";
import type { Inputs, Released, State } from "./state";
import { labelsOf, othersOf } from "./undeclared";

/** Brings the zone to what is declared, and gives the state of it: of all, or of the part that is surely so. */
export async function sync(
  run: Run,
  zoneId: string,
  state: State,
  inputs: Inputs,
  urn: string,
): Promise<State> {
  const update = { run, zone: zonePolicies(run, zoneId, inputs.connection), state, inputs, urn };
  const observed = await observe(update);
  const outcome = await apply(update, observed);
  const after = record(update, observed, outcome);
  if (outcome.failed.size + outcome.left.size === 0) return after;
  // A part of it is recorded by key, so that the next run does the rest.
  const failure = new SetIncompleteError(outcome, Object.keys(inputs.policies).length);
  const isNothingDone = Object.keys(after.policyIds ?? {}).length === 0 && Object.keys(state).length === 0;
  throw isNothingDone ? failure : new PartialFailureError(zoneId, after, failure);
}

/** The state after an update, whether all of it worked or only a part: by key, what is surely so. */
function record({ run, zone, inputs }: SetUpdate, observed: Observed, outcome: Outcome): State {
  const { impact: impactLevel, policies, ...settings } = inputs;
  const { removed, handOvers } = outcome;
  const records = new Map<string, PolicyRecord>();
  // What was dropped and could not be deleted yet has to be deleted by the next run. What another resource has by now
  // is no longer in the plan, nor in the state: it would be taken for the set's own as soon as that one releases it.
  for (const old of observed.plan.dropped) {
    const isGone = removed.has(old.policyId) || handOvers.has(old.policyId);
    if (!isGone && !Object.hasOwn(policies, old.key)) records.set(old.key, asDeclared(old));
  }
  const before = new Map(observed.plan.kept.map((kept) => [kept.key, kept.record]));
  for (const [key, entry] of Object.entries(policies)) {
    const old = before.get(key);
    const policy = outcome.settled.get(key);
    if (policy) {
      const { policyId } = policy;
      // Deleted by someone and recreated: nothing of the old one counts.
      const same = old?.policyId === policyId ? recordedPolicy(old) : undefined;
      const { loggingSince: since, impact } = policyOutputs(run, zone.zoneId, policy, same);
      records.set(key, { key, entry, policyId, since, impact });
    } else if (old) records.set(key, asDeclared(old));
  }
  const released = releasedAfter(zone.claims, observed, outcome);
  const left = observed.undeclared.filter(({ policyId }) => outcome.left.has(policyId));
  return {
    ...settings,
    ...inMaps(records),
    ...(Object.keys(released).length > 0 && { released }),
    impactLevel,
    ...(othersOf(inputs) !== "keep" && { undeclared: labelsOf(left) }),
  };
}

/** What moves away stays in the state until another resource has it. */
function releasedAfter(
  claims: PolicyClaims,
  { list, siblings, stillReleased, toDelete }: Observed,
  { removed, handOvers }: Outcome,
): Released {
  const all: Released = { ...stillReleased };
  for (const [policyId, adopters] of Object.entries(toDelete))
    if (!handOvers.has(policyId) && !removed.has(policyId)) all[policyId] = adopters;
  for (const [policyId, adopters] of handOvers)
    if (!adopters.some((label) => siblings.isKept(label))) all[policyId] = siblings.digestsOf(adopters);
  const isOpen = (policyId: string) =>
    !claims.isHeld(policyId) && (!list || list.get(policyId) !== undefined);
  return Object.fromEntries(Object.entries(all).filter(([policyId]) => isOpen(policyId)));
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
