import { plainSlashes, type RequestUrl, schemesAllowing } from "../syntax/request-url";
import { type HostSource, parseSource, type Source } from "../syntax/source";
import { failingOrigin, isSelf, networkSchemes } from "./source-match";

/** Values of one directive, prepared for matching many URLs. */
export class SourceList {
  readonly #hosts = new Map<string, Paths>();
  /** Paths of wildcard sources, by the domain after `*.`. */
  readonly #wildcards = new Map<string, Paths>();
  /** Lengths of the keys of `#wildcards`. A host has only one ending of each length to look up. */
  readonly #wildcardLengths = new Set<number>();
  /** Lengths of the folders in `Paths`. A path has only one beginning of each length to look up. */
  readonly #folderLengths = new Set<number>();
  /** Sources that allow a whole scheme (`https:`), by scheme. */
  readonly #schemes = new Map<string, string>();
  readonly #keywords = new Map<string, string>();
  #hasStar = false;
  #hasHashOrNonce = false;
  /** Whether the list has the hash of a URL. Chromium then ignores hosts, schemes and `'self'`, except for frames and forms. */
  readonly hasUrlHash: boolean = false;

  constructor(values: Iterable<string>, read = parseSource) {
    for (const text of values) {
      const source = read(text);
      if (source.kind === "star") this.#hasStar = true;
      else if (source.kind === "scheme") this.#schemes.set(source.scheme, text);
      else if (source.kind === "keyword") this.#keywords.set(source.keyword, text);
      else if (source.kind === "host") this.#addHost(source, text);
      this.hasUrlHash ||= source.kind === "hash" && source.of === "url";
      this.#hasHashOrNonce ||= source.kind === "nonce" || (source.kind === "hash" && source.of === "content");
    }
  }

