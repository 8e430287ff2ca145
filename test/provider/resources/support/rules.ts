import type { Rule } from "../../../../provider/src/api/client-types";

/** Returns a rule in the client's form without an id. */
export function rule(description: string, more: Partial<Rule> = {}): Rule {
  return { action: "skip", expression: "true", description, ...more };
}

/** Returns a rule of a zone. Like the service, uses the id as the `ref` of a rule that was sent without one. */
export function listed(description: string, id: string, more: Partial<Rule> = {}): Rule {
  return rule(description, { id, ref: id, ...more });
}

export function inList(...rules: Rule[]): { rules: Rule[] } {
  return { rules };
}
