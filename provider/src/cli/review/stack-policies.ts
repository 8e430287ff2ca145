import { recordIn, stringIn } from "../values";
import type { Values } from "./preview-read";

/** A step of a preview, or of an approval. */
export interface PolicyStep {
  readonly op: string;
  readonly kind: string | undefined;
  readonly id?: string | undefined;
  readonly before?: Values | undefined;
  readonly after?: Values | undefined;
  readonly recorded?: Values | undefined;
  readonly isRetained?: boolean | undefined;
}

/** A policy of a `CspPolicy`, or one of a `CspPolicySet`. */
export interface StackPolicy {
  /** Its key in a set; empty for a `CspPolicy`. */
  readonly key: string;
  readonly values: Values;
}

export interface RecordedPolicy extends StackPolicy {
  readonly id: string | undefined;
  /** `left`: it stays without its resource. `unknown`: nobody knows which policies will be declared. */
  readonly fate: "kept" | "left" | "deleted" | "unknown";
}

/** The policies in the inputs or outputs of a resource. */
export function policiesIn(kind: string | undefined, values: Values | undefined): StackPolicy[] {
  if (values === undefined) return [];
  if (kind === "CspPolicy") return [{ key: "", values }];
  if (kind !== "CspPolicySet") return [];
  const { onDestroy } = values;
  return Object.entries(recordIn(values["policies"])).map(([key, entry]) => ({
    key,
    values: { description: key, ...recordIn(entry), onDestroy },
  }));
}

/** The policies that a resource has in the state, and what the step does to each. */
export function recordedPolicies(step: PolicyStep): RecordedPolicy[] {
  const { op, kind, id = "", before, after, recorded, isRetained } = step;
  if (op === "create") return [];
  const was: Values = { ...before, ...recorded };
  const ids = recordIn(was["policyIds"]);
  const { policies = ids } = was;
  const declared = after?.["policies"];
  const fateOf = (key: string): RecordedPolicy["fate"] => {
    if (op === "delete" || op === "replace")
      return isRetained || was["onDestroy"] === "keep" ? "left" : "deleted";
    if (kind === "CspPolicy" || Object.hasOwn(recordIn(declared), key)) return "kept";
    return typeof declared === "object" ? "deleted" : "unknown";
  };
  const idOf = (key: string): unknown =>
    kind === "CspPolicy" ? (was["policyId"] ?? id.split("/")[1]) : Object.hasOwn(ids, key) && ids[key];
  return policiesIn(kind, { ...was, policies }).map((policy) => ({
    ...policy,
    id: stringIn(idOf(policy.key)),
    fate: fateOf(policy.key),
  }));
}
