import { isSourceListDirective } from "./directives";
import { type ParsedDirective, type ParsedPolicy, parse, splitPolicies } from "./parse";
import { canonicalSource } from "./source-text";

/**
 * Whether two texts mean the same to a browser. No difference: white space, semicolons, order of directives, case of
 * their names, of schemes, hosts and keywords, order and repetition of sources, directives that a first one of the
 * same name overrides. A difference: the case of paths, and anything that only looks alike in what browsers ignore.
 */
export function equalPolicies(a: string, b: string): boolean {
  return a === b || policyMeaning(a) === policyMeaning(b);
}

/** Texts of equal meaning have an equal meaning text: a key to find a policy among many by. */
export function policyMeaning(text: string): string {
  const policies = splitPolicies(text).map((one) => meaningOf(parse(one)));
  // Of several policies each must allow: their order and repetition mean nothing, nor does an empty one.
  return [...new Set(policies)]
    .filter((policy) => policy !== "[]")
    .sort()
    .join("\n");
}

function meaningOf({ directives, ignored }: ParsedPolicy): string {
  // What is ignored for its characters counts: an update may correct just that.
  const odd = ignored.filter(({ reason }) => reason !== "duplicate");
  const parts = [...directives, ...odd].map((directive) =>
    JSON.stringify([directive.name, valuesOf(directive)]),
  );
  return JSON.stringify(parts.sort());
}

function valuesOf({ name, values }: ParsedDirective): readonly string[] {
  return isSourceListDirective(name) ? [...sourceMap(values).keys()].sort() : values;
}

/**
 * The sources that count, by their canonical spelling, as they were written. `'none'` alone is the empty list, beside
 * others it is nothing.
 */
export function sourceMap(values: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map(values.map((value) => [canonicalSource(value), value]));
  sources.delete("'none'");
  return sources;
}
