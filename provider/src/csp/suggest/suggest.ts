import type { Connection, Script } from "../../api/client-types";
import type { Finding } from "../finding";
import { listOfKind, pageUrlOf, type SeenItem, seenItems } from "../impact/seen-item";
import { lint } from "../lint/lint";
import { compile } from "../match/matches";
import { build, type Directives } from "../syntax/build";
import { lowerCase } from "../syntax/parse";
import { parseSource } from "../syntax/source";
import { canonicalSource } from "../syntax/source-text";
import { because, type Excluded, type ExclusionOptions, exclude } from "./exclusion";
import { type Granularity, levelsOf } from "./levels";
import { type Merged, mergeable } from "./merged-hosts";
import { chooseSources, type Danger, dangersOf, type Narrowed } from "./narrowing";
import { namesOneRelease } from "./stable-path";
import { byReadingOrder, withoutCovered } from "./suggested-source";
import { unseenKinds } from "./unseen-kinds";
import { type DocumentedSources, missingOf, type Vendor } from "./vendors";

export interface SuggestOptions extends ExclusionOptions {
  /**
   * How much one source allows at most: a whole `host` (default), a `path` with all below it, or one `url`. A path ends
   * before what the next release renames. A host that also serves something malicious, where anyone can publish, or
   * that is known to bypass policies, is allowed by the widest folder that is safe, and by URL if need be.
   */
  readonly granularity?: Granularity;
  /** Your own hosts, whose items become `'self'` on their own pages; every page's own host when absent. */
  readonly firstParty?: readonly string[];
  /** What else the policy has to contain; sources are added to its lists. See `BASE_DIRECTIVES`. */
  readonly base?: Directives;
  /** Above so many bytes, 4,096, hosts of one domain are merged into a wildcard, as far as that is safe. */
  readonly maxBytes?: number;
}

export interface Suggestion {
  readonly directives: Record<string, string[]>;
  /** The canonical text of `directives`; empty when nothing was given. */
  readonly value: string;
  /** How many items it allows, without those in `excluded`. */
  readonly included: { readonly scripts: number; readonly connections: number };
  /** Items without a source of their own; first those that the policy allows nevertheless (`allowedBy`), else as given. */
  readonly excluded: readonly Excluded[];
  /** Sources that were not used because they allow something dangerous; paths or URLs replace them. */
  readonly narrowed: readonly Narrowed[];
  /** What `lint` still finds of severity high, and says why: nothing narrower would allow what is in use. */
  readonly findings: readonly Finding[];
  /** Sources that name a version, a build, a date or an id: they block the next release. */
  readonly ofOneRelease: readonly string[];
  /** Wildcards that replace hosts, because the policy would have been too long. */
  readonly merged: readonly Merged[];
  /** Bytes of `value`, and how many it may have. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** What vendors in use document in addition to what was seen. */
  readonly documented: readonly DocumentedSources[];
  /** What the policy also restricts and no list shows: inline scripts, workers … */
  readonly unseen: readonly string[];
}

const usualMostBytes = 4096;

