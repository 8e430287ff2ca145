import { expressionFindings } from "../lifecycle/expression-findings";
import type { Finding } from "../lifecycle/finding";

/** What is wrong in the expressions of declared rules, whatever came; `property`: of the list. */
export function ruleExpressionFindings(rules: unknown, property: string): Finding[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown, index) =>
    expressionFindings(Reflect.get(Object(rule), "expression"), `${property}[${index}].expression`),
  );
}
