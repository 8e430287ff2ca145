import type { Rule } from "../../../../provider/src/api/client-types";

/** A rule as a program declares it. */
export function rule(description: string, more: Partial<Rule> = {}): Rule {
  return { action: "skip", expression: "true", description, ...more };
}

/** A rule of a zone: the service makes the id the `ref` of one that got none. */
export function listed(description: string, id: string, more: Partial<Rule> = {}): Rule {
  return rule(description, { id, ref: id, ...more });
}

export function inList(...rules: Rule[]): { rules: Rule[] } {
  return { rules };
}