/** What nearly every policy should have, and no list of scripts and connections can show. */
export const BASE_DIRECTIVES: Directives = {
  "object-src": ["'none'"],
  "base-uri": ["'self'"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'self'"],
};

/**
 * The smallest readable policy that allows what was seen, malicious items excepted. Every item that was given is
 * either allowed by it or in `excluded`; one that is in `excluded` and allowed nevertheless names the source. The same
 * items in another order give the same policy. A kind of which nothing was given gets no directive; one of which
 * everything is excluded gets `'none'`.
 *
 * @throws CspError when `base` cannot be written as a policy.
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
  scripts: readonly Script[],
  connections: readonly Connection[],
  options: SuggestOptions = {},
): Suggestion {
  const items = seenItems(scripts, connections);
  const judged = items.map((seen) => ({ seen, excluded: exclude(seen, options) }));
  const { maxBytes = usualMostBytes } = options;
  const directives = new Map(
    Object.entries(options.base ?? {}).map(([name, values]) => [lowerCase(name), [...values]]),
  );
  const chosen = (["script", "connection"] as const).flatMap((kind) => {
    const ofKind = judged.filter(({ seen }) => seen.kind === kind);
    return ofKind.length > 0 ? [chooseFor(directives, kind, ofKind, options)] : [];
  });
  for (const list of chosen) directives.set(list.name, listOf(list));
  const isTooLong = () => Buffer.byteLength(build(Object.fromEntries(directives))) > maxBytes;
  const merged = mergeWhile(isTooLong, chosen, directives);
  const plain = Object.fromEntries(directives);
  const value = build(plain);
  const excluded = allExcluded(judged, value);
  const narrowed = chosen.flatMap((list) => list.narrowed);
  const vendors = new Set(chosen.flatMap((list) => [...list.vendors]));
  const left = (kind: SeenItem["kind"], { length }: readonly unknown[]) =>
    length - excluded.filter((one) => one.kind === kind).length;
  return {
    directives: plain,
    value,
    included: { scripts: left("script", scripts), connections: left("connection", connections) },
    excluded,
    narrowed,
    findings: value === "" ? [] : lint(value).filter(({ severity }) => severity === "high"),
    ofOneRelease: chosen.flatMap(({ suggested }) => suggested.filter(isOfOneRelease)),
    merged,
    bytes: Buffer.byteLength(value),
    maxBytes,
    documented: missingOf(vendors, plain, (kind, source) => isSafe(chosen, kind, source)),
    unseen: unseenKinds(value),
  };
}

interface Judged {
  readonly seen: SeenItem;
  readonly excluded: Excluded | undefined;
}

/** Judged by the final text, whatever was decided before. */
function allExcluded(judged: readonly Judged[], value: string): readonly Excluded[] {
  const compiled = compile(value);
  const allowed: Excluded[] = [];
  const blocked: Excluded[] = [];
  for (const { seen, excluded } of judged) {
    const request = { kind: seen.kind, url: seen.item.url, pageUrl: pageUrlOf(seen) };
    const [allowedBy] = compiled.sourcesFor(request);
    if (excluded !== undefined) {
      if (allowedBy === undefined) blocked.push(excluded);
      else allowed.push({ ...excluded, allowedBy });
    } else if (allowedBy === undefined) {
      blocked.push(because(seen, "not-expressible", "no source of a policy can allow its URL"));
    }
  }
  return [...allowed, ...blocked];
}

/** What becomes the list of one kind. */
interface ChosenList {
  readonly name: string;
  /** By the base. */
  readonly given: readonly string[];
  /** What allows the items; changed where hosts are merged. */
  suggested: readonly string[];
  readonly narrowed: readonly Narrowed[];
  readonly danger: Danger;
  readonly vendors: ReadonlySet<Vendor>;
}

/** What allows the items of one kind, and which wider sources are not taken. */
function chooseFor(
  directives: ReadonlyMap<string, readonly string[]>,
  kind: SeenItem["kind"],
  judged: readonly Judged[],
  options: SuggestOptions,
): ChosenList {
  const name = listOfKind[kind];
  const given = (directives.get(name) ?? []).filter((value) => canonicalSource(value) !== "'none'");
  // Without the other directives: a list of its own takes the place of default-src.
  const isUpgrading = directives.has("upgrade-insecure-requests");
  const compiled = compile([name, ...given].join(" ") + (isUpgrading ? "; upgrade-insecure-requests" : ""));
  const own = options.firstParty === undefined ? "all" : new Set(options.firstParty.map(lowerCase));
  const vendors = new Set<Vendor>();

  const wanted = judged.flatMap(({ seen, excluded }) => {
    const pageUrl = pageUrlOf(seen);
    if (excluded !== undefined || compiled.allows({ kind, url: seen.item.url, pageUrl })) return [];
    const levels = levelsOf(seen, pageUrl, { isUpgrading, own, granularity: options.granularity ?? "host" });
    const vendor = levels?.vendor();
    if (vendor !== undefined) vendors.add(vendor);
    return levels === undefined ? [] : [levels];
  });
  const malicious = judged.flatMap(({ seen, excluded }) => (excluded?.reason === "malicious" ? [seen] : []));
  const withEval = given.some((value) => canonicalSource(value) === "'unsafe-eval'");
  const danger = { kind, malicious, withEval, isUpgrading };
  const { sources, narrowed } = chooseSources(wanted, danger);
  return { name, given, suggested: withoutCovered(sources).sort(byReadingOrder), narrowed, danger, vendors };
}

function listOf({ given, suggested }: ChosenList): string[] {
  const sources = [...given, ...suggested];
  return sources.length === 0 ? ["'none'"] : sources;
}

/** Merges hosts into wildcards, those first that save most, while the policy is too long and as far as that is safe. */
function mergeWhile(
  isTooLong: () => boolean,
  chosen: readonly ChosenList[],
  directives: Map<string, string[]>,
): readonly Merged[] {
  if (!isTooLong()) return [];
  const merged: Merged[] = [];
  const candidates = chosen
    .flatMap((list) => mergeable(list.suggested).map((one) => ({ list, one })))
    .sort((a, b) => b.one.saved - a.one.saved);
  for (const { list, one } of candidates) {
    if (!isTooLong()) break;
    if (!isSafe([list], list.danger.kind, one.wildcard)) continue;
    const others = list.suggested.filter((source) => !one.sources.includes(source));
    list.suggested = [...others, one.wildcard].sort(byReadingOrder);
    directives.set(list.name, listOf(list));
    merged.push(one);
  }
  return merged;
}

function isSafe(chosen: readonly ChosenList[], kind: SeenItem["kind"], source: string): boolean {
  const danger = chosen.find((list) => list.danger.kind === kind)?.danger;
  return danger === undefined || dangersOf(new Set([source]), danger).size === 0;
}

function isOfOneRelease(source: string): boolean {
  const read = parseSource(source);
  return read.kind === "host" && read.path !== undefined && namesOneRelease(read.path);
}
