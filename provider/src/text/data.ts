/** Returns the message of a thrown value. Does not escape it. */
export function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns JSON that is the same for every order of an object's fields. Leaves out undefined fields. */
export function canonicalize(value: unknown): string {
  return JSON.stringify(withSortedFields(value)) ?? "null";
}

function withSortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedFields);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, entry]) => [name, withSortedFields(entry)]),
  );
}

/** Groups items by key. Each group keeps the order of its items. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
