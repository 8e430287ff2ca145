import { publishedBy } from "../hosts/anyone-publishes";
import type { SeenItem } from "../impact/seen-item";
import { findBypass } from "../lint/known-bypasses";
import { compile, type PolicyRequest } from "../match/matches";
import { SourceList } from "../match/source-list";
import { isSelf, networkSchemes } from "../match/source-match";
import { upgrade } from "../syntax/request-url";
import { parseSource } from "../syntax/source";
import { groupBy } from "../texts";
import type { Evidence } from "./evidence";
import { listOfKind, type ReadItem, toFolder } from "./read-item";

/** Widest extent that one source may have. */
export type Granularity = "host" | "path" | "url";

interface LevelOptions {
  readonly isUpgrading: boolean;
  /** Hosts whose items become `'self'` on their own pages. */
  readonly own: ReadonlySet<string> | "all";
  readonly granularity: Granularity;
  readonly evidence: Evidence;
}

/**
 * Returns the sources to try for an item; undefined if no source can allow it. `first` is preferred if it is safe: `'self'`, a
 * wildcard if visitors meet different hosts of the same kind, or the source of the requested granularity. `asked`: the source of
 * the requested granularity, if `first` is wider. `narrower`: returns the narrower sources, the widest first.
 */
export function chooseLevels(item: ReadItem, options: LevelOptions) {
  const { url, pathname, page } = item;
  if (url === undefined) return undefined;
  const { granularity, evidence, own } = options;
  // For a whole host or a single URL the folders do not matter.
  const folders = granularity === "path" ? evidence.folders(url.host, pathname).lasting : [];
  const path = granularity === "url" ? pathname : (folders.at(-1) ?? "");
  const levels = (first: string, asked?: string) => {
    return { first, asked, narrower: () => narrowerThan(first, path, item, options) };
  };
  // `'self'` also allows a host that no other source can name.
  if ((own === "all" || own.has(url.host)) && isSelf(url, page.url)) return levels("'self'");
  const narrowest = makeSource(item, path, options);
  if (narrowest === undefined) return undefined;
  const wildcard = granularity === "url" ? undefined : evidence.findWildcard(url.host);
  const first = wildcard === undefined ? narrowest : makeSource(item, path, options, wildcard);
  const folder = toFolder(pathname);
  const isWholeHost = granularity === "path" && path === "" && folder !== "/";
  return levels(first ?? narrowest, isWholeHost ? makeSource(item, folder, options) : wildcard && narrowest);
}

/**
 * Returns the source for a path on an item's host: a folder with everything below it, one file, or (`""`) the whole host. If the
 * URL is https and the page is http or https, the source has no scheme, unless it has a port and the page is http. Undefined if
 * no source can name the host (IPv6, underscores).
 */
function makeSource({ url, page }: ReadItem, path: string, { isUpgrading }: LevelOptions, host = url?.host) {
  if (url === undefined) return undefined;
  const { scheme, port } = isUpgrading ? upgrade(url) : url;
  if (!networkSchemes.has(scheme)) return `${scheme}:`;
  const isSchemeOfPage = scheme === "https" && /^https?$/.test(page.url.scheme);
  // Browsers do not upgrade the scheme of a source that has a port.
  const needsScheme = !isSchemeOfPage || (port !== undefined && page.url.scheme !== "https");
  // Browsers decode paths before they compare them. A `*` would look like a wildcard, which it is not.
  const escaped = path.replaceAll(";", "%3B").replaceAll(",", "%2C").replaceAll("*", "%2A");
  const start = needsScheme ? `${scheme}://` : "";
  // Every path is below `/`, so the path `/` is left out.
  const end = (port === undefined ? "" : `:${port}`) + (path === "/" ? "" : escaped);
  const source = `${start}${host}${end}`;
  return parseSource(source).kind === "host" ? source : undefined;
}

/**
 * Returns the sources that are narrower than `first`, the widest first: the host, its folders, and the URL. Folders that the
 * next release renames come after the other folders, because a policy that names such a folder breaks with that release.
 */
function narrowerThan(first: string, asked: string, item: ReadItem, options: LevelOptions) {
  const { url, pathname } = item;
  if (url === undefined) return [];
  const { lasting, ofOneRelease } = options.evidence.folders(url.host, pathname);
  const below = lasting.filter((folder) => folder.length > asked.length);
  const start = first === "'self'" && asked === "" ? [] : [asked];
  const paths = options.granularity === "url" ? [pathname] : [...start, ...below, ...ofOneRelease, pathname];
  const sources = paths.flatMap((path) => makeSource(item, path, options) ?? []);
  return [...new Set(sources)].filter((source) => source !== first);
}