  #addHost(source: HostSource, text: string): void {
    const { path } = source;
    this.#place({ source, text, isAsWritten: true });
    const plain = path && plainSlashes(path);
    if (plain !== path) this.#place({ source: { ...source, path: plain }, text, isAsWritten: false });
  }

  #place(written: Written): void {
    const { isWildcard, path = "", port } = written.source;
    const host = port === undefined ? written.source.host : (toPlaceKeys(written.source.host, port)[0] ?? "");
    if (isWildcard) this.#wildcardLengths.add(host.length);
    if (path.endsWith("/")) this.#folderLengths.add(path.length);
    const places = isWildcard ? this.#wildcards : this.#hosts;
    const paths: Paths = places.get(host) ?? new Map();
    places.set(host, paths);
    const there = paths.get(path);
    if (there === undefined) paths.set(path, [written]);
    else there.push(written);
  }

  get isStrictDynamic(): boolean {
    return this.#keywords.has("strict-dynamic");
  }

  /** Whether no script is allowed by host, scheme or `'self'`. */
  get ignoresHostsOfScripts(): boolean {
    return this.isStrictDynamic || this.hasUrlHash;
  }

  hasKeyword(keyword: string): boolean {
    return this.#keywords.has(keyword);
  }

  /** Whether all inline styles are allowed and, without `'strict-dynamic'`, all inline scripts (CSP Level 3, 6.7.3.2). */
  get allowsAllInline(): boolean {
    return this.#keywords.has("unsafe-inline") && !this.#hasHashOrNonce;
  }

  /**
   * Whether every browser allows the URL. Follows the standard, by which an encoded slash is not a separator, so some browsers
   * may allow more (`docs/csp-matching.md`).
   */
  allows(url: RequestUrl, page: RequestUrl): boolean {
    return this.#some(url, page, (_, isAsWritten) => isAsWritten);
  }

  /** Returns the sources that allow the URL in any browser, as written. */
  allowing(url: RequestUrl, page: RequestUrl): readonly string[] {
    const found = new Set<string>();
    this.#some({ ...url, path: plainSlashes(url.path) }, page, (text) => {
      found.add(text);
      return false;
    });
    return [...found];
  }

  /** Returns a source that matches every URL that `narrow` matches, on any page. Ignores `own`, the text of `narrow`. */
  coveredBy(narrow: Source, own?: string): string | undefined {
    if (narrow.kind === "keyword") return narrow.keyword === "self" && this.#hasStar ? "*" : undefined;
    if (narrow.kind !== "scheme" && narrow.kind !== "host") return undefined;
    // A source without a scheme has the scheme of the page: http or https. `*` matches both.
    const { scheme = "http" } = narrow;
    if (this.#hasStar && networkSchemes.has(scheme)) return "*";
    const whole = schemesAllowing(scheme).flatMap((wide) => this.#schemes.get(wide) ?? []);
    const byScheme = whole.find((text) => text !== own);
    if (byScheme !== undefined || narrow.kind !== "host") return byScheme;
    // `*.a.example` allows hosts below `a.example`, so it is looked up like such a host.
    const host = narrow.isWildcard ? (narrow.host === "" ? "*" : `*.${narrow.host}`) : narrow.host;
    const isCovering = (wide: Written) =>
      wide.isAsWritten && wide.text !== own && coversOrigin(wide.source, narrow);
    const places = toPlaceKeys(host, narrow.port);
    const found = places.map((place) => this.#find(place, narrow.path ?? "", isCovering));
    return found.find((wide) => wide !== undefined)?.text;
  }

  /** Returns a source whose host and path match and that passes the test. */
  #find(place: string, path: string, test: (source: Written) => boolean): Written | undefined {
    let found = this.#findAt(this.#hosts.get(place), path, test);
    for (const length of this.#wildcardLengths) {
      if (found !== undefined) return found;
      const start = place.length - length;
      // The length is 0 for `*`, which matches every host.
      if (length === 0 || place[start - 1] === ".")
        found = this.#findAt(this.#wildcards.get(place.slice(start)), path, test);
    }
    return found;
  }

  #findAt(paths: Paths | undefined, path: string, test: (source: Written) => boolean): Written | undefined {
    if (paths === undefined) return undefined;
    const found = paths.get("")?.find(test) ?? paths.get(path)?.find(test);
    if (found !== undefined) return found;
    for (const length of this.#folderLengths) {
      if (length >= path.length || path[length - 1] !== "/") continue;
      const below = paths.get(path.slice(0, length))?.find(test);
      if (below !== undefined) return below;
    }
    return undefined;
  }

  /** Whether `isEnough` accepts one of the sources that match (CSP Level 3, 6.7.2.7, as Chromium implements it). */
  #some(url: RequestUrl, page: RequestUrl, isEnough: (text: string, isAsWritten: boolean) => boolean) {
    const isOfStar = networkSchemes.has(url.scheme) || url.scheme === page.scheme;
    if (this.#hasStar && isOfStar && isEnough("*", true)) return true;
    const self = this.#keywords.get("self");
    if (self !== undefined && isSelf(url, page) && isEnough(self, true)) return true;
    const schemes = this.#schemes.size > 0 ? schemesAllowing(url.scheme) : [];
    for (const scheme of schemes) {
      const text = this.#schemes.get(scheme);
      if (text !== undefined && isEnough(text, true)) return true;
    }
    const isMatch = ({ source, text, isAsWritten }: Written) =>
      failingOrigin(source, url, page).length === 0 && isEnough(text, isAsWritten);
    const { host, port } = url;
    if (port === undefined) return this.#find(host, url.path, isMatch) !== undefined;
    return toPlaceKeys(host, port).some((place) => this.#find(place, url.path, isMatch) !== undefined);
  }
}

/**
 * Returns the keys under which sources with a host and port are stored. An unusual port is part of the first key, because a
 * list may have one host with many ports.
 */
function toPlaceKeys(host: string, port: HostSource["port"]): readonly string[] {
  const isUsual = host === "" || port === undefined || port === "*" || [21, 80, 443].includes(port);
  return isUsual ? [host] : [`${host}:${port}`, host];
}

function coversOrigin(wide: HostSource, narrow: HostSource): boolean {
  const isAnyPort = wide.port === "*";
  if (wide.scheme === narrow.scheme) return isAnyPort || wide.port === narrow.port;
  if (wide.scheme === undefined) return false;
  // Browsers upgrade the scheme only with the port, so neither source may have a port, or the wide one must allow any port.
  const areOpen = wide.port === undefined && narrow.port === undefined;
  return schemesAllowing(narrow.scheme ?? "http").includes(wide.scheme) && (isAnyPort || areOpen);
}

/** A host source with its text in the policy. */
interface Written {
  readonly source: HostSource;
  readonly text: string;
  /** Whether the path of `source` is as written. If not, plain slashes replace the encoded ones, as some browsers read it. */
  readonly isAsWritten: boolean;
}

type Paths = Map<string, Written[]>;
