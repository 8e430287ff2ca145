import type { PolicyClaims } from "../../policies/policy-claims";
import type { PolicyList } from "../../policies/policy-list";
import { handedOver, type PoliciesBeside } from "./beside";
import { type Plan, withRenames } from "./plan";
import type { Released } from "./released";
import type { Entry, State } from "./state";

/** What is known of a set and its zone when a plan is made. */
export interface Known {
  readonly state: State;
  readonly declared: Readonly<Record<string, Entry>>;
  readonly due: Released;
  readonly beside: PoliciesBeside;
  readonly claims: PolicyClaims;
}

/** A plan as the zone and the rest of the program make it: which policies only have another key, and which move away. */
export function planInZone(
  plan: Plan,
  list: PolicyList,
  { state, declared, due, beside, claims }: Known,
): { readonly plan: Plan; readonly handed: ReadonlyMap<string, string[]> } {
  const leaving = [...plan.dropped.map(({ policyId }) => policyId), ...Object.keys(due)];
  const handed = handedOver(leaving, list, beside, claims);
  const own = new Set(leaving);
  const renamed = withRenames(plan, state.policies ?? {}, declared, {
    isThere(wanted) {
      const free = list
        .equalTo(wanted)
        .filter(({ policyId }) => claims.isFree(policyId) && !own.has(policyId));
      return free.length > beside.lacking(wanted).length;
    },
    isWanted: (policyId) => handed.has(policyId),
  });
  return { plan: renamed, handed };
}
