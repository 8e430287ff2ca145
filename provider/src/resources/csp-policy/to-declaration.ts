import type { Policy } from "../../api/client-types";
import { isKnownDirective } from "../../csp/syntax/directives";
import { InputError } from "../../errors/input-error";
import { losslessDirectives } from "../../policies/lossless-directives";
import type { CspAction } from "./csp-policy";
import { shape } from "./state";

interface PolicyFields {
  readonly description: string;
  readonly action: CspAction;
  readonly expression: string;
  /** Only where the policy is switched off: true is the default. */
  readonly enabled?: false;
}

/** A policy of a zone as arguments of a `CspPolicy`, which take the zone id besides: with `directives` or with `value`. */
export type PolicyDeclaration = PolicyFields &
  (
    | { readonly directives: Readonly<Record<string, readonly string[]>>; readonly value?: undefined }
    | { readonly value: string; readonly directives?: undefined }
  );

/**
 * The policy as directives, where building them gives the same meaning, nothing that the text holds is dropped and
 * browsers know their names; else as the text that it is.
 *
 * @throws InputError when a `CspPolicy` cannot say what the policy is.
 */
export function policyDeclaration({
  description,
  action,
  expression,
  enabled,
  value,
}: Policy): PolicyDeclaration {
  const known = shape.action.safeParse(action);
  if (!known.success) {
    throw new InputError(
      "action",
      `A CspPolicy cannot have the action of this policy: ${known.error.issues[0]?.message ?? ""}`,
    );
  }
  const fields = { description, action: known.data, expression, ...(enabled ? {} : { enabled }) };
  const directives = losslessDirectives(value);
  // A name that no browser knows is a mistake of spelling where a program has it, and a compiler says so.
  const isSpelt = directives !== undefined && Object.keys(directives).every(isKnownDirective);
  return isSpelt ? { ...fields, directives } : { ...fields, value };
}
