/**
 * Inputs that a class adds to the program's: which resource it is, and which inputs are secret; `__beside` is in states of older versions.
 * `check` takes them out but for the URN, which stays in the state. No comparison sees any of them. A plugin adds to a read
 * whether it is that of an import.
 */
export const hiddenInputs = ["__urn", "__beside", "__secrets", "__import"] as const;

export function withoutHidden(inputs: object): Record<string, unknown> {
  return without(inputs, hiddenInputs);
}

export function without(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Whose inputs or state these are; empty where they do not say. */
export function carriedUrn({ __urn }: Readonly<Record<string, unknown>>): string {
  return typeof __urn === "string" ? __urn : "";
}

/** What is added to inputs and state for that. */
export function withUrn<Properties extends object>(properties: Properties, urn: string): Properties {
  return urn === "" ? properties : { ...properties, __urn: urn };
}
