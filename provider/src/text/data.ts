/** Returns the message of a thrown value, unescaped. */
export function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns JSON that does not depend on the order of an object's fields. Leaves out undefined fields. */
export function canonicalize(value: unknown): string {
  const sortFields = (_name: string, one: unknown): unknown =>
    typeof one !== "object" || one === null || Array.isArray(one)
      ? one
      : Object.fromEntries(Object.entries(one).sort(([left], [right]) => (left < right ? -1 : 1)));
  return JSON.stringify(value, sortFields) ?? "null";
}

/** Drops the fields that have the value `dropped`, at any depth. Items of lists stay. */
export function withoutFields<T>(value: T, dropped: null | undefined): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, dropped)) as T;
  const kept = Object.entries(value).filter(([, entry]) => entry !== dropped);
  return Object.fromEntries(kept.map(([name, entry]) => [name, withoutFields(entry, dropped)])) as T;
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
