import { unknownValue } from "./unknown";

/** Name of the field that marks an object of the engine as a wrapper of another value, such as a secret. It has never changed. */
export const wrapperField = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

/** The engine's placeholders, one for each type of value. Calls to a plugin and events of a preview can contain any of them. */
const placeholders = new Set([
  unknownValue,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Text that replaces a secret, both in the engine's output and in messages of this package. */
export const secretText = "[secret]";

/** Marks of the engine for values that are secret or not known yet. */
export const engineMarks = { unknown: unknownValue, wrapperField, secretText } as const;

/** Returns the meaning of an engine value; undefined for a plain value. `other`: an asset, or another special object. */
export function readMark(value: unknown): "unknown" | "secret" | "other" | undefined {
  if (typeof value === "string") return placeholders.has(value) ? "unknown" : undefined;
  if (typeof value !== "object" || value === null || !(wrapperField in value)) return undefined;
  return value[wrapperField] === secretMark ? "secret" : "other";
}

/** Wraps a value as a secret. */
export function secret(value: unknown) {
  return { [wrapperField]: secretMark, value };
}
