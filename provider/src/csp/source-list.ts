import { HostIndex } from "./host-index";
import { defaultPort, type RequestUrl, schemesAllowing } from "./request-url";
import { type HostSource, parseSource } from "./source";

const NETWORK_SCHEMES: ReadonlySet<string> = new Set(["http", "https", "ws", "wss"]);

/** How a part of a URL matches that of a source: `upgrade`: as its more secure form. */
type Match = "no" | "upgrade" | "exact" | "any";

/** The values of one directive, ready for many URLs. */
export class SourceList {
  readonly #hosts = new HostIndex();
  readonly #schemes = new Set<string>();
  readonly #keywords = new Set<string>();
  #hasStar = false;
  #hasAnyHost = false;
  #hasHashOrNonce = false;
  #hasUrlHash = false;

  constructor(values: readonly string[]) {
    for (const source of values.map(parseSource)) {
      if (source.kind === "star") this.#hasStar = true;
      else if (source.kind === "scheme") this.#schemes.add(source.scheme);
      else if (source.kind === "keyword") this.#keywords.add(source.keyword);
      else if (source.kind === "hash" && source.of === "url") this.#hasUrlHash = true;
      else if (source.kind === "hash" && source.of === "eval") continue;
      else if (source.kind === "hash" || source.kind === "nonce") this.#hasHashOrNonce = true;
      else if (source.kind === "host") {
        this.#hosts.add(source);
        this.#hasAnyHost ||= isAnyHost(source);
      }
    }
  }

  get isStrictDynamic(): boolean {
    return this.#keywords.has("strict-dynamic");
  }

  /** No script is allowed for its host, scheme or `'self'`. Chromium takes the hash of a URL that way, too. */
  get ignoresHosts(): boolean {
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

  /** CSP Level 3, 6.7.2.7, as Chromium does it. */
  allows(url: RequestUrl, page: RequestUrl): boolean {
    if (this.#hasStar && (NETWORK_SCHEMES.has(url.scheme) || url.scheme === page.scheme)) return true;
    if (this.#keywords.has("self") && isSelf(url, page)) return true;
    const schemes = schemesAllowing(url.scheme);
    if (schemes.some((scheme) => this.#schemes.has(scheme))) return true;
    const { host, path } = url;
    const ports = [undefined, "*", portOf(url), 80] as const;
    for (const source of this.#hosts.candidates({ host, path, schemes: [undefined, ...schemes], ports })) {
      if (originMatches(source, url, page)) return true;
    }
    return false;
  }
}

function isAnyHost({ scheme, isWildcard, host, port, path }: HostSource): boolean {
  const isHttps = scheme === undefined || scheme === "https" || scheme === "http";
  return isHttps && isWildcard && host === "" && port === "*" && (path === undefined || path === "/");
}

function isSelf(url: RequestUrl, page: RequestUrl): boolean {
  if (url.host !== page.host || page.host === "" || !NETWORK_SCHEMES.has(url.scheme)) return false;
  // A default port goes with a default port only: a page on `http://h:443` does not allow `https://h`.
  if (url.port === undefined ? page.port !== undefined : url.port !== portOf(page)) return false;
  return (
    url.scheme === page.scheme || page.scheme === "http" || url.scheme === "https" || url.scheme === "wss"
  );
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
  if (allowed !== undefined && allowed === url.port) return "exact";
  const actual = portOf(url);
  const isSecurePort = actual === 443;
  const isUpgradable =
    allowed === 80 || (allowedScheme === "http" && (allowed === undefined || allowed === 443));
  if (isSecurePort && isUpgradable) return "upgrade";
  // A default port is the same, written or not.
  return (allowed ?? defaultPort(url.scheme)) === actual ? "exact" : "no";
}
