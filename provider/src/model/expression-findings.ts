import { expressionFault, impossibleHosts } from "page-guard-csp";
import { type Finding, makeError, makeWarning } from "./finding";
import { isText } from "./unknown";

/** Returns an error if the service certainly refuses the expression; otherwise warnings about hosts that match no request. */
export function expressionFindings(expression: unknown, property: string): Finding[] {
  if (!isText(expression)) return [];
  const fault = expressionFault(expression);
  const placed = (finding: Finding, at: number) => ({ ...finding, place: `character ${at + 1}` });
  if (fault) {
    const message = `the expression cannot be read: ${fault.reason}.`;
    return [placed(makeError(property, "expression-unreadable", message), fault.at)];
  }
  return impossibleHosts(expression).map(({ reason, at }) =>
    placed(makeWarning(property, "expression-impossible-host", `${reason}.`), at),
  );
}

/** Returns findings about the expressions of declared rules, even of rules that are not valid. `property`: path of the list. */
export function ruleExpressionFindings(rules: unknown, property: string): Finding[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown, index) =>
    expressionFindings(Reflect.get(Object(rule), "expression"), `${property}[${index}].expression`),
  );
}
