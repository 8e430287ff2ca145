import type { PolicyBody } from "../api/client-types";
import { normaliseExpression } from "../csp/expression/expression-tokens";
import { equalPolicies } from "../csp/syntax/equal";
import type { Properties } from "../lifecycle/kind";
import { declaredText } from "./declared-policy";

/** Names of the inputs of one policy whose meaning differs between what is recorded and what is declared. */
export function changedFields(recorded: Properties, declared: Properties): string[] {
  const changed = isSameText(recorded["description"], declared["description"], sameDescription)
    ? []
    : ["description"];
  if (recorded["action"] !== declared["action"]) changed.push("action");
  if (!isSameText(recorded["expression"], declared["expression"], sameExpression)) changed.push("expression");
  if ((recorded["enabled"] ?? true) !== (declared["enabled"] ?? true)) changed.push("enabled");
  if (!isSameText(recorded["value"] ?? declaredText(recorded), declaredText(declared), equalPolicies)) {
    changed.push(declared["directives"] === undefined ? "value" : "directives");
  }
  return changed;
}

/** Whether two policies do the same under the same name, however they are spelled. */
export function isSamePolicy(left: PolicyBody, right: PolicyBody): boolean {
  return (
    sameDescription(left.description, right.description) &&
    left.action === right.action &&
    left.enabled === right.enabled &&
    sameExpression(left.expression, right.expression) &&
    equalPolicies(left.value, right.value)
  );
}

/** A service may store the ends of a text as it likes. */
export function sameDescription(left: string, right: string): boolean {
  return left.trim() === right.trim();
}

export function sameExpression(left: string, right: string): boolean {
  return left === right || normaliseExpression(left) === normaliseExpression(right);
}

/** Of two values that are texts, or the same. */
export function isSameText(
  left: unknown,
  right: unknown,
  same: (left: string, right: string) => boolean,
): boolean {
  return left === right || (typeof left === "string" && typeof right === "string" && same(left, right));
}
