/** Inputs or a state as received, before a schema has checked them. */
export type Properties = Readonly<Record<string, unknown>>;

/** Returns the value at a path; undefined if there is none. Stops at a symbol, which marks a secret, and returns it. */
export function getAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof value === "symbol") return value;
  return Object.hasOwn(Object(value), key) ? getAtPath(Reflect.get(Object(value), key), rest) : undefined;
}
