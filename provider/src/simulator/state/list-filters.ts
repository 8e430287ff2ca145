import { invalid } from "../wire/fields";

type Query = ReadonlyMap<string, string>;

/** A comma-separated value; empty members are refused. */
export function readList(query: Query, name: string): string[] | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const members = text.split(",");
  if (members.some((member) => member === "")) throw invalid(`?${name}`, "has an empty member");
  return members;
}

export function readBoolean(query: Query, name: string, otherwise: boolean): boolean {
  const text = query.get(name);
  if (text === undefined) return otherwise;
  if (text !== "true" && text !== "false") throw invalid(`?${name}`, "must be true or false");
  return text === "true";
}

/** One of the allowed values; the first one when the parameter is not there. */
export function oneOf<T extends string>(query: Query, name: string, allowed: readonly [T, ...T[]]): T {
  const text = query.get(name);
  if (text === undefined) return allowed[0];
  const found = allowed.find((candidate) => candidate === text);
  if (found === undefined) throw invalid(`?${name}`, `must be one of ${allowed.join(", ")}`);
  return found;
}

/** A test whether a text matches one of the comma-separated patterns; `*` at the ends of a pattern matches anything. */
export function matchesAny(query: Query, name: string): ((text: string) => boolean) | undefined {
  const patterns = readList(query, name)?.map((pattern) => readPattern(pattern, name));
  return patterns && ((text) => patterns.some((matches) => matches(text)));
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
