import { parseUrl } from "../../text/parse-url";
import { hostOf, type SeenItem } from "../impact/seen-item";
import { compile } from "../match/matches";
import { toRequestUrl, upgraded, withScheme } from "../syntax/request-url";
import { foldersOf } from "./stable-path";
import { sourceOf } from "./suggested-source";
import { documentedFor, type Vendor } from "./vendors";

/** How much one source allows at most. */
export type Granularity = "host" | "path" | "url";

/** The sources that allow one item. */
export interface Levels {
  /** What is asked for. */
  readonly first: string;
  /** What is narrower, the widest first: only made where the first is not safe. */
  readonly narrower: () => readonly string[];
  /** Whose it is, where that vendor documents what its customers have to allow. */
  readonly vendor: () => Vendor | undefined;
}

export interface LevelOptions {
  readonly isUpgrading: boolean;
  /** Hosts whose items become `'self'` on their own pages. */
  readonly own: ReadonlySet<string> | "all";
  readonly granularity: Granularity;
}

const selfOnly = compile("default-src 'self'");

/**
 * A whole host, its folders from the widest on, and the URL. Folders that the next release renames come last: a policy
 * that names one breaks with it. Undefined when no source can allow the item.
 */
export function levelsOf(seen: SeenItem, pageUrl: string, options: LevelOptions): Levels | undefined {
  const { kind, item } = seen;
  const { granularity } = options;
  const base = toRequestUrl(withScheme(pageUrl)) === undefined ? undefined : withScheme(pageUrl);
  const page = base === undefined ? undefined : toRequestUrl(base);
  const read = toRequestUrl(item.url, base);
  const pathname = parseUrl(item.url, base)?.pathname;
  if (read === undefined || pathname === undefined) return undefined;
  const url = options.isUpgrading ? upgraded(read) : read;
  const at = (path: string) => sourceOf(url, path, page?.scheme ?? "https");

  const isOwn = options.own === "all" || options.own.has(hostOf(item.url));
  const isSelf = isOwn && selfOnly.allows({ kind, url: item.url, pageUrl });
  const paths = () => {
    if (granularity === "url") return [pathname];
    const { lasting, ofOneRelease } = foldersOf(pathname);
    if (granularity === "host") return ["", ...lasting, ...ofOneRelease, pathname];
    const documented = documentedFor(kind, url);
    // What a vendor documents stays when the folders below it are renamed.
    const asked = documented === undefined ? (lasting.at(-1) ?? "") : documented.path;
    const below = lasting.filter((folder) => folder.length > asked.length && folder.startsWith(asked));
    return [asked, ...below, ...ofOneRelease, pathname];
  };
  // A host as a whole is found without its folders.
  const first = isSelf ? "'self'" : at(granularity === "host" ? "" : (paths()[0] ?? ""));
  if (first === undefined) return undefined;
  const narrower = () => {
    const sources = paths()
      .filter((path) => !isSelf || path !== "")
      .flatMap((path) => at(path) ?? []);
    return [...new Set(sources)].filter((source) => source !== first);
  };
  return { first, narrower, vendor: () => (isSelf ? undefined : documentedFor(kind, url)?.vendor) };
}
