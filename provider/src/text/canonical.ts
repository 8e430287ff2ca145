/** JSON in which the order of an object's fields makes no difference, and absent is absent. */
export function canonical(value: unknown): string {
  return JSON.stringify(withSortedFields(value)) ?? "null";
}

/** A copy of plain data whose fields are in one order, at every depth. */
export function withSortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedFields);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, entry]) => [name, withSortedFields(entry)]),
  );
}
