import { type Policy, type Rule, readDeclaredAs, urnParts } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";

/** Returns the description and id of a policy. The result is not escaped. */
export function policyLabel({ description, policyId }: Policy): string {
  return description.trim() === "" ? policyId : `"${description}" (${policyId})`;
}

/** Returns the description of a rule, or its action and expression if it has none, and its id. The result is not escaped. */
export function shortRuleLabel({ description = "", action, expression, id }: Rule): string {
  const name = description.trim() === "" ? `${action} if ${expression}` : `"${description}"`;
  return id === undefined ? name : `${name} (${id})`;
}

/** Returns the name of a resource in the program, such as `csp`. Safe to show. */
export function resourceName(urn: string): string {
  return urn === "" ? "the stack" : forTerminal(urnParts(urn).declaredName, 80);
}

/** Returns the name and kind of a resource, such as `csp (CspPolicy)`. Safe to show. */
export function resourceText(urn: string): string {
  if (urn === "") return "the stack";
  const [kind = ""] = readDeclaredAs(urn).split(" ");
  return `${resourceName(urn)} (${forTerminal(kind.split(":").at(-1) ?? "", 60)})`;
}
