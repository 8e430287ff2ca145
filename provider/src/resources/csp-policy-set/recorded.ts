import type { Policy } from "../../api/client-types";
import type { Run } from "../../lifecycle/run";
import { policyOutputs } from "../../policies/policy-record";
import type { Outcome } from "./apply";
import type { SetPlan } from "./plan";
import { inMaps, type PolicyRecord, recordedPolicy } from "./records";
import type { Inputs, RecordedEntry, Released, State } from "./state";

/** The state after an operation, whether all of it worked or only a part: by key, what is surely so. */
export function recordAfter(
  run: Run,
  inputs: Inputs,
  { kept, dropped }: SetPlan,
  outcome: Outcome,
  released: Released,
): State {
  const { impact: impactLevel, policies: declared, ...settings } = inputs;
  const records = new Map<string, PolicyRecord>();
  const before = new Map(kept.map(({ key, record }) => [key, record]));
  // What was dropped and could not be deleted yet has to be deleted by the next run. What another resource has by now
  // is no longer in the plan, nor in the state: it would be taken for the set's own as soon as that one releases it.
  for (const record of dropped) {
    const isDeleted = outcome.removed.has(record.policyId);
    if (!isDeleted && !Object.hasOwn(declared, record.key)) records.set(record.key, asDeclared(record));
  }
  for (const [key, entry] of Object.entries(declared)) {
    const old = before.get(key);
    const policy = outcome.settled.get(key);
    if (policy) records.set(key, { key, ...settledRecord(run, inputs.zoneId, entry, policy, old) });
    else if (old) records.set(key, asDeclared(old));
  }
  return {
    ...settings,
    ...inMaps(records),
    ...(Object.keys(released).length > 0 && { released }),
    impactLevel,
  };
}

/** As if it were declared under any other key. */
function asDeclared(record: PolicyRecord): PolicyRecord {
  const { entry, key } = record;
  return { ...record, entry: { ...entry, description: entry.description ?? key } };
}

function settledRecord(
  run: Run,
  zoneId: string,
  entry: RecordedEntry,
  policy: Policy,
  old: PolicyRecord | undefined,
): Omit<PolicyRecord, "key"> {
  const { policyId } = policy;
  // Deleted by someone and recreated: nothing of the old one counts.
  const before = old?.policyId === policyId ? recordedPolicy(old) : undefined;
  const { loggingSince: since, impact } = policyOutputs(run, zoneId, policy, before);
  return { entry, policyId, since, impact };
}
