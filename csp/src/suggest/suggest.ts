import { type SeenConnection, type SeenItem, type SeenScript, seenItems } from "../impact/seen-item";
import { findingsIn } from "../lint/lint";
import type { Finding } from "../lint/lint-rules";
import { type CompiledPolicy, compile, DecidingLists } from "../match/matches";
import { build, type Directives } from "../syntax/build";
import { parseSource } from "../syntax/source";
import { groupBy, toAsciiLowerCase } from "../texts";
import { chooseSources, type Granularity, type Narrowed, type Wider } from "./choose-sources";
import { Evidence, localePattern } from "./evidence";
import { ageRule, because, type Excluded, type ExclusionOptions, exclude } from "./exclusion";
import { listOfKind, type ReadItem, readItems } from "./read-item";
import { isOfOneRelease } from "./stable-path";
import { unseenKinds } from "./unseen-kinds";

export interface SuggestOptions extends ExclusionOptions {
  /**
   * Widest extent of one source: a whole `host` (default), a `path` with everything below it, or one `url`. A path ends before
   * the part that the next release renames. The widest safe folder, or a URL, replaces a host that also serves something
   * malicious, on which anyone can publish, or whose scripts are known to bypass policies.
   */
  readonly granularity?: Granularity;
  /** Your own hosts: their items become `'self'` on their own pages. Default: the host of each page. */
  readonly firstParty?: readonly string[];
  /** Further directives of the policy. Suggested sources are added to their lists. See `BASE_DIRECTIVES`. */
  readonly base?: Directives;
  /** Size in bytes above which the policy is reported as too long, because it is sent with every page. Default: 4,096. */
  readonly maxBytes?: number;
}

export interface Suggestion {
  readonly directives: Record<string, string[]>;
  /** Canonical text of `directives`; empty if there were no items. */
  readonly value: string;
  /** Number of items that the policy allows, without those in `excluded`. */
  readonly included: { readonly scripts: number; readonly connections: number };
  /** Items without a source of their own: first the items that the policy still allows (`allowedBy`), then the others. */
  readonly excluded: readonly Excluded[];
  /** Sources that were not used because they allow something dangerous; paths or URLs replace them. */
  readonly narrowed: readonly Narrowed[];
  /** Findings of `lint` with severity high, which no narrower source can avoid. */
  readonly findings: readonly Finding[];
  /** Sources that name a version, a build, a date or an id. The policy will block the next release. */
  readonly ofOneRelease: readonly string[];
  /** Wildcards for hosts that differ in a number, a letter or a region, and whole hosts that replace the requested folders. */
  readonly wider: readonly Wider[];
  /** Sources whose host or folder may be one of several, for other regions, countries, languages, numbers or versions. */
  readonly mayChange: readonly string[];
  /** Whether every item is so new that none was left out for its age. */
  readonly isAllNew: boolean;
  /** Whether the service shows scores or reports. On plans without them, malicious items are not left out. */
  readonly isMaliceKnown: boolean;
  /** Bytes of `value`. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** Kinds of content that the policy also restricts although no list shows them: inline scripts, workers … */
  readonly unseen: readonly string[];
}

