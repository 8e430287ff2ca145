import { build, type Directives, equalPolicies, parse, toDirectives } from "page-guard-csp";
import type * as z from "zod";
import type { Policy, PolicyBody } from "../../api/client-types";
import { isSameField } from "../compare";
import type { Properties } from "../properties";
import { containsUnknown } from "../unknown";
import { type declaredPolicySchema, policyShape } from "./policy-inputs";

/** A policy in the form of a declaration, without unknown values. Its `action` may be one that this package does not know. */
type DeclaredPolicy = Omit<z.output<typeof declaredPolicySchema>, "action"> & { action: string };

/** A policy in the state. Fields may be missing if the state is old or incomplete. */
export type RecordedPolicy = {
  readonly [Name in keyof DeclaredPolicy]?: DeclaredPolicy[Name] | undefined;
};

export const policyFields = ["description", "action", "expression", "enabled", "value"] as const;

export function toBody({ directives, ...policy }: RecordedPolicy): PolicyBody {
  const { description = "", action = "", expression = "", enabled = true, value = "" } = policy;
  return {
    description,
    action,
    expression,
    enabled,
    value: directives ? build(directives) : withoutLineBreaks(value),
  };
}

/** Joins the lines of a policy: a program may spread a long policy over several lines, but a header has only one line. */
function withoutLineBreaks(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return lines.filter(Boolean).join(" ");
}

/** Returns `value`, or the policy built from `directives`; undefined if the directives are not known or not valid. */
export function declaredText({ value, directives }: Properties): unknown {
  if (directives === undefined) return value;
  const known = policyShape.directives.safeParse(directives);
  return containsUnknown(directives) || !known.success || !known.data ? undefined : build(known.data);
}

/** Returns the directives of a policy's `value` if they express all of it; otherwise undefined. */
export function losslessDirectives(value: string): Directives | undefined {
  const policy = parse(value);
  // Directives would lose the parts that browsers ignore. The text keeps them, so that its author can still correct them.
  if (policy.ignored.length > 0 || policy.directives.length === 0) return undefined;
  const directives = toDirectives(policy);
  try {
    return equalPolicies(build(directives), value) ? directives : undefined;
  } catch {
    // `build` fails if a directive contains a comma, because a comma in a header ends the policy.
    return undefined;
  }
}

/** Returns the names of the policy inputs whose meaning differs between the state and the declaration. */
export function findChangedPolicyFields(recorded: Properties, declared: Properties): string[] {
  const meant = ({ enabled, ...policy }: Properties, value: unknown): Properties => {
    return { ...policy, enabled: enabled ?? true, value };
  };
  const was = meant(recorded, recorded["value"] ?? declaredText(recorded));
  const becomes = meant(declared, declaredText(declared));
  const changed = policyFields.filter((name) => !isSameField("policy", name, was[name], becomes[name]));
  return changed.map((name) =>
    name === "value" && declared["directives"] !== undefined ? "directives" : name,
  );
}

/** Returns the policy, with each field spelled as in the state if its meaning is the same. */
export function keepRecordedSpelling<P extends Properties>(recorded: Properties, policy: P): P {
  const changed = new Set(findChangedPolicyFields(recorded, policy));
  const same = [...policyFields, "directives"].filter(
    (name) => !changed.has(name) && recorded[name] !== undefined && policy[name] !== undefined,
  );
  return { ...policy, ...Object.fromEntries<unknown>(same.map((name) => [name, recorded[name]])) };
}

/** Returns the live policy, with each field spelled as in the state if its meaning is the same: another spelling is not drift. */
export function asDeclared(recorded: RecordedPolicy, live: Policy): DeclaredPolicy {
  const { policyId: _, value, enabled, ...words } = keepRecordedSpelling(recorded, { ...live });
  // If the state has `directives`, keep that form as long as directives can express the whole policy.
  const isSameText = value === recorded.value;
  const directives = recorded.directives && (isSameText ? recorded.directives : losslessDirectives(value));
  return {
    ...words,
    enabled: recorded.enabled === undefined && enabled ? undefined : enabled,
    ...(directives ? { directives } : { value }),
  };
}
