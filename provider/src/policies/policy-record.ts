import { equalPolicies } from "page-guard-csp";
import type { Policy } from "../api/client-types";
import type { Run } from "../lifecycle/run";
import {
  type DeclaredPolicy,
  losslessDirectives,
  type RecordedPolicy,
} from "../model/policies/declared-policy";
import { sameDescription, sameExpression } from "../model/policies/equal-policy";
import { type Logged, loggingSince, reports } from "../model/policies/log-time";
import type { PolicyImpact } from "../model/policies/policy-impact";
import type { ZonePolicies } from "./zone-policies";

/** What a state holds of a policy besides what is declared. `before`: of the same policy. */
export function policyOutputs(
  run: Run,
  zone: ZonePolicies,
  policy: Policy,
  before?: Logged & { readonly impact?: PolicyImpact | string | undefined },
) {
  // A change that blocks nothing else leaves the impact as it was found.
  const isSame =
    before?.action === policy.action &&
    sameExpression(before.expression ?? "", policy.expression) &&
    equalPolicies(before.value ?? "", policy.value);
  const unchanged = isSame && typeof before.impact === "object" ? before.impact : undefined;
  const isNewLog = reports(policy.action) && policy.enabled;
  return {
    loggingSince: before
      ? loggingSince(run.now(), before, policy)
      : isNewLog
        ? new Date(run.now()).toISOString()
        : undefined,
    impact: policy.action === "allow" ? (zone.impactOf(policy) ?? unchanged) : undefined,
  };
}

/** The live policy in the words of the record: a spelling that means the same is no drift. */
export function asDeclared(recorded: RecordedPolicy, text: string, live: Policy): DeclaredPolicy {
  const { description = "", expression = "", enabled } = recorded;
  const isSameText = equalPolicies(text, live.value);
  // As directives, as long as they can say what the text says.
  const directives =
    recorded.directives && (isSameText ? recorded.directives : losslessDirectives(live.value));
  return {
    description: sameDescription(description, live.description) ? description : live.description,
    action: live.action,
    expression: sameExpression(expression, live.expression) ? expression : live.expression,
    enabled: enabled === undefined && live.enabled ? undefined : live.enabled,
    ...(directives ? { directives } : { value: isSameText ? text : live.value }),
  };
}
