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

/** The list with the value in it, once. */
export function withOne<T>(list: readonly T[], one: T | undefined): readonly T[] {
  return one === undefined || list.includes(one) ? list : [...list, one];
}

export function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + numberOf(one), 0);
}
