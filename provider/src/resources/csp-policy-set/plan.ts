import type { PolicyBody } from "../../api/client-types";
import { findChangedPolicyFields, toBody } from "../../model/policies/declared-policy";
import { fillDescription, knownBody, matchPolicies } from "../../model/policies/match-policies";
import type { Properties } from "../../model/properties";
import { isUnknown } from "../../model/unknown";
import { makePath } from "../csp-policy/zone-findings";
import { keyedPolicies, type PolicyRecord, readEntry, readRecords } from "./entries";
import type { State } from "./state";

/** A declared policy. */
export interface Wanted {
  readonly key: string;
  readonly wanted: PolicyBody;
  /** The policy in the state, under its old key if it was renamed. Absent for a new policy. */
  readonly record?: PolicyRecord;
  readonly isChanged?: boolean;
}

export type SetPlan = ReturnType<typeof makeSetPlan>;

/**
 * Compares the declared policies with the state. Pure. `isOwn`: whether a policy in the state still belongs to the set. A policy
 * with unknown values is matched by its key only. If no policy in the state has this key, the policy is not in `missing`, but its
 * path is in `partlyUnknown`.
 */
export function makeSetPlan(
  state: State,
  { policies, release }: Properties,
  isOwn: (policyId: string) => boolean,
) {
  const records = readRecords(state);
  const own = records.filter(({ policyId }) => isOwn(policyId));
  // If `policies` itself is unknown, treat the policies in the state as declared. The program may declare others.
  const areAllUnknown = isUnknown(policies);
  const declared = areAllUnknown
    ? own.map(({ key }) => ({ key, policy: readEntry(policies) }))
    : keyedPolicies(policies);
  const { kept, missing, dropped } = matchPolicies(own, declared, release);
  const bodies = missing.map((one) => ({ key: one.key, wanted: knownBody(fillDescription(one)) }));
  return {
    kept: kept.map(({ record, now }) => {
      const [before, after] = [fillDescription(record), fillDescription(now)];
      const wanted = knownBody(after);
      const isChanged = !wanted || findChangedPolicyFields(before, after).length > 0;
      return { key: now.key, wanted: wanted ?? toBody(before), record, isChanged };
    }),
    missing: bodies.flatMap(({ key, wanted }) => (wanted ? [{ key, wanted }] : [])),
    dropped,
    /** Policies in the state that another resource owns or that this run has deleted. */
    lost: records.filter(({ policyId }) => !isOwn(policyId)),
    /** Paths of new policies with values that are unknown before the update. */
    partlyUnknown: areAllUnknown
      ? ["policies"]
      : bodies.flatMap(({ key, wanted }) => (wanted ? [] : [makePath(key)])),
  };
}
