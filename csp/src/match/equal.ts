import { fallbacks, findDirective, isSourceListDirective, policiesOf } from "../syntax/directives";
import { type ParsedDirective, type ParsedPolicy, parse } from "../syntax/parse";
import { canonicalizeSource, parseSource } from "../syntax/source";
import { SourceList } from "./source-list";

/**
 * Whether the new policy certainly allows everything that the old one allows, so nothing is newly blocked. Looks for one new
 * source that covers each old source, so false may also mean that an old source is covered only by several new ones together.
 */
export function onlyAllowsMore(oldValue: string, newValue: string): boolean {
  if (equalPolicies(oldValue, newValue)) return true;
  // Do not judge values that contain several policies, or directives that browsers cannot read.
  if (oldValue.includes(",") || newValue.includes(",")) return false;
  const before = parse(oldValue);
  const after = parse(newValue);
  if ([...before.ignored, ...after.ignored].some(({ reason }) => reason !== "duplicate")) return false;
  // Directives without sources, such as `sandbox`, must mean the same in both policies.
  const others = ({ directives }: ParsedPolicy) =>
    encodeMeaning(directives.filter(({ name }) => !isSourceListDirective(name)));
  return others(before) === others(after) && pairsOfLists(before, after).every(coversList);
}

type PairOfLists = readonly [before: ParsedDirective | undefined, after: ParsedDirective];

/**
 * Returns, for each kind of request that the new policy restricts, the old and the new list that decide about it. The old list is
 * undefined if the old policy did not restrict the kind.
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
    // Keywords such as `'report-sample'` only change the reports: they allow and block nothing.
    if (newSources.has(canonical) || canonical.startsWith("'report-")) return true;
    const source = parseSource(text);
    return source.kind === "invalid" || list.coveredBy(source) !== undefined;
  };
  return [...oldSources].every(isCovered) && disablesNothing(oldSources, newSources);
}

/** Whether the new list adds nothing that makes browsers ignore hosts or `'unsafe-inline'`. */
function disablesNothing(before: ReadonlyMap<string, string>, after: typeof before): boolean {
  const hasMatch = (sources: typeof before, pattern: RegExp) =>
    [...sources.keys()].some((text) => pattern.test(text));
  const isAdded = (pattern: RegExp) => hasMatch(after, pattern) && !hasMatch(before, pattern);
  // `'strict-dynamic'` disables hosts for scripts, and the hash of a URL disables them for nearly all requests.
  if (isAdded(/^'strict-dynamic'$/) || isAdded(/^'url-sha/)) return false;
  return !before.has("'unsafe-inline'") || !isAdded(/^'(nonce|sha\d+)-/);
}

/**
 * Whether two policies mean the same to a browser. Ignores white space, semicolons, the order of directives, the order and
 * repetition of sources, duplicate directives, and the case of schemes, hosts, keywords and names of directives. Paths are
 * case-sensitive. Also compares directives that browsers ignore because they contain a bad character.
 */
export function equalPolicies(a: string, b: string): boolean {
  return a === b || policyMeaning(a) === policyMeaning(b);
}

/** Returns a key for a policy. Policies with the same meaning have the same key. */
export function policyMeaning(text: string): string {
  const policies = policiesOf(text).map(({ directives, ignored }) =>
    // Keep a directive with a bad character, although browsers ignore it: an update may correct just this character.
    encodeMeaning([...directives, ...ignored.filter(({ reason }) => reason !== "duplicate")]),
  );
  // Every policy has to allow a request, so order, repetition and empty policies make no difference.
  return [...new Set(policies)]
    .filter((policy) => policy !== "[]")
    .sort()
    .join("\n");
}

function encodeMeaning(directives: readonly ParsedDirective[]): string {
  const parts = directives.map((one) => {
    const sources = isSourceListDirective(one.name) ? [...sourceMap(one.values).keys()].sort() : one.values;
    // A directive that browsers ignore never means the same as one that they use: `a/ü` is not `a/%C3%BC`.
    return JSON.stringify([one.name, sources, "reason" in one && one.reason]);
  });
  return JSON.stringify(parts.sort());
}

/** Returns the sources by canonical spelling. Drops `'none'`: alone it means an empty list, beside others nothing. */
function sourceMap(values: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map(values.map((value) => [canonicalizeSource(value), value]));
  sources.delete("'none'");
  return sources;
}
