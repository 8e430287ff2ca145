import type { Policy } from "../../api/client-types";
import type { Run } from "../../lifecycle/run";
import { bodyOf } from "../../policies/declared-policy";
import type { PolicyImpact } from "../../policies/policy-impact";
import { policyOutputs } from "../../policies/policy-record";
import type { Outcome } from "./apply";
import { atKey } from "./by-key";
import type { SetPlan } from "./plan";
import type { Released } from "./released";
import type { Inputs, RecordedEntry, State } from "./state";

/** What is known of one policy of the set. */
interface PolicyRecord {
  readonly entry: RecordedEntry;
  readonly policyId: string;
  readonly since: string | undefined;
  readonly impact: PolicyImpact | undefined;
}

/** The state after an operation, whether all of it worked or only a part: by key, what is surely so. */
export function recordAfter(
  run: Run,
  inputs: Inputs,
  before: State,
  { kept, dropped }: SetPlan,
  outcome: Outcome,
  released: Released,
): State {
  const { impact: impactLevel, policies: declared, ...settings } = inputs;
  const records = new Map<string, PolicyRecord>();
  const keyBefore = new Map(kept.map(({ key, recordedKey }) => [key, recordedKey]));
  // What was dropped and could not be deleted yet has to be deleted by the next run. What another resource has by now
  // is no longer in the plan, nor in the state: it would be taken for the set's own as soon as that one releases it.
  for (const { key, policyId } of dropped) {
    const old = recordOf(before, key);
    if (old && !outcome.removed.has(policyId) && !Object.hasOwn(declared, key)) records.set(key, old);
  }
  for (const [key, entry] of Object.entries(declared)) {
    const from = keyBefore.get(key);
    const old = from === undefined ? undefined : recordOf(before, from);
    const policy = outcome.settled.get(key);
    if (policy) records.set(key, settledRecord(run, inputs.zoneId, entry, policy, old));
    else if (old) records.set(key, old);
  }
  return {
    ...settings,
    ...inMaps(records),
    ...(Object.keys(released).length > 0 && { released }),
    impactLevel,
  };
}

function settledRecord(
  run: Run,
  zoneId: string,
  entry: RecordedEntry,
  policy: Policy,
  old: PolicyRecord | undefined,
): PolicyRecord {
  const { policyId } = policy;
  // Deleted by someone and recreated: nothing of the old one counts.
  const same = old?.policyId === policyId ? old : undefined;
  const before = same && {
    ...same.entry,
    value: textOf(same.entry),
    loggingSince: same.since,
    impact: same.impact,
  };
  const { loggingSince: since, impact } = policyOutputs(run, zoneId, policy, before);
  return { entry, policyId, since, impact };
}

/** The record of one key, as if it were declared under any other. */
function recordOf(
  { policies, policyIds, loggingSince: since, impact }: State,
  key: string,
): PolicyRecord | undefined {
  const entry = atKey(policies, key);
  const policyId = atKey(policyIds, key);
  if (!entry || policyId === undefined) return undefined;
  return {
    entry: { ...entry, description: entry.description ?? key },
    policyId,
    since: atKey(since, key),
    impact: typeof impact === "object" ? atKey(impact, key) : undefined,
  };
}

export function textOf({ value, directives }: RecordedEntry): string {
  const rest = { description: "", action: "", expression: "" };
  return bodyOf({ ...rest, value, directives }).value;
}

function inMaps(
  records: ReadonlyMap<string, PolicyRecord>,
): Pick<State, "policies" | "policyIds" | "loggingSince" | "impact"> {
  const pick = <T>(of: (record: PolicyRecord) => T | undefined): Record<string, T> => {
    const found = [...records].flatMap(([key, record]): [string, T][] => {
      const value = of(record);
      return value === undefined ? [] : [[key, value]];
    });
    return Object.fromEntries(found);
  };
  return {
    policies: pick(({ entry }) => entry),
    policyIds: pick(({ policyId }) => policyId),
    loggingSince: pick(({ since }) => since),
    impact: pick(({ impact }) => impact && { ...impact, hosts: { ...impact.hosts } }),
  };
}
