import type { Policy, Rule } from "pulumi-page-guard/tools";

/** By its description and id. Not escaped. */
export function policyLabel({ description, policyId }: Policy): string {
  return description.trim() === "" ? policyId : `"${description}" (${policyId})`;
}

/** Shorter than `ruleLabel`, which names what the rule does, too. Not escaped. */
export function shortRuleLabel({ description = "", action, expression, id }: Rule): string {
  const name = description.trim() === "" ? `${action} if ${expression}` : `"${description}"`;
  return id === undefined ? name : `${name} (${id})`;
}
