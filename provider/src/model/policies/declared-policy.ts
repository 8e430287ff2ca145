import { build, type Directives, equalPolicies, parse, toDirectives } from "page-guard-csp";
import type * as z from "zod";
import type { Policy, PolicyBody } from "../../api/client-types";
import { isSameField } from "../compare";
import type { Properties } from "../properties";
import { containsUnknown } from "../unknown";
import { type declaredPolicySchema, policyShape } from "./policy-inputs";

/** A completely known policy as a program declares it, alone or in a set. The zone may have any action. */
type DeclaredPolicy = Omit<z.output<typeof declaredPolicySchema>, "action"> & { action: string };

/** A policy as an older or incomplete state has it. */
export type RecordedPolicy = {
  readonly [Name in keyof DeclaredPolicy]?: DeclaredPolicy[Name] | undefined;
};

/** Fields of a policy. */
export const policyFields = ["description", "action", "expression", "enabled", "value"] as const;

/** Returns the request body for a policy. */
export function bodyOf({ directives, ...policy }: RecordedPolicy): PolicyBody {
  const { description = "", action = "", expression = "", enabled = true, value = "" } = policy;
  return {
    description,
    action,
    expression,
    enabled,
    value: directives ? build(directives) : withoutLineBreaks(value),
  };
}

/** Returns the text of a policy on one line, as a header needs it. A program may spread a long text over several. */
export function withoutLineBreaks(text: string): string {
  const lines = text.split(/[\r\n]+/);
  return lines.length === 1
    ? text
    : lines
        .map((line) => line.trim())
        .filter(Boolean)
        .join(" ");
}

/** Returns the declared text, direct or built from directives; the unknown value if either is unknown. */
export function declaredText({ value, directives }: Properties): unknown {
  if (directives === undefined) return value;
  const known = policyShape.directives.safeParse(directives);
  return containsUnknown(directives) || !known.success || !known.data ? undefined : build(known.data);
}

/** Returns the directives of a text if they express all of it; otherwise undefined. */
export function losslessDirectives(value: string): Directives | undefined {
  const policy = parse(value);
  // What browsers pass over is still what someone has written, and may be about to correct.
  if (policy.ignored.length > 0 || policy.directives.length === 0) return undefined;
  const directives = toDirectives(policy);
  try {
    return equalPolicies(build(directives), value) ? directives : undefined;
  } catch {
    // A comma ends a policy in a header; no directive can hold one.
    return undefined;
  }
}

/** Returns the names of the inputs of a policy whose meaning differs between the state and the declaration. */
export function changedPolicyFields(recorded: Properties, declared: Properties): string[] {
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

/** Returns a policy, spelled as in the state wherever the meaning is the same. */
export function inRecordedWords<P extends Properties>(recorded: Properties, policy: P): P {
  const changed = new Set(changedPolicyFields(recorded, policy));
  const same = [...policyFields, "directives"].filter(
    (name) => !changed.has(name) && recorded[name] !== undefined && policy[name] !== undefined,
  );
  return { ...policy, ...Object.fromEntries<unknown>(same.map((name) => [name, recorded[name]])) };
}

/** Returns the live policy, spelled as in the state: another spelling with the same meaning is not drift. */
export function asDeclared(recorded: RecordedPolicy, live: Policy): DeclaredPolicy {
  const { policyId: _, value, enabled, ...words } = inRecordedWords(recorded, { ...live });
  // As directives, as long as they can say what the text says.
  const isSameText = value === recorded.value;
  const directives = recorded.directives && (isSameText ? recorded.directives : losslessDirectives(value));
  return {
    ...words,
    enabled: recorded.enabled === undefined && enabled ? undefined : enabled,
    ...(directives ? { directives } : { value }),
  };
}
