import { HostIndex } from "./host-index";
import { defaultPort, type RequestUrl, schemesAllowing } from "./request-url";
import { type HostSource, parseSource, type Source } from "./source";

const NETWORK_SCHEMES: ReadonlySet<string> = new Set(["http", "https", "ws", "wss"]);

/** How a part of a URL matches that of a source: `upgrade`: as its more secure form. */
type Match = "no" | "upgrade" | "exact" | "any";

/** A host source as it stands in the policy. */
interface Written extends HostSource {
  readonly text: string;
}

/** The values of one directive, ready for many URLs. */
export class SourceList {
  readonly #hosts = new HostIndex<Written>();
  /** Scheme to the source that names it. */
  readonly #schemes = new Map<string, string>();
  readonly #keywords = new Map<string, string>();
  #hasStar = false;
  #hasAnyHost = false;
  #hasHashOrNonce = false;
  #hasUrlHash = false;

  constructor(values: readonly string[]) {
    for (const text of values) this.#add(text, parseSource(text));
  }

  #add(text: string, source: Source): void {
    switch (source.kind) {
      case "star":
        this.#hasStar = true;
        break;
      case "scheme":
        this.#schemes.set(source.scheme, text);
        break;
      case "keyword":
        this.#keywords.set(source.keyword, text);
        break;
      case "hash":
        this.#hasUrlHash ||= source.of === "url";
        this.#hasHashOrNonce ||= source.of === "content";
        break;
      case "nonce":
        this.#hasHashOrNonce = true;
        break;
      case "host":
        this.#hosts.add({ ...source, text });
        this.#hasAnyHost ||= isAnyHost(source);
        break;
      case "invalid":
        break;
    }
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

  allows(url: RequestUrl, page: RequestUrl): boolean {
    for (const _source of this.allowing(url, page)) return true;
    return false;
  }

  /** The sources that allow the URL, as they are written. CSP Level 3, 6.7.2.7, as Chromium does it. */
  *allowing(url: RequestUrl, page: RequestUrl): Iterable<string> {
    if (this.#hasStar && (NETWORK_SCHEMES.has(url.scheme) || url.scheme === page.scheme)) yield "*";
    const self = this.#keywords.get("self");
    if (self !== undefined && isSelf(url, page)) yield self;
    const schemes = schemesAllowing(url.scheme);
    for (const scheme of schemes) {
      const text = this.#schemes.get(scheme);
      if (text !== undefined) yield text;
    }
    const { host, path } = url;
    const ports = [undefined, "*", portOf(url), 80] as const;
    for (const source of this.#hosts.candidates({ host, path, schemes: [undefined, ...schemes], ports })) {
      if (originMatches(source, url, page)) yield source.text;
    }
  }
}

function isAnyHost({ scheme, isWildcard, host, port, path }: HostSource): boolean {
  const isHttps = scheme === undefined || scheme === "https" || scheme === "http";
  return isHttps && isWildcard && host === "" && port === "*" && (path === undefined || path === "/");
}

function isSelf(url: RequestUrl, page: RequestUrl): boolean {
  if (url.host !== page.host || !NETWORK_SCHEMES.has(url.scheme)) return false;
  // A default port goes with a default port only: a page on `http://h:443` does not allow `https://h`.
  if (url.port === undefined ? page.port !== undefined : url.port !== portOf(page)) return false;
  return page.scheme === "http" || url.scheme === "https" || url.scheme === "wss";
}

function portOf({ scheme, port }: RequestUrl): number | undefined {
  return port ?? defaultPort(scheme);
}

/** Scheme and port: both must match as they are, or both as an upgrade. */
function originMatches(source: HostSource, url: RequestUrl, page: RequestUrl): boolean {
  const allowedScheme = source.scheme ?? page.scheme;
  const scheme = schemeMatch(allowedScheme, url.scheme);
  const port = portMatch(source.port, allowedScheme, url);
  if (scheme === "no" || port === "no") return false;
  if (scheme === "upgrade") return port === "upgrade" || port === "any";
  return port !== "upgrade";
}

function schemeMatch(allowed: string, actual: string): Match {
  if (allowed === actual) return "exact";
  const isUpgrade = (allowed === "http" && actual === "https") || (allowed === "ws" && actual === "wss");
  return isUpgrade ? "upgrade" : "no";
}

function portMatch(allowed: number | "*" | undefined, allowedScheme: string, url: RequestUrl): Match {
  if (allowed === "*" || (allowed === undefined && url.port === undefined)) return "any";
  if (allowed === url.port) return "exact";
  const actual = portOf(url);
  const isSecurePort = actual === 443;
  const isUpgradable = allowed === 80 || (allowedScheme === "http" && allowed === 443);
  if (isSecurePort && isUpgradable) return "upgrade";
  // A default port is the same, written or not.
  return allowed === actual ? "exact" : "no";
}
