import { expressionFault } from "page-guard-csp";
import { errorOn, type Finding } from "./finding";
import { isUnknown } from "./unknown";

/** What is surely wrong in a filter expression: the service refuses it. What is only not known here is none. */
export function expressionFindings(expression: unknown, property: string): Finding[] {
  if (typeof expression !== "string" || isUnknown(expression)) return [];
  const fault = expressionFault(expression);
  if (!fault) return [];
  const message = `the expression cannot be read: ${fault.reason}.`;
  return [{ ...errorOn(property, "expression-unreadable", message), place: `character ${fault.at + 1}` }];
}

/** What is wrong in the expressions of declared rules, whatever came; `property`: of the list. */
export function ruleExpressionFindings(rules: unknown, property: string): Finding[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown, index) =>
    expressionFindings(Reflect.get(Object(rule), "expression"), `${property}[${index}].expression`),
  );
}
