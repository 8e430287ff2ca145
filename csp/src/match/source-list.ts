import { plainSlashes, type RequestUrl, schemesAllowing, withPlainSlashes } from "../syntax/request-url";
import { type HostSource, parseSource, type Source } from "../syntax/source";
import { hostMatches, isSelf, networkSchemes, originMatches, pathMatches } from "./source-match";

interface HostIndexes {
  readonly hosts: HostIndex;
  /** Those with an encoded slash once more, as browsers read them to which it is a slash like any other. */
  readonly withPlainSlashes: HostIndex;
}

/** The values of one directive, ready for many URLs. */
export class SourceList {
  readonly #hosts: Written[] = [];
  /** Created for the first URL: questions about the whole list need none. */
  #indexes: HostIndexes | undefined;
  /** Scheme to the source that names it. */
  readonly #schemes = new Map<string, string>();
  readonly #keywords = new Map<string, string>();
  #hasStar = false;
  #hasAnyHost = false;
  #hasHashOrNonce = false;
  #hasUrlHash = false;

  constructor(values: Iterable<string>, read = parseSource) {
    for (const text of values) {
      const source = read(text);
      if (source.kind === "star") this.#hasStar = true;
      else if (source.kind === "scheme") this.#schemes.set(source.scheme, text);
      else if (source.kind === "keyword") this.#keywords.set(source.keyword, text);
      else if (source.kind === "host") this.#addHost(source, text);
      this.#hasUrlHash ||= source.kind === "hash" && source.of === "url";
      this.#hasHashOrNonce ||= source.kind === "nonce" || (source.kind === "hash" && source.of === "content");
    }
  }

  #addHost(source: HostSource, text: string): void {
    const { kind, scheme, isWildcard, host, port, path } = source;
    // Spread, each would take several times as long.
    this.#hosts.push({ kind, scheme, isWildcard, host, port, path, text });
    const isWhole = isWildcard && host === "" && port === "*" && (path === undefined || path === "/");
    this.#hasAnyHost ||= isWhole && (scheme === undefined || scheme === "https" || scheme === "http");
  }

  get isStrictDynamic(): boolean {
    return this.#keywords.has("strict-dynamic");
  }

  /** Chromium lets nothing in for its host, scheme or `'self'` beside the hash of a URL, frames and forms apart. */
  get hasUrlHash(): boolean {
    return this.#hasUrlHash;
  }

  /** No script is allowed for its host, scheme or `'self'`. */
  get ignoresHostsOfScripts(): boolean {
    return this.isStrictDynamic || this.#hasUrlHash;
  }

  hasKeyword(keyword: string): boolean {
    return this.#keywords.has(keyword);
  }

  /** Every inline script or style; for scripts `'strict-dynamic'` takes it away as well (CSP Level 3, 6.7.3.2). */
  get allowsAllInline(): boolean {
    return this.#keywords.has("unsafe-inline") && !this.#hasHashOrNonce;
  }

  /** Every URL on the network that a page on https may load, which is one on https. */
  get allowsAnyHost(): boolean {
    return this.#hasStar || this.#hasAnyHost || this.#schemes.has("https") || this.#schemes.has("http");
  }

  /** Every URL of a scheme without hosts, like `data`. */
  allowsScheme(scheme: string): boolean {
    return this.#schemes.has(scheme);
  }

  /** In every browser: by the standard, which makes less of an encoded slash than some do (`docs/csp-matching.md`). */
  allows(url: RequestUrl, page: RequestUrl): boolean {
    return this.#some([this.#indexed().hosts], url, page, () => true);
  }

  /** The sources that allow the URL in any browser, as they are written. */
  allowing(url: RequestUrl, page: RequestUrl): readonly string[] {
    const found = new Set<string>();
    const { hosts, withPlainSlashes: more } = this.#indexed();
    this.#some([hosts, more], withPlainSlashes(url), page, (text) => {
      found.add(text);
      return false;
    });
    return [...found];
  }

  /** One that matches each URL that `narrow` matches, on whatever page, and is not `own`, the text of `narrow`. */
  coveredBy(narrow: Source, own?: string): string | undefined {
    if (narrow.kind === "keyword") return narrow.keyword === "self" && this.#hasStar ? "*" : undefined;
    if (narrow.kind !== "scheme" && narrow.kind !== "host") return undefined;
    // Without a scheme it is that of the page: http or https, which `*` always matches.
    const { scheme = "http" } = narrow;
    if (this.#hasStar && networkSchemes.has(scheme)) return "*";
    const whole = schemesAllowing(scheme).flatMap((wide) => this.#schemes.get(wide) ?? []);
    const byScheme = whole.find((text) => text !== own);
    return byScheme ?? (narrow.kind === "host" ? this.#coveredByHost(narrow, own) : undefined);
  }

  #coveredByHost(narrow: HostSource, own: string | undefined): string | undefined {
    // What `*.a.example` allows is below `a.example`, whatever its name.
    const host = narrow.isWildcard ? (narrow.host === "" ? "*" : `*.${narrow.host}`) : narrow.host;
    let found: string | undefined;
    this.#indexed().hosts.some(host, narrow.path ?? "", (wide) => {
      if (wide.text === own || !coversOrigin(wide, narrow)) return false;
      found = wide.text;
      return true;
    });
    return found;
  }

  #indexed(): HostIndexes {
    if (this.#indexes !== undefined) return this.#indexes;
    const indexes = { hosts: new HostIndex(), withPlainSlashes: new HostIndex() };
    for (const source of this.#hosts) {
      indexes.hosts.add(source);
      if (source.path === undefined) continue;
      const path = plainSlashes(source.path);
      if (path !== source.path) indexes.withPlainSlashes.add({ ...source, path });
    }
    this.#indexes = indexes;
    return indexes;
  }

  /** Whether one of the sources that match is enough. CSP Level 3, 6.7.2.7, as Chromium does it. */
  #some(
    indexes: readonly HostIndex[],
    url: RequestUrl,
    page: RequestUrl,
    isEnough: (text: string) => boolean,
  ): boolean {
    if (this.#hasStar && (networkSchemes.has(url.scheme) || url.scheme === page.scheme) && isEnough("*"))
      return true;
    const self = this.#keywords.get("self");
    if (self !== undefined && isSelf(url, page) && isEnough(self)) return true;
    if (this.#schemes.size > 0) {
      for (const scheme of schemesAllowing(url.scheme)) {
        const text = this.#schemes.get(scheme);
        if (text !== undefined && isEnough(text)) return true;
      }
    }
    const test = (source: Written) => originMatches(source, url, page) && isEnough(source.text);
    return indexes.some((hosts) => hosts.some(url.host, url.path, test));
  }
}

