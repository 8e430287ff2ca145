import type { Policy } from "../../api/client-types";
import type { State } from "./state";

/** What JavaScript loses as a key. */
const lostName = "__proto__";

/**
 * What a set that is imported declares: all policies of the zone, each under its description, or under its id where that does
 * not tell it from the others.
 */
export function importedPolicies(policies: readonly Policy[]): Pick<State, "policies" | "policyIds"> {
  const keyOf = ({ description, policyId }: Policy): string => {
    const isUsable = description.trim() !== "" && description !== lostName;
    const isAlone = policies.filter((other) => other.description === description).length === 1;
    return isUsable && isAlone ? description : policyId;
  };
  const keyed = policies.map((policy) => [keyOf(policy), policy] as const);
  return {
    policies: Object.fromEntries(
      keyed.map(([key, { description }]) => [key, key === description ? {} : { description }]),
    ),
    policyIds: Object.fromEntries(keyed.map(([key, { policyId }]) => [key, policyId])),
  };
}
