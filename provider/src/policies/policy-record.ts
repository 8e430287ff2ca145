import type { Policy } from "../api/client-types";
import { equalPolicies } from "../csp/syntax/equal";
import type { Run } from "../lifecycle/run";
import { sameExpression } from "./equal-policy";
import { type Logged, loggingSince, reports } from "./log-time";
import type { PolicyImpact } from "./policy-impact";
import { zonePolicies } from "./zone-policies";

interface Outputs {
  readonly loggingSince: string | undefined;
  readonly impact: PolicyImpact | undefined;
}

/** What a state holds of a policy besides what is declared. `before`: of the same policy. */
export function policyOutputs(
  run: Run,
  zoneId: string,
  policy: Policy,
  before?: Logged & { readonly impact?: PolicyImpact | undefined },
): Outputs {
  const zone = zonePolicies(run, zoneId);
  const first = zone.claims.loggingOf(policy.policyId) ?? new Date(run.now()).toISOString();
  // A change that blocks nothing else leaves the impact as it was found.
  const isSame =
    before?.action === policy.action &&
    sameExpression(before.expression ?? "", policy.expression) &&
    equalPolicies(before.value ?? "", policy.value);
  const isNewLog = reports(policy.action) && policy.enabled;
  return {
    loggingSince: before ? loggingSince(run.now(), before, policy) : isNewLog ? first : undefined,
    impact:
      policy.action === "allow" ? (zone.impactOf(policy) ?? (isSame ? before.impact : undefined)) : undefined,
  };
}
