/**
 * Inputs that a class gives besides the program's, for `check` alone: which resource it speaks of, what is declared
 * beside it, which inputs are secret. `check` takes them out, so that they never reach a state or a comparison.
 */
export const hiddenInputs = ["__urn", "__beside", "__secrets"] as const;

export function withoutHidden(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const hidden: readonly string[] = hiddenInputs;
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !hidden.includes(name)));
}
