import { isDeepStrictEqual } from "node:util";
import { normaliseExpression, policyMeaning } from "page-guard-csp";

/** Functions that reduce a field's value to its meaning. A key is the name of a field, or the kind of an object and the name. */
const meanings: ReadonlyMap<string, (text: string) => string> = new Map([
  ["description", (text) => text.trim()],
  ["expression", normaliseExpression],
  ["value", policyMeaning],
  ["rule action", wordMeaning],
]);

/** Returns the meaning of a field's value. Values that differ only in spelling have the same meaning. */
export function fieldMeaning(kind: string, name: string, value: unknown): unknown {
  const meaning = meanings.get(name) ?? meanings.get(`${kind} ${name}`);
  return typeof value === "string" && meaning ? meaning(value) : value;
}

/** Whether two values of a field have the same meaning. `kind`: the object that has the field, such as `policy` or `rule`. */
export function isSameField(kind: string, name: string, left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return isDeepStrictEqual(fieldMeaning(kind, name, left), fieldMeaning(kind, name, right));
}

/** Returns a word in lower case and without surrounding space. Differences in case or space are not drift. */
export function wordMeaning(word: string): string {
  return word.trim().toLowerCase();
}
