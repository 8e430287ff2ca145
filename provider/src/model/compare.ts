import { isDeepStrictEqual } from "node:util";
import { normaliseExpression, policyMeaning } from "page-guard-csp";

/** Functions that return the meaning of a text, by the name of a field, or by the kind of an object and the name of its field. */
const meanings: ReadonlyMap<string, (text: string) => string> = new Map([
  ["description", (text) => text.trim()],
  ["expression", normaliseExpression],
  ["value", policyMeaning],
  ["rule action", wordMeaning],
]);

/** Returns the meaning of a field's value: equal for texts that mean the same, however they are spelled. */
export function fieldMeaning(kind: string, name: string, value: unknown): unknown {
  const meaning = meanings.get(name) ?? meanings.get(`${kind} ${name}`);
  return typeof value === "string" && meaning ? meaning(value) : value;
}

/** Whether a field of a policy, a rule or the settings means the same on both sides. */
export function isSameField(kind: string, name: string, left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return isDeepStrictEqual(fieldMeaning(kind, name, left), fieldMeaning(kind, name, right));
}

/** Returns a word in lower case, without surrounding space. A change of case or space by the service is not drift. */
export function wordMeaning(word: string): string {
  return word.trim().toLowerCase();
}
