import type { PolicyBody } from "../../api/client-types";
import { isSameField } from "../compare";
import type { Properties } from "../properties";
import { declaredText } from "./declared-policy";

/** What makes a policy. */
export const policyFields = ["description", "action", "expression", "enabled", "value"] as const;

/** Names of the inputs of one policy whose meaning differs between what is recorded and what is declared. */
export function changedPolicyFields(recorded: Properties, declared: Properties): string[] {
  const meant = (policy: Properties, value: unknown): Properties => {
    return { ...policy, enabled: policy["enabled"] ?? true, value };
  };
  const was = meant(recorded, recorded["value"] ?? declaredText(recorded));
  const becomes = meant(declared, declaredText(declared));
  const changed = policyFields.filter((name) => !isSameField("policy", name, was[name], becomes[name]));
  return changed.map((name) =>
    name === "value" && declared["directives"] !== undefined ? "directives" : name,
  );
}

/** A policy as it is declared, in the words of the recorded one wherever they mean the same. */
export function policyInRecordedWords(old: Properties, declared: Properties): Properties {
  const named = (policy: Properties) => ({ ...policy, description: policy["description"] ?? "" });
  const changed = new Set(changedPolicyFields(named(old), named(declared)));
  const words: Record<string, unknown> = { ...declared };
  for (const field of [...policyFields, "directives"]) {
    const isInBoth = old[field] !== undefined && declared[field] !== undefined;
    if (isInBoth && !changed.has(field)) words[field] = old[field];
  }
  return words;
}

/** Whether two policies do the same under the same name, however they are spelled. */
export function isSamePolicy(left: PolicyBody, right: PolicyBody): boolean {
  return policyFields.every((name) => isSameField("policy", name, left[name], right[name]));
}

/** A service may store the ends of a text as it likes. */
export function sameDescription(left: string, right: string): boolean {
  return isSameField("policy", "description", left, right);
}

export function sameExpression(left: string, right: string): boolean {
  return isSameField("policy", "expression", left, right);
}
