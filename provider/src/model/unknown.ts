/** Placeholder that the engine passes to a dynamic provider for a value that is not known before the update. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function isUnknown(value: unknown): boolean {
  return value === unknownValue;
}

/** Whether a value is secret or not known yet. The command represents a secret as a symbol. */
export function isHidden(value: unknown): boolean {
  return typeof value === "symbol" || isUnknown(value);
}

/** Whether a value is a known string. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && !isUnknown(value);
}

export function containsUnknown(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isUnknown(value);
  return Object.values(value).some(containsUnknown);
}
