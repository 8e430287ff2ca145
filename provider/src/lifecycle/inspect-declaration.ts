import { type Finding, selectErrors, selectWarnings } from "../model/finding";
import type { Properties } from "../model/properties";
import type { Kind } from "./kind";
import { withoutWrong, wrongInputs } from "./wrong-inputs";

/**
 * Returns all findings about a declaration that need no request. Skips values that are not known yet. With `wanted: "errors"`,
 * the warnings may be incomplete.
 */
export function inspectDeclaration(
  kind: Kind<unknown, unknown>,
  values: Properties,
  wanted: "all" | "errors" = "all",
): { readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] } {
  const wrong = wrongInputs(kind.shape, values);
  const inspected = kind.inspect?.({ values: withoutWrong(values, wrong), wanted }) ?? [];
  return {
    errors: selectErrors([...wrong.map(({ finding }) => finding), ...inspected]),
    warnings: selectWarnings(inspected),
  };
}
