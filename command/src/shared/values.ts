import { groupBy, isSameField, pluralize } from "pulumi-page-guard/tools";

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a copy of the value if it is an object, else an empty object. */
export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a string unchanged, and anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

/** Returns each value once, without undefined. */
export function distinct<T>(list: readonly (T | undefined)[]): T[] {
  return [...new Set(list)].filter((one) => one !== undefined);
}

/**
 * Merges items that differ only in the fields whose names are in `names`. Each of these fields is a list. In a merged item, it has
 * the elements of all the originals, without duplicates.
 */
export function mergeAlike<Name extends string, T extends { readonly [_ in Name]: readonly unknown[] }>(
  items: readonly T[],
  ...names: readonly Name[]
): T[] {
  const rest = (one: T) => ({ ...one, ...Object.fromEntries(names.map((name) => [name, undefined])) });
  return [...groupBy(items, (one) => JSON.stringify(rest(one))).values()].map((same) => {
    const lists = names.map((name) => [name, distinct(same.flatMap((one) => one[name]))]);
    return { ...same[0], ...Object.fromEntries(lists) };
  });
}

export function sumUp<T>(list: readonly T[], numberOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + numberOf(one), 0);
}

export const dayMs = 24 * 60 * 60 * 1000;

/** Compares strings by code units for `sort`, so that the order is the same on every machine. */
export function compareTexts(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns the counts that are not zero, in words: `2 scripts`, `1 connection`. */
export function describeCounts(...counts: readonly (readonly [count: number, one: string, many?: string])[]) {
  return counts.filter(([count]) => count > 0).map(([count, one, many]) => pluralize(count, one, many));
}

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the names of the fields that differ in meaning between two versions of a policy, a rule or the settings. */
export function findChangedFields(kind: string, left: Fields = {}, right: Fields = {}): readonly string[] {
  return Object.keys({ ...left, ...right }).filter(
    (name) => !isSameField(kind, name, left[name], right[name]),
  );
}

/** An object that exists on both sides, or on one side only. */
type Pair<Left, Right> =
  | { readonly left: Left; readonly right: Right | undefined }
  | { readonly left: undefined; readonly right: Right };

/** Pairs objects by key, in the order of the left side. Objects that exist only on the right side come last. */
export function pairByKey<Left, Right>(
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
