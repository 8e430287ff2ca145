/**
 * Inputs that do not come from the program. The class of a resource adds the URN and the names of secret inputs. The plugin adds
 * `__import` to a read that belongs to an import. `__beside` occurs only in states of older versions. `check` removes all hidden
 * inputs but the URN, which stays in the state. Comparisons ignore all hidden inputs.
 */
export const hiddenInputs = ["__urn", "__beside", "__secrets", "__import"] as const;

export function withoutHidden(inputs: object): Record<string, unknown> {
  return omit(inputs, hiddenInputs);
}

export function omit(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Returns the URN in inputs or a state; empty if there is none. */
export function readCarriedUrn({ __urn }: Readonly<Record<string, unknown>>): string {
  return typeof __urn === "string" ? __urn : "";
}

export function withUrn<Properties extends object>(properties: Properties, urn: string): Properties {
  return urn === "" ? properties : { ...properties, __urn: urn };
}