function coversOrigin(wide: HostSource, narrow: HostSource): boolean {
  const isAnyPort = wide.port === "*";
  if (wide.scheme === narrow.scheme) return isAnyPort || wide.port === narrow.port;
  if (wide.scheme === undefined) return false;
  // An upgrade of the scheme goes only with one of the port: both left open, or any.
  const areOpen = wide.port === undefined && narrow.port === undefined;
  return schemesAllowing(narrow.scheme ?? "http").includes(wide.scheme) && (isAnyPort || areOpen);
}

/** That many are compared one by one: fewer steps than making and reading a table of them. */
const plainLimit = 8;

/** A host source as it is in the policy. */
export interface Written extends HostSource {
  readonly text: string;
}

/** Host sources, found by host and path without going through all of them. */
export class HostIndex {
  readonly #plain: Written[] = [];
  /** By host, with `*.` where only hosts below it are meant, and by path. */
  readonly #places = new Map<string, Map<string, Written[]>>();
  /** Of what follows `*.`: a host has one end of each length. */
  readonly #wildcardLengths = new Set<number>();
  /** Of folders: a path has one beginning of each length. */
  readonly #folderLengths = new Set<number>();

  add(source: Written): void {
    const { host, isWildcard, path = "" } = source;
    if (this.#plain.length < plainLimit) {
      this.#plain.push(source);
      return;
    }
    if (isWildcard) this.#wildcardLengths.add(host.length);
    if (path.endsWith("/")) this.#folderLengths.add(path.length);
    const key = isWildcard ? `*.${host}` : host;
    const paths = this.#places.get(key) ?? new Map<string, Written[]>();
    this.#places.set(key, paths);
    const known = paths.get(path);
    if (known === undefined) paths.set(path, [source]);
    else known.push(source);
  }

  /** Whether one of the sources whose host and path match passes the test, which has to check scheme and port. */
  some(host: string, path: string, test: (source: Written) => boolean): boolean {
    for (const source of this.#plain) {
      if (hostMatches(source, host) && pathMatches(source.path, path) && test(source)) return true;
    }
    if (this.#places.size === 0) return false;
    if (this.#someAt(host, path, test)) return true;
    for (const length of this.#wildcardLengths) {
      const start = host.length - length;
      // Of `*` alone nothing follows.
      if (length > 0 && host[start - 1] !== ".") continue;
      if (this.#someAt(`*.${host.slice(start)}`, path, test)) return true;
    }
    return false;
  }

  #someAt(key: string, path: string, test: (source: Written) => boolean): boolean {
    const paths = this.#places.get(key);
    if (paths === undefined) return false;
    const wanted = ["", path];
    for (const length of this.#folderLengths)
      if (length < path.length && path[length - 1] === "/") wanted.push(path.slice(0, length));
    return wanted.some((one) => paths.get(one)?.some(test) === true);
  }
}
