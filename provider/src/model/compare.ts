import { isDeepStrictEqual } from "node:util";
import { normaliseExpression, policyMeaning } from "page-guard-csp";

type Fields = Readonly<Record<string, unknown>>;

/** How the meaning of a text is found, by the names of fields of policies and rules. */
const meanings: ReadonlyMap<string, (text: string) => string> = new Map([
  ["description", (text) => text.trim()],
  ["expression", normaliseExpression],
  ["value", policyMeaning],
  ["rule action", wordMeaning],
]);

/** The meaning of a field's value: texts that mean the same are equal, however they are spelled. */
export function fieldMeaning(kind: string, name: string, value: unknown): unknown {
  const meaning = meanings.get(name) ?? meanings.get(`${kind} ${name}`);
  return typeof value === "string" && meaning ? meaning(value) : value;
}

/** Whether a field of a policy, a rule or the settings means the same on both sides. */
export function isSameField(kind: string, name: string, left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return isDeepStrictEqual(fieldMeaning(kind, name, left), fieldMeaning(kind, name, right));
}

/** Names of the fields whose meaning differs. */
export function changedFields(kind: string, left: Fields = {}, right: Fields = {}): readonly string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => !isSameField(kind, name, left[name], right[name]),
  );
}

/** A service may normalise a word, and the ends of a text: that is not an edit. */
export function wordMeaning(word: string): string {
  return word.trim().toLowerCase();
}

/** An object on both sides, or on one alone. */
type Pair<Left, Right> =
  | { readonly left: Left; readonly right: Right | undefined }
  | { readonly left: undefined; readonly right: Right };

/** All objects of both sides, in the order of the left one; what only the right one has is last. */
export function paired<Left, Right>(
  left: readonly Left[],
  leftKey: (one: Left) => string,
  right: readonly Right[],
  rightKey: (one: Right) => string,
): readonly Pair<Left, Right>[] {
  const others = new Map(right.map((one) => [rightKey(one), one]));
  const pairs = left.map((one): Pair<Left, Right> => {
    const key = leftKey(one);
    const pair = { left: one, right: others.get(key) };
    others.delete(key);
    return pair;
  });
  return [...pairs, ...[...others.values()].map((one) => ({ left: undefined, right: one }))];
}
