/** Inputs or a state as received, before a schema has checked them. */
export type Properties = Readonly<Record<string, unknown>>;

export function getAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined,
    value,
  );
}
