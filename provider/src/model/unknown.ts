/** Placeholder that the engine passes to a dynamic provider for a value that is not known before the update. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** All placeholders of the engine, one for each type of value. Calls of a plugin and events of a preview can contain any of them. */
const marks = new Set([
  unknownValue,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Name of the field that marks an object of the engine as a wrapper of another value, such as a secret. */
export const engineMark = "4dabf18193072939515e22adb298388d";

export function isUnknownMark(value: unknown): boolean {
  return typeof value === "string" && marks.has(value);
}

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
