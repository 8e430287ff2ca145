/**
 * Inputs that a class adds to the program's: which resource it is, what is declared beside it, which inputs are secret.
 * `check` takes them out but for the URN, which stays in the state. No comparison sees any of them. A plugin adds to a read
 * whether it is that of an import.
 */
export const hiddenInputs = ["__urn", "__beside", "__secrets", "__import"] as const;

export function withoutHidden(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const hidden: readonly string[] = hiddenInputs;
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !hidden.includes(name)));
}

/** Whose inputs or state these are; empty where they do not say. */
export function carriedUrn({ __urn }: Readonly<Record<string, unknown>>): string {
  return typeof __urn === "string" ? __urn : "";
}

/** What is added to inputs and state for that. */
export function withUrn<Properties extends object>(properties: Properties, urn: string): Properties {
  return urn === "" ? properties : { ...properties, __urn: urn };
}
