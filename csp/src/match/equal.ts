import { fallbacks, findDirective, isSourceListDirective, policiesOf } from "../syntax/directives";
import { type ParsedDirective, type ParsedPolicy, parse } from "../syntax/parse";
import { canonicalSource, parseSource } from "../syntax/source";
import { SourceList } from "./source-list";

/**
 * Whether the new policy surely allows everything that the old one allows, so that nothing is newly blocked. Decided source by
 * source, never by several together, so false may also mean "not recognised".
 */
export function onlyAllowsMore(oldValue: string, newValue: string): boolean {
  if (equalPolicies(oldValue, newValue)) return true;
  // Several policies in one text, or directives that browsers cannot read: too odd to reason about.
  if (oldValue.includes(",") || newValue.includes(",")) return false;
  const before = parse(oldValue);
  const after = parse(newValue);
  if ([...before.ignored, ...after.ignored].some(({ reason }) => reason !== "duplicate")) return false;
  // `sandbox`, `upgrade-insecure-requests`.
  const others = ({ directives }: ParsedPolicy) =>
    meaningOf(directives.filter(({ name }) => !isSourceListDirective(name)));
  return others(before) === others(after) && pairsOfLists(before, after).every(coversList);
}

type PairOfLists = readonly [before: ParsedDirective | undefined, after: ParsedDirective];

/**
 * Returns the pairs of lists, old and new, that decide about the same kind of request, each pair once. An absent old list
 * restricted nothing.
 */
function pairsOfLists(before: ParsedPolicy, after: ParsedPolicy): readonly PairOfLists[] {
  const pairs = new Map<string, PairOfLists>();
  for (const names of fallbacks.values()) {
    const [old, now] = [findDirective(before, names), findDirective(after, names)];
    if (now !== undefined) pairs.set(`${old?.name} ${now.name}`, [old, now]);
  }
  return [...pairs.values()];
}

function coversList([before, after]: PairOfLists): boolean {
  if (before === undefined) return false;
  const oldSources = sourceMap(before.values);
  const newSources = sourceMap(after.values);
  const list = new SourceList(newSources.values());
  const isCovered = ([canonical, text]: [string, string]) => {
    // What is reported, and how, allows and blocks nothing.
    if (newSources.has(canonical) || canonical.startsWith("'report-")) return true;
    const source = parseSource(text);
    return source.kind === "invalid" || list.coveredBy(source) !== undefined;
  };
  return [...oldSources].every(isCovered) && keepsInline(oldSources, newSources);
}

/** Whether inline code stays allowed. An added hash, nonce or `'strict-dynamic'` disables `'unsafe-inline'` or all hosts. */
function keepsInline(before: ReadonlyMap<string, string>, after: typeof before): boolean {
  const isAdded = (pattern: RegExp): boolean => {
    const [had, has] = [before, after].map((sources) =>
      [...sources.keys()].some((text) => pattern.test(text)),
    );
    return has === true && had === false;
  };
  // Each disables hosts for other requests: the first for scripts, the second for nearly all.
  if (isAdded(/^'strict-dynamic'$/) || isAdded(/^'url-sha/)) return false;
  return !before.has("'unsafe-inline'") || !isAdded(/^'(nonce|sha\d+)-/);
}

/**
 * Whether two texts mean the same to a browser. Ignores white space, semicolons, the order of directives, the case of their
 * names, of schemes, hosts and keywords, the order and repetition of sources, and directives that an earlier one of the same
 * name overrides. Respects the case of paths, and text that browsers ignore.
 */
export function equalPolicies(a: string, b: string): boolean {
  return a === b || policyMeaning(a) === policyMeaning(b);
}

/** Returns a text that is equal for policies of equal meaning: a key to find a policy among many. */
export function policyMeaning(text: string): string {
  const policies = policiesOf(text).map(({ directives, ignored }) =>
    // What is ignored for its characters counts: an update may correct just that.
    meaningOf([...directives, ...ignored.filter(({ reason }) => reason !== "duplicate")]),
  );
  // Of several policies each must allow: their order and repetition mean nothing, nor does an empty one.
  return [...new Set(policies)]
    .filter((policy) => policy !== "[]")
    .sort()
    .join("\n");
}

function meaningOf(directives: readonly ParsedDirective[]): string {
  const parts = directives.map(({ name, values }) =>
    JSON.stringify([name, isSourceListDirective(name) ? [...sourceMap(values).keys()].sort() : values]),
  );
  return JSON.stringify(parts.sort());
}

/**
 * Returns the sources that count, as written, by their canonical spelling. `'none'` alone is the empty list; beside others it
 * is ignored.
 */
function sourceMap(values: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map(values.map((value) => [canonicalSource(value), value]));
  sources.delete("'none'");
  return sources;
}
