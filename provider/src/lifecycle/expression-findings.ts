import { expressionFault } from "page-guard-csp";
import { type Finding, warningOn } from "./finding";
import { isUnknown } from "./unknown";

/**
 * What is surely wrong in a filter expression. A warning all the same: the language is the service's, and nothing that
 * it takes is to be refused here.
 */
export function expressionFindings(expression: unknown, property: string): Finding[] {
  if (typeof expression !== "string" || isUnknown(expression)) return [];
  const fault = expressionFault(expression);
  if (!fault) return [];
  const message = `the expression cannot be read: ${fault.reason}. The service would most likely refuse it in the update.`;
  return [{ ...warningOn(property, "expression-unreadable", message), place: `character ${fault.at + 1}` }];
}

/** What is wrong in the expressions of declared rules, whatever came; `property`: of the list. */
export function ruleExpressionFindings(rules: unknown, property: string): Finding[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown, index) =>
    expressionFindings(Reflect.get(Object(rule), "expression"), `${property}[${index}].expression`),
  );
}
