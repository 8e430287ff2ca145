/** What a value is, short enough that a token pasted into the wrong place is not given away. */
export function shortly(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  if (value === "") return "an empty text";
  return value.length <= 12 ? `"${value}"` : `"${value.slice(0, 8)}…" (${value.length} characters)`;
}