/** Directives that nearly every policy should have and that no list of scripts and connections can show. */
export const BASE_DIRECTIVES: Directives = {
  "object-src": ["'none'"],
  "base-uri": ["'self'"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'self'"],
};

/**
 * Suggests the smallest readable policy that allows the given items, except malicious ones. Every item is allowed or in
 * `excluded`. If the policy still allows an excluded item, the item names the source. The order of the items does not matter. A
 * kind without items gets no directive; a kind whose items are all excluded gets `'none'`.
 *
 * @throws CspError if `base` cannot be written as a policy.
 *
 * @example
 * ```ts
 * const inUse = { zoneId, status: ["active", "infrequent"], excludeCdnCgi: false } as const;
 * const scripts = await getScripts({ ...inUse, excludeDuplicates: false });
 * const { value, excluded } = suggest(scripts, await getConnections(inUse));
 * const stillAllowed = excluded.filter(({ allowedBy }) => allowedBy !== undefined);
 * ```
 */
export function suggest(
  scripts: readonly SeenScript[],
  connections: readonly SeenConnection[],
  options: SuggestOptions = {},
): Suggestion {
  const items = readItems(seenItems(scripts, connections));
  const age = ageRule(items, options);
  const judged = items.map((read): JudgedItem => ({ read, excluded: exclude(read, options, age) }));
  const evidence = new Evidence(judged.filter(isHarmless).map(({ read }) => read));
  const { maxBytes = 4096 } = options;
  const directives = new Map(
    Object.entries(options.base ?? {}).map(([name, values]) => [toAsciiLowerCase(name), [...values]]),
  );
  const chosen = (["script", "connection"] as const).flatMap((kind) => {
    const ofKind = judged.filter(({ read }) => read.seen.kind === kind);
    return ofKind.length > 0 ? [chooseForKind(directives, kind, ofKind, options, evidence)] : [];
  });
  for (const { name, given, suggested } of chosen) {
    const sources = [...given, ...suggested];
    directives.set(name, sources.length === 0 ? ["'none'"] : sources);
  }
  const plain = Object.fromEntries(directives);
  const value = build(plain);
  const lists = new DecidingLists(value);
  const excluded = allExcluded(judged, lists);
  const left = (kind: SeenItem["kind"], { length }: readonly unknown[]) =>
    length - excluded.filter((one) => one.kind === kind).length;
  const suggested = new Set(chosen.flatMap((list) => list.suggested));
  const byStability = groupBy(suggested, (source) => judgeStability(source, evidence));
  return {
    directives: plain,
    value,
    included: { scripts: left("script", scripts), connections: left("connection", connections) },
    excluded,
    narrowed: chosen.flatMap((list) => list.narrowed),
    findings: value === "" ? [] : findingsIn(value).filter(({ severity }) => severity === "high"),
    ofOneRelease: byStability.get("replaced") ?? [],
    wider: chosen.flatMap((list) => list.wider),
    mayChange: byStability.get("may-change") ?? [],
    isAllNew: age === undefined && items.some(({ seen }) => seen.item.firstSeenAt !== undefined),
    isMaliceKnown: items.length === 0 || items.some(({ seen }) => showsMalice(seen)),
    bytes: Buffer.byteLength(value),
    maxBytes,
    unseen: unseenKinds(value),
  };
}

function showsMalice({ kind, item }: SeenItem): boolean {
  const { domainReportedMalicious, urlReportedMalicious } = item;
  const score = kind === "script" ? item.jsIntegrityScore : undefined;
  return (domainReportedMalicious ?? urlReportedMalicious ?? score) !== undefined;
}

interface JudgedItem {
  readonly read: ReadItem;
  readonly excluded: Excluded | undefined;
}

/** Whether an item is not excluded, or is excluded only for its age. A source for an older item may allow such a new item too. */
function isHarmless({ excluded }: JudgedItem): boolean {
  return excluded === undefined || excluded.reason === "too-new";
}

/** Returns the excluded items. If the final policy still allows an item, the item names the source. */
function allExcluded(judged: readonly JudgedItem[], compiled: CompiledPolicy): readonly Excluded[] {
  const left = judged.flatMap((one): readonly Excluded[] => {
    const { read, excluded } = one;
    if (isHarmless(one) && compiled.allows(read.request)) return [];
    const [allowedBy] = compiled.sourcesFor(read.request);
    if (allowedBy !== undefined) return excluded ? [{ ...excluded, allowedBy }] : [];
    return [excluded ?? because(read.seen, "not-expressible", "no source of a policy can allow its URL")];
  });
  const ofItems = [...groupBy(left, ({ item }) => item).values()].map(([one]) => one);
  const byAllowed = groupBy(ofItems, ({ allowedBy }) => allowedBy !== undefined);
  return [...(byAllowed.get(true) ?? []), ...(byAllowed.get(false) ?? [])];
}

/** Chooses the sources for the items of one kind, as `chooseSources` does, for the directive of that kind. */
function chooseForKind(
  directives: ReadonlyMap<string, readonly string[]>,
  kind: SeenItem["kind"],
  judged: readonly JudgedItem[],
  options: SuggestOptions,
  evidence: Evidence,
) {
  const name = listOfKind[kind];
  const given = (directives.get(name) ?? []).filter((value) => toAsciiLowerCase(value) !== "'none'");
  // Compile this directive alone, because its own list replaces default-src.
  const isUpgrading = directives.has("upgrade-insecure-requests");
  const compiled = compile([name, ...given].join(" ") + (isUpgrading ? "; upgrade-insecure-requests" : ""));
  const own = options.firstParty === undefined ? "all" : new Set(options.firstParty.map(toAsciiLowerCase));
  const { granularity = "host" } = options;
  const isGiven = ({ request }: ReadItem) => given.length > 0 && compiled.allows(request);
  const wanted = judged.flatMap(({ read, excluded }) => (excluded || isGiven(read) ? [] : [read]));
  const malicious = judged.flatMap(({ read, excluded }) =>
    excluded?.reason === "malicious" ? [read.request] : [],
  );
  const withEval = given.some((value) => toAsciiLowerCase(value) === "'unsafe-eval'");
  const choice = { kind, isUpgrading, own, granularity, evidence, malicious, withEval } as const;
  return { name, given, ...chooseSources(wanted, choice) };
}

/** Folder that may be one of many: `v3` is most often the version of an interface, which stays, but may be a release. */
const oneOfMany = /^v\d+$/i;

/** Returns whether a source lasts, whether the vendor may use another one instead, or whether the next release replaces it. */
function judgeStability(source: string, evidence: Evidence): "replaced" | "may-change" | "lasts" {
  const read = parseSource(source);
  if (read.kind !== "host") return "lasts";
  const names = read.path?.split("/") ?? [];
  if (names.some(isOfOneRelease)) return "replaced";
  const isOneOfMany = names.slice(1, -1).some((name) => oneOfMany.test(name) || localePattern.test(name));
  return !read.isWildcard && (isOneOfMany || evidence.mayRotate(read.host)) ? "may-change" : "lasts";
}
