import { listOfKind, pageUrlOf, type ReadItem, type SeenItem } from "../impact/seen-item";
import { publishedBy } from "../lint/anyone-publishes";
import { bypassOf } from "../lint/known-bypasses";
import { compile } from "../match/matches";
import { isSelf } from "../match/source-match";
import { upgraded } from "../syntax/request-url";
import { parseSource } from "../syntax/source";
import type { Evidence } from "./evidence";
import { sourceOf } from "./suggested-source";

/** How much one source allows at most. */
export type Granularity = "host" | "path" | "url";

/** The sources that allow one item. */
export interface Levels {
  /** What is taken where it is safe. */
  readonly first: string;
  /** What is asked for, where `first` is wider. */
  readonly asked: string | undefined;
  readonly item: ReadItem;
}

interface LevelOptions {
  readonly isUpgrading: boolean;
  /** Hosts whose items become `'self'` on their own pages. */
  readonly own: ReadonlySet<string> | "all";
  readonly granularity: Granularity;
  readonly evidence: Evidence;
}

/** `'self'`, all hosts of a kind where visitors meet another one each, or what was asked for. Undefined: no source can allow it. */
export function levelsOf(item: ReadItem, options: LevelOptions): Levels | undefined {
  const { url, pathname, page } = item;
  if (url === undefined) return undefined;
  const { granularity, evidence, own } = options;
  const asked = askedPath(item, options);
  const narrowest = sourceAt(item, asked, options);
  if (narrowest === undefined) return undefined;
  if ((own === "all" || own.has(url.host)) && isSelf(url, page.url))
    return { first: "'self'", asked: undefined, item };
  const wildcard = granularity === "url" ? undefined : evidence.wildcardFor(url.host);
  const first = wildcard === undefined ? narrowest : sourceAt(item, asked, options, wildcard);
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  const isWholeHost = granularity === "path" && asked === "" && folder !== "/";
  const wished = isWholeHost ? sourceAt(item, folder, options) : wildcard && narrowest;
  return { first: first ?? narrowest, asked: wished, item };
}

function askedPath({ url, pathname }: ReadItem, { granularity, evidence }: LevelOptions): string {
  // A host as a whole is found without its folders.
  if (granularity === "host" || url === undefined) return "";
  return granularity === "url" ? pathname : (evidence.folders(url.host, pathname).lasting.at(-1) ?? "");
}

function sourceAt(
  { url, page }: ReadItem,
  path: string,
  { isUpgrading }: LevelOptions,
  host = url?.host,
): string | undefined {
  if (url === undefined || host === undefined) return undefined;
  return sourceOf({ ...(isUpgrading ? upgraded(url) : url), host }, path, page.url.scheme);
}

/**
 * What is narrower than the first, the widest first: the host, its folders, and the URL. Folders that the next release
 * renames come last: a policy that names one breaks with it.
 */
function narrowerThan({ first, item }: Levels, options: LevelOptions): readonly string[] {
  const { url, pathname } = item;
  if (options.granularity === "url" || url === undefined) return [];
  const asked = askedPath(item, options);
  const { lasting, ofOneRelease } = options.evidence.folders(url.host, pathname);
  const below = lasting.filter((folder) => folder.length > asked.length);
  const paths = [...(first === "'self'" ? [] : [asked]), ...below, ...ofOneRelease, pathname];
  const sources = paths.flatMap((path) => sourceAt(item, path, options) ?? []);
  return [...new Set(sources)].filter((source) => source !== first);
}

/** A source that is not suggested, because it allows more than what is to be allowed. */
export interface Narrowed {
  readonly source: string;
  /**
   * It would let in a `malicious` item; anyone can publish there (`anyone-publishes`); or it is known to bypass
   * policies (`bypass`).
   */
  readonly reason: "malicious" | "anyone-publishes" | "bypass";
}

interface Danger {
  readonly kind: SeenItem["kind"];
  /** What must not be allowed. */
  readonly malicious: readonly SeenItem[];
  /** Some bypasses need `'unsafe-eval'` in the same directive. */
  readonly withEval: boolean;
}

/**
 * One source for each item: the widest of its levels that lets nothing dangerous in, else the narrowest. Which is taken
 * does not depend on the order of the items.
 */
export function chooseSources(
  items: readonly Levels[],
  danger: Danger,
  options: LevelOptions,
): { readonly sources: ReadonlySet<string>; readonly narrowed: readonly Narrowed[] } {
  const sources = new Set<string>();
  const narrowed = new Map<string, Narrowed>();
  let open: readonly { readonly source: string; readonly rest: () => readonly string[] }[] = items.map(
    (levels) => ({ source: levels.first, rest: () => narrowerThan(levels, options) }),
  );
  while (open.length > 0) {
    const found = dangersOf(new Set(open.map(({ source }) => source)), danger, options);
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
  return {
    sources,
    narrowed: [...narrowed.values()].sort((a, b) => (a.source < b.source ? -1 : 1)),
  };
}

/** Source to what is wrong with it. */
function dangersOf(
  sources: ReadonlySet<string>,
  { kind, malicious, withEval }: Danger,
  { isUpgrading }: LevelOptions,
): ReadonlyMap<string, Narrowed["reason"]> {
  const found = new Map<string, Narrowed["reason"]>();
  for (const source of kind === "script" ? sources : []) {
    const read = parseSource(source);
    if (read.kind !== "host") continue;
    if (publishedBy(read) !== undefined) found.set(source, "anyone-publishes");
    // What is weak is so at any path.
    else if (bypassOf(read, { withEval })?.isWeak === false) found.set(source, "bypass");
  }
  if (malicious.length === 0) return found;
  const directive = [listOfKind[kind], ...sources].join(" ");
  const compiled = compile(isUpgrading ? `${directive}; upgrade-insecure-requests` : directive);
  for (const seen of malicious) {
    const request = { kind, url: seen.item.url, pageUrl: pageUrlOf(seen) };
    for (const source of compiled.sourcesFor(request)) found.set(source, "malicious");
  }
  return found;
}
