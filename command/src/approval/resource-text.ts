import { declaredKind, declaredNameIn, kindOf, urnParts } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";

/** `csp`. Safe to show. */
export function resourceName(urn: string): string {
  return urn === "" ? "the stack" : forTerminal(declaredNameIn(urn), 80);
}

/** `csp (CspPolicy)`. Safe to show. */
export function resourceText(urn: string, type = urnParts(urn).type): string {
  if (urn === "") return "the stack";
  const ours = kindOf(type);
  const kind = ours === undefined ? (type.split(":").at(-1) ?? "") : declaredKind(ours);
  return `${resourceName(urn)} (${forTerminal(kind, 60)})`;
}
