import { isKnownDirective } from "page-guard-csp";
import type { Policy } from "../../api/client-types";
import { InputError } from "../../errors/page-guard-error";
import { losslessDirectives } from "../../model/policies/declared-policy";
import type { CspAction } from "./csp-policy";
import { shape } from "./state";

/** A policy of a zone as arguments of a `CspPolicy`, which take the zone id besides: with `directives` or with `value`. */
export type PolicyDeclaration = {
  readonly description: string;
  readonly action: CspAction;
  readonly expression: string;
  /** Only where the policy is switched off: true is the default. */
  readonly enabled?: false;
} & (
  | { readonly directives: Readonly<Record<string, readonly string[]>>; readonly value?: undefined }
  | { readonly value: string; readonly directives?: undefined }
);

/**
 * The policy as directives, where building them gives the same meaning, nothing that the text holds is dropped and
 * browsers know their names; else as the text that it is.
 *
 * @throws InputError when a `CspPolicy` cannot say what the policy is.
 */
export function policyDeclaration(policy: Policy): PolicyDeclaration {
  const { description, action, expression, enabled, value } = policy;
  const known = shape.action.safeParse(action);
  if (!known.success) {
    const reason = known.error.issues[0]?.message ?? "";
    throw new InputError("action", `A CspPolicy cannot have the action of this policy: ${reason}`);
  }
  const fields = { description, action: known.data, expression, ...(!enabled && { enabled }) };
  const directives = losslessDirectives(value);
  // A name that no browser knows is a mistake of spelling where a program has it, and a compiler says so.
  const isSpelt = directives !== undefined && Object.keys(directives).every(isKnownDirective);
  return isSpelt ? { ...fields, directives } : { ...fields, value };
}
