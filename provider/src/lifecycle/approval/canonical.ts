/** JSON in which the order of an object's fields makes no difference, and absent is absent. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, entry: unknown) =>
      typeof entry === "object" && entry !== null && !Array.isArray(entry)
        ? Object.fromEntries(Object.entries(entry).sort(([left], [right]) => (left < right ? -1 : 1)))
        : entry,
    ) ?? "null"
  );
}
