/** The value if it is a string. */
export function stringIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A copy of the value if it is an object, else an empty one. */
export function recordIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The value if it is a list, else an empty one. */
export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string as it is, anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

/** Each value once, without those that are undefined. */
export function distinct<T>(list: readonly (T | undefined)[]): T[] {
  return [...new Set(list)].filter((one) => one !== undefined);
}

export function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + numberOf(one), 0);
}
