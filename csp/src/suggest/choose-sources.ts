import { listOfKind, pageUrlOf, type ReadItem, type SeenItem } from "../impact/seen-item";
import { publishedBy } from "../lint/anyone-publishes";
import { bypassOf } from "../lint/known-bypasses";
import { compile } from "../match/matches";
import { isSelf } from "../match/source-match";
import { fromUrl, upgraded } from "../syntax/request-url";
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
  readonly asked?: string | undefined;
  /** What is narrower, the widest first: only made where the first is not safe. */
  readonly narrower: () => readonly string[];
}

interface LevelOptions {
  readonly isUpgrading: boolean;
  /** Hosts whose items become `'self'` on their own pages. */
  readonly own: ReadonlySet<string> | "all";
  readonly granularity: Granularity;
  readonly evidence: Evidence;
}

/**
 * All hosts of a kind where visitors meet another one each, a whole host, its folders from the widest on, and the URL.
 * Folders that the next release renames come last: a policy that names one breaks with it. Undefined when no source can
 * allow the item.
 */
export function levelsOf({ url, page }: ReadItem, options: LevelOptions): Levels | undefined {
  if (url === undefined) return undefined;
  const { granularity, evidence } = options;
  const read = fromUrl(url);
  const target = options.isUpgrading ? upgraded(read) : read;
  const { host } = target;
  const { pathname } = url;
  const at = (path: string, of = host) => sourceOf({ ...target, host: of }, path, page.url.scheme);

  const isOwn = (options.own === "all" || options.own.has(host)) && isSelf(read, page.url);
  const folders = () => evidence.folders(host, pathname);
  // A host as a whole is found without its folders.
  const asked = { host: () => "", url: () => pathname, path: () => folders().lasting.at(-1) ?? "" }[
    granularity
  ]();
  const wildcard = granularity === "url" || isOwn ? undefined : evidence.wildcardFor(host);
  const narrowest = at(asked);
  const first = isOwn ? "'self'" : wildcard === undefined ? narrowest : at(asked, wildcard);
  if (first === undefined || narrowest === undefined) return undefined;
  const narrower = () => {
    if (granularity === "url") return [];
    const { lasting, ofOneRelease } = folders();
    const below = lasting.filter((folder) => folder.length > asked.length);
    const paths = [...(isOwn ? [] : [asked]), ...below, ...ofOneRelease, pathname];
    return [...new Set(paths.flatMap((path) => at(path) ?? []))].filter((source) => source !== first);
  };
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  const isWholeHost = granularity === "path" && asked === "" && !isOwn && folder !== "/";
  return { first, asked: isWholeHost ? at(folder) : wildcard && narrowest, narrower };
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
  readonly isUpgrading: boolean;
}

/**
 * One source for each item: the widest of its levels that lets nothing dangerous in, else the narrowest. Which is taken
 * does not depend on the order of the items.
 */
export function chooseSources(
  items: readonly Levels[],
  danger: Danger,
): { readonly sources: ReadonlySet<string>; readonly narrowed: readonly Narrowed[] } {
  const sources = new Set<string>();
  const narrowed = new Map<string, Narrowed>();
  let open = items;
  while (open.length > 0) {
    const found = dangersOf(new Set(open.map(({ first }) => first)), danger);
    const next: Levels[] = [];
    for (const { first: source, narrower } of open) {
      const reason = found.get(source);
      const [below, ...rest] = reason === undefined ? [] : narrower();
      if (reason === undefined || below === undefined) {
        sources.add(source);
      } else {
        narrowed.set(source, { source, reason });
        next.push({ first: below, narrower: () => rest });
      }
    }
    open = next;
  }
  return {
    sources,
    narrowed: [...narrowed.values()].sort((a, b) => (a.source < b.source ? -1 : 1)),
  };
}

/** Source to what is wrong with it. */
function dangersOf(
  sources: ReadonlySet<string>,
  { kind, malicious, withEval, isUpgrading }: Danger,
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
