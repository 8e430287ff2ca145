/**
 * Inputs that do not come from the program. The class of a resource, or the plugin, adds the URN and the names of secret inputs.
 * The plugin also adds `__import` to a read that belongs to an import. Only states of older versions have `__beside`. `check`
 * removes all hidden inputs except the URN, which stays in the state. Comparisons ignore hidden inputs.
 */
export const hiddenInputs: readonly string[] = ["__urn", "__beside", "__secrets", "__import"];

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