/** A source that is not suggested, because it allows too much. */
export interface Narrowed {
  readonly source: string;
  /**
   * Reason why the source is left out: it would allow a `malicious` item; anyone can publish there (`anyone-publishes`); or
   * scripts there are known to bypass policies (`bypass`).
   */
  readonly reason: "malicious" | "anyone-publishes" | "bypass";
}

interface ChoiceOptions extends LevelOptions {
  readonly kind: SeenItem["kind"];
  /** Requests that must not be allowed. */
  readonly malicious: readonly PolicyRequest[];
  /** Whether the directive has `'unsafe-eval'`, which some bypasses need. */
  readonly withEval: boolean;
}

/** A source that allows more than requested. It is suggested because it lasts longer. */
export interface Wider {
  readonly source: string;
  /** Sources of the requested granularity that the wider source replaces. */
  readonly instead: readonly string[];
}

/**
 * Chooses one source for each item: the widest that allows nothing dangerous, else the narrowest. The order of the items does
 * not matter. Also returns the sources that narrower sources replace, and the sources that are wider than requested.
 */
export function chooseSources(items: readonly ReadItem[], options: ChoiceOptions) {
  const wanted = items.flatMap((item) => chooseLevels(item, options) ?? []);
  const sources = new Set<string>();
  const narrowed = new Map<string, Narrowed>();
  let open = wanted.map(({ first, narrower }) => ({ source: first, rest: narrower }));
  while (open.length > 0) {
    const found = findDangers(new Set(open.map(({ source }) => source)), options);
    open = open.flatMap(({ source, rest }) => {
      const reason = found.get(source);
      const [below, ...others] = reason === undefined ? [] : rest();
      if (reason === undefined || below === undefined) {
        sources.add(source);
        return [];
      }
      narrowed.set(source, { source, reason });
      return [{ source: below, rest: () => others }];
    });
  }
  const suggested = withoutCovered(sources);
  return {
    suggested,
    narrowed: [...narrowed.values()].sort((a, b) => (a.source < b.source ? -1 : 1)),
    wider: findWider(suggested, wanted),
  };
}

type Levels = NonNullable<ReturnType<typeof chooseLevels>>;

function findWider(suggested: readonly string[], wanted: readonly Levels[]): readonly Wider[] {
  const bySource = groupBy(wanted, ({ first }) => first);
  return suggested.flatMap((source) => {
    const instead = new Set((bySource.get(source) ?? []).flatMap(({ asked }) => asked ?? []));
    return instead.size === 0 ? [] : [{ source, instead: [...instead].sort(byReadingOrder) }];
  });
}

function findDangers(sources: ReadonlySet<string>, options: ChoiceOptions) {
  const { kind, malicious, isUpgrading, withEval } = options;
  const found = new Map<string, Narrowed["reason"]>();
  for (const source of kind === "script" ? sources : []) {
    const read = parseSource(source);
    if (read.kind !== "host") continue;
    if (publishedBy(read) !== undefined) found.set(source, "anyone-publishes");
    // A weak bypass does not count: a narrower path would not help against it.
    else if (findBypass(read, withEval)?.isWeak === false) found.set(source, "bypass");
  }
  if (malicious.length === 0) return found;
  const directive = [listOfKind[kind], ...sources].join(" ");
  const compiled = compile(isUpgrading ? `${directive}; upgrade-insecure-requests` : directive);
  for (const request of malicious)
    for (const source of compiled.sourcesFor(request)) found.set(source, "malicious");
  return found;
}

/** Returns the sources in reading order, without paths on a listed host, and without hosts below a listed wildcard. */
export function withoutCovered(sources: Iterable<string>): string[] {
  const all = new Map([...sources].map((source) => [source, parseSource(source)]));
  const list = new SourceList(all.keys(), (source) => all.get(source) ?? parseSource(source));
  const needed = [...all].filter(([source, read]) => list.coveredBy(read, source) === undefined);
  return needed.map(([source]) => source).sort(byReadingOrder);
}

/** Compares sources for sorting: `'self'`, then schemes, then hosts by name. */
function byReadingOrder(a: string, b: string): number {
  return readingKey(a) < readingKey(b) ? -1 : 1;
}

function readingKey(source: string): string {
  const rank = source.startsWith("'") ? 0 : source.endsWith(":") ? 1 : 2;
  return `${rank}${source.replace(/^[a-z]+:\/\//, "")} ${source}`;
}
