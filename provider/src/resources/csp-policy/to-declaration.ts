import { isKnownDirective } from "page-guard-csp";
import type { Policy } from "../../api/client-types";
import { InputError } from "../../errors/page-guard-error";
import { losslessDirectives } from "../../model/policies/declared-policy";
import type { CspAction } from "./csp-policy";
import { shape } from "./state";

/** Arguments of a `CspPolicy`, except `zoneId`, that declare a policy of a zone, either with `directives` or with `value`. */
export type PolicyDeclaration = {
  readonly description: string;
  readonly action: CspAction;
  readonly expression: string;
  /** Absent if the policy is enabled, which is the default. */
  readonly enabled?: false;
} & (
  | { readonly directives: Readonly<Record<string, readonly string[]>>; readonly value?: undefined }
  | { readonly value: string; readonly directives?: undefined }
);

/**
 * Returns the arguments that declare a policy: `directives` if they mean the same as its text and browsers know all their names,
 * otherwise `value`. @throws InputError if a `CspPolicy` cannot declare the action of the policy.
 */
export function policyDeclaration(policy: Policy): PolicyDeclaration {
  const { description, action, expression, enabled, value } = policy;
  const known = shape.action.safeParse(action);
  if (!known.success) {
    const reason = known.error.issues[0]?.message ?? "";
    throw new InputError("action", `A CspPolicy cannot declare the action of this policy: ${reason}`);
  }
  const fields = { description, action: known.data, expression, ...(!enabled && { enabled }) };
  const directives = losslessDirectives(value);
  // The compiler would refuse a directive name that no browser knows.
  const isDeclarable = directives !== undefined && Object.keys(directives).every(isKnownDirective);
  return isDeclarable ? { ...fields, directives } : { ...fields, value };
}
