import type { Policy } from "../api/client-types";
import type { Run } from "../lifecycle/run";
import {
  changedPolicyFields,
  type DeclaredPolicy,
  inRecordedWords,
  losslessDirectives,
  type RecordedPolicy,
} from "../model/policies/declared-policy";
import { type Logged, loggingSince } from "../model/policies/log-time";
import type { PolicyImpact } from "../model/policies/policy-impact";
import { impactKey, type ZonePolicies } from "./zone-policies";

/** What a state holds of a policy besides what is declared. `before`: of the same policy. */
export function policyOutputs(
  run: Run,
  zone: ZonePolicies,
  policy: Policy,
  before?: Logged & { readonly impact?: PolicyImpact | string | undefined },
) {
  // A change that blocks nothing else leaves the impact as it was found.
  const changed = before && changedPolicyFields({ ...before }, { ...policy });
  const isSame = changed?.every((field) => field === "description" || field === "enabled");
  const unchanged = isSame && typeof before?.impact === "object" ? before.impact : undefined;
  return {
    loggingSince: loggingSince(run.now(), before ?? {}, policy),
    impact: policy.action === "allow" ? (zone.impacts.get(impactKey(policy)) ?? unchanged) : undefined,
  };
}

/** The live policy in the words of the record, which has its text: a spelling that means the same is no drift. */
export function asDeclared(recorded: RecordedPolicy, live: Policy): DeclaredPolicy {
  const { policyId: _, value, enabled, ...words } = inRecordedWords(recorded, { ...live });
  // As directives, as long as they can say what the text says.
  const directives =
    recorded.directives && (value === recorded.value ? recorded.directives : losslessDirectives(live.value));
  return {
    ...words,
    enabled: recorded.enabled === undefined && enabled ? undefined : enabled,
    ...(directives ? { directives } : { value }),
  };
}
