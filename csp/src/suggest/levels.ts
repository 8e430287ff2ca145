import { hostOf, type SeenItem } from "../impact/seen-item";
import { compile } from "../match/matches";
import { toRequestUrl, upgraded, withScheme } from "../syntax/request-url";
import { parseUrl } from "../texts";
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

const selfOnly = compile("default-src 'self'");

/**
 * All hosts of a kind where visitors meet another one each, a whole host, its folders from the widest on, and the URL.
 * Folders that the next release renames come last: a policy that names one breaks with it. Undefined when no source can
 * allow the item.
 */
export function levelsOf(seen: SeenItem, pageUrl: string, options: LevelOptions): Levels | undefined {
  const { kind, item } = seen;
  const { granularity, evidence } = options;
  const base = toRequestUrl(withScheme(pageUrl)) === undefined ? undefined : withScheme(pageUrl);
  const page = base === undefined ? undefined : toRequestUrl(base);
  const read = toRequestUrl(item.url, base);
  const pathname = parseUrl(item.url, base)?.pathname;
  if (read === undefined || pathname === undefined) return undefined;
  const url = options.isUpgrading ? upgraded(read) : read;
  const at = (path: string, host = url.host) => sourceOf({ ...url, host }, path, page?.scheme ?? "https");

  const isOwn = options.own === "all" || options.own.has(hostOf(item.url));
  const isSelf = isOwn && selfOnly.allows({ kind, url: item.url, pageUrl });
  const folders = () => evidence.folders(url.host, pathname);
  // A host as a whole is found without its folders.
  const asked =
    granularity === "host" ? "" : granularity === "url" ? pathname : (folders().lasting.at(-1) ?? "");
  const wildcard = granularity === "url" || isSelf ? undefined : evidence.wildcardFor(url.host);
  const narrowest = at(asked);
  const first = isSelf ? "'self'" : wildcard === undefined ? narrowest : at(asked, wildcard);
  if (first === undefined || narrowest === undefined) return undefined;
  const narrower = () => {
    if (granularity === "url") return [];
    const { lasting, ofOneRelease } = folders();
    const below = lasting.filter((folder) => folder.length > asked.length);
    const paths = [...(isSelf ? [] : [asked]), ...below, ...ofOneRelease, pathname];
    return [...new Set(paths.flatMap((path) => at(path) ?? []))].filter((source) => source !== first);
  };
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  const isWholeHost = granularity === "path" && asked === "" && !isSelf && folder !== "/";
  const wider = isWholeHost ? at(folder) : wildcard === undefined ? undefined : narrowest;
  return { first, asked: wider, narrower };
}
