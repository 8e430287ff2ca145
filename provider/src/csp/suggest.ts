import type { Connection, Script } from "../api/client-types";
import { parseUrl } from "../text/parse-url";
import { build, type Directives } from "./build";
import { because, type Excluded, type ExclusionOptions, exclude } from "./exclusion";
import type { Finding } from "./finding";
import { lint } from "./lint";
import { compile } from "./matches";
import { chooseSources, type Levels, type Narrowed } from "./narrowing";
import { lowerCase } from "./parse";
import { toRequestUrl, upgraded, withScheme } from "./request-url";
import { hostOf, pageUrlOf, type SeenItem, seenItems } from "./seen-item";
import { canonicalSource } from "./source-text";
import { byReadingOrder, type Granularity, sourceOf, withoutCovered } from "./suggested-source";

export interface SuggestOptions extends ExclusionOptions {
  /**
   * How much one source allows at most: a whole `host` (default), a `path` with all below it, or one `url`. A host that
   * also serves something malicious, or is known to get around policies, is allowed by path, and by URL if need be.
   */
  readonly granularity?: Granularity;
  /** Hosts of one's own whose items become `'self'` on their own pages; every page's own host when absent. */
  readonly firstParty?: readonly string[];
  /** What the policy shall have besides; sources are added to its lists. */
  readonly base?: Directives;
}

export interface Suggestion {
  readonly directives: Record<string, string[]>;
  /** The canonical text of `directives`; empty when nothing was given. */
  readonly value: string;
  /** How many items it allows, besides those in `excluded`. */
  readonly included: { readonly scripts: number; readonly connections: number };
  /** What no source was made for; what the policy allows all the same first (`allowedBy`), else as given. */
  readonly excluded: readonly Excluded[];
  /** Sources that were not taken because they allow something dangerous; paths or URLs stand in for them. */
  readonly narrowed: readonly Narrowed[];
  /** What `lint` still finds of severity high, and says why: nothing narrower would allow what is in use. */
  readonly findings: readonly Finding[];
}

const DIRECTIVE_OF = { script: "script-src", connection: "connect-src" } as const;
const SELF = compile("default-src 'self'");
const NARROWER = { host: ["host", "path", "url"], path: ["path", "url"], url: ["url"] } as const;

/**
 * The smallest readable policy that allows what was seen, malicious items excepted. Every item that was given is
 * either allowed by it or in `excluded`; one that is in `excluded` and allowed all the same names the source. The same
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
  const directives = new Map(
    Object.entries(options.base ?? {}).map(([name, values]) => [lowerCase(name), [...values]]),
  );
  const narrowed: Narrowed[] = [];
  for (const kind of ["script", "connection"] as const) {
    const ofKind = judged.filter(({ seen }) => seen.kind === kind);
    if (ofKind.length > 0) narrowed.push(...addSources(directives, kind, ofKind, options));
  }
  const plain = Object.fromEntries(directives);
  const value = build(plain);
  const excluded = allExcluded(judged, value);
  const left = (kind: SeenItem["kind"], all: number) =>
    all - excluded.filter((one) => one.kind === kind).length;
  return {
    directives: plain,
    value,
    included: {
      scripts: left("script", scripts.length),
      connections: left("connection", connections.length),
    },
    excluded,
    narrowed,
    findings: value === "" ? [] : lint(value).filter(({ severity }) => severity === "high"),
  };
}

interface Judged {
  readonly seen: SeenItem;
  readonly excluded: Excluded | undefined;
}

/** Whatever was decided before: what the text does not allow, and what it allows all the same, is said. */
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

/** Adds what allows the items of one kind to its directive, and tells which wider sources it did not take. */
function addSources(
  directives: Map<string, string[]>,
  kind: SeenItem["kind"],
  judged: readonly Judged[],
  options: SuggestOptions,
): readonly Narrowed[] {
  const name = DIRECTIVE_OF[kind];
  const given = (directives.get(name) ?? []).filter((value) => canonicalSource(value) !== "'none'");
  // Without the other directives: a list of its own takes the place of default-src.
  const isUpgrading = directives.has("upgrade-insecure-requests");
  const compiled = compile([name, ...given].join(" ") + (isUpgrading ? "; upgrade-insecure-requests" : ""));
  const own = options.firstParty === undefined ? "all" : new Set(options.firstParty.map(lowerCase));

  const wanted = judged.flatMap(({ seen, excluded }) => {
    const pageUrl = pageUrlOf(seen);
    if (excluded !== undefined || compiled.allows({ kind, url: seen.item.url, pageUrl })) return [];
    const levels = levelsOf(seen, pageUrl, { isUpgrading, own, granularity: options.granularity ?? "host" });
    return levels === undefined ? [] : [levels];
  });
  const malicious = judged.flatMap(({ seen, excluded }) => (excluded?.reason === "malicious" ? [seen] : []));
  const withEval = given.some((value) => canonicalSource(value) === "'unsafe-eval'");
  const chosen = chooseSources(wanted, { kind, malicious, withEval, isUpgrading });

  const sources = [...given, ...withoutCovered(chosen.sources).sort(byReadingOrder)];
  directives.set(name, sources.length === 0 ? ["'none'"] : sources);
  return chosen.narrowed;
}

interface LevelOptions {
  readonly isUpgrading: boolean;
  readonly own: ReadonlySet<string> | "all";
  readonly granularity: Granularity;
}

/** The sources that allow an item, the widest first; undefined when none can. */
function levelsOf(seen: SeenItem, pageUrl: string, options: LevelOptions): Levels | undefined {
  const { kind, item } = seen;
  const base = toRequestUrl(withScheme(pageUrl)) === undefined ? undefined : withScheme(pageUrl);
  const page = base === undefined ? undefined : toRequestUrl(base);
  const read = toRequestUrl(item.url, base);
  const pathname = parseUrl(item.url, base)?.pathname;
  if (read === undefined || pathname === undefined) return undefined;
  const url = options.isUpgrading ? upgraded(read) : read;

  const isOwn = options.own === "all" || options.own.has(hostOf(item.url));
  const isSelf = isOwn && SELF.allows({ kind, url: item.url, pageUrl });
  const levels = new Set(isSelf ? ["'self'"] : []);
  for (const granularity of NARROWER[
    isSelf && options.granularity === "host" ? "path" : options.granularity
  ]) {
    const source = sourceOf(url, pathname, page?.scheme ?? "https", granularity);
    if (source !== undefined) levels.add(source);
  }
  const [first, ...rest] = levels;
  return first === undefined ? undefined : [first, ...rest];
}
