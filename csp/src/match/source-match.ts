import { defaultPorts, type RequestUrl, schemesAllowing } from "../syntax/request-url";
import type { HostSource } from "../syntax/source";

// Compares the parts of a source with those of a URL as Chromium does (CSP Level 3, 6.7.2.8 to 6.7.2.12).

export const networkSchemes: ReadonlySet<string> = new Set(["http", "https", "ws", "wss"]);

export function hostMatches({ isWildcard, host: allowed }: HostSource, host: string): boolean {
  if (!isWildcard) return host === allowed;
  if (allowed === "") return true;
  return host.endsWith(allowed) && host.charAt(host.length - allowed.length - 1) === ".";
}

/** Whether a path matches. An undefined or empty allowed path matches every path. */
export function pathMatches(allowed: string | undefined, path: string): boolean {
  if (allowed === undefined || allowed === "") return true;
  return allowed.endsWith("/") ? path.startsWith(allowed) : path === allowed;
}

/** Returns the parts of a URL's origin that do not match. Scheme and port must both match as written, or both be upgraded. */
export function failingOrigin(
  source: HostSource,
  url: RequestUrl,
  page: RequestUrl,
): readonly ("scheme" | "port")[] {
  const allowed = source.scheme ?? page.scheme;
  const isUpgrade = allowed !== url.scheme;
  // A default port differs only because the scheme differs, so report the scheme alone.
  if (isUpgrade && !schemesAllowing(url.scheme).includes(allowed))
    return derivePort(source, page) === toPort(url) || url.port === undefined
      ? ["scheme"]
      : ["scheme", "port"];
  const port = portMatch(source.port, allowed, url);
  if (port === "any" || port === (isUpgrade ? "upgrade" : "exact")) return [];
  return isUpgrade && port === "exact" ? ["scheme"] : ["port"];
}

export function derivePort(source: HostSource, page: RequestUrl): number | "*" | undefined {
  return source.port ?? defaultPorts.get(source.scheme ?? page.scheme);
}

/** Returns how a port matches. `upgrade`: only as the port of the more secure scheme. */
function portMatch(allowed: HostSource["port"], allowedScheme: string, url: RequestUrl) {
  if (allowed === "*" || (allowed === undefined && url.port === undefined)) return "any";
  if (allowed === url.port) return "exact";
  const actual = toPort(url);
  const isSecurePort = actual === 443;
  const isUpgradable = allowed === 80 || (allowedScheme === "http" && allowed === 443);
  if (isSecurePort && isUpgradable) return "upgrade";
  // A default port matches whether it is written or not.
  return allowed === actual ? "exact" : "no";
}

/** Whether `'self'` on this page matches the URL. */
export function isSelf(url: RequestUrl, page: RequestUrl): boolean {
  if (url.host !== page.host || !networkSchemes.has(url.scheme)) return false;
  // A default port matches a default port only: a page on `http://h:443` does not allow `https://h`.
  if (url.port === undefined ? page.port !== undefined : url.port !== toPort(page)) return false;
  return page.scheme === "http" || url.scheme === "https" || url.scheme === "wss";
}

export function toPort({ scheme, port }: RequestUrl): number | undefined {
  return port ?? defaultPorts.get(scheme);
}

const localName = /^(?:.*\.)?(?:localhost|local)\.?$/;

/** Local IPv4 addresses: this host, private, shared, loopback and link-local (RFC 1122, 1918, 6598, 3927). */
const localIpv4 =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+$/;

/** Local IPv6 addresses, as URLs spell them: unspecified, loopback, unique local and link-local (RFC 4291, 4193). */
const localIpv6 = /^\[(?:::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/;

/** Whether a host, as URLs spell it, is a different machine for each visitor: their own, or one in their network. */
export function isLocalHost(host: string): boolean {
  return localName.test(host) || localIpv4.test(host) || localIpv6.test(host);
}
