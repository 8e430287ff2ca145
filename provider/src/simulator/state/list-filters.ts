import { invalid } from "../wire/checks";

export type Query = ReadonlyMap<string, string>;

/** The items that a query parameter keeps, by its value. */
export interface Filter<T> {
  /** Its value where it is not given; undefined: then it keeps all. */
  readonly otherwise?: string;
  readonly keeps: (value: string, name: string) => (item: T) => boolean;
}

/** What all filters of a query keep. */
export function filtered<T>(
  items: readonly T[],
  query: Query,
  filters: Readonly<Record<string, Filter<T>>>,
): readonly T[] {
  const tests = Object.entries(filters).flatMap(([name, { otherwise, keeps }]) => {
    const value = query.get(name) ?? otherwise;
    return value === undefined ? [] : [keeps(value, name)];
  });
  return items.filter((item) => tests.every((isKept) => isKept(item)));
}

/** A comma-separated value; empty members are refused. */
export function members(value: string, name: string): readonly string[] {
  const all = value.split(",");
  if (all.includes("")) throw invalid(`?${name}`, "has an empty member");
  return all;
}

/** Items with a text that matches one of the comma-separated patterns; `*` at the ends of a pattern matches anything. */
export function matching<T>(textsOf: (item: T) => readonly string[], isWanted = true): Filter<T> {
  return {
    keeps(value, name) {
      const patterns = members(value, name).map((pattern) => readPattern(pattern, name));
      return (item) => textsOf(item).some((text) => patterns.some((fits) => fits(text))) === isWanted;
    },
  };
}

/** Items of which something is as the value says. */
export function equal<T>(
  of: (item: T) => unknown,
  read: (value: string, name: string) => unknown = (value) => value,
): Filter<T> {
  return {
    keeps(value, name) {
      const wanted = read(value, name);
      return (item) => of(item) === wanted;
    },
  };
}

export function readBoolean(value: string, name: string): boolean {
  return readOneOf("true", "false")(value, name) === "true";
}

export function readOneOf<T extends string>(...allowed: readonly T[]): (value: string, name: string) => T {
  return (value, name) => {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw invalid(`?${name}`, `must be one of ${allowed.join(", ")}`);
    return found;
  };
}

function readPattern(pattern: string, name: string): (text: string) => boolean {
  const open = pattern.startsWith("*");
  const endless = pattern.length > 1 && pattern.endsWith("*");
  const core = pattern.slice(open ? 1 : 0, endless ? -1 : undefined);
  if (core.includes("*")) throw invalid(`?${name}`, "takes * only at the ends of a value");
  if (open && endless) return (text) => text.includes(core);
  if (open) return (text) => text.endsWith(core);
  if (endless) return (text) => text.startsWith(core);
  return (text) => text === core;
}
