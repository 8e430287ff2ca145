import { parseUrl } from "../texts";

/** The parts of a URL that sources are compared with. */
export interface RequestUrl {
  /** Scheme without the colon. */
  readonly scheme: string;
  readonly host: string;
  /** Port; undefined for the default port of the scheme. */
  readonly port?: number;
  /** Path, percent-decoded; see `encodedSlash`. */
  readonly path: string;
}

/** Default ports by scheme. */
export const defaultPorts: ReadonlyMap<string, number> = new Map(
  Object.entries({ http: 80, https: 443, ws: 80, wss: 443, ftp: 21 }),
);

/**
 * Returns the schemes that allow a URL of this one if a source names them: itself, and the scheme of which it is the secure
 * form.
 */
export function schemesAllowing(scheme: string): readonly string[] {
  if (scheme === "https") return ["https", "http"];
  return scheme === "wss" ? ["wss", "ws"] : [scheme];
}

/** URLs that need no parsing. Nearly all are such, and `URL` would take most of the time of a comparison. */
const plainUrl =
  /^(https?|wss?):\/\/((?:[a-z0-9][a-z0-9-]*\.)*[a-z][a-z0-9-]*)(\/[\w/~!$&'()*+,;=:@.-]*)?(?=[?#]|$)/;

/** Returns the parts of the URL that a text asks for; undefined if `requestUrl` finds none. */
export function toRequestUrl(text: string, base?: string): RequestUrl | undefined {
  const plain = plainUrl.exec(text);
  if (plain !== null) {
    const [, scheme = "", host = "", path = "/"] = plain;
    if (!path.includes("/.") && !host.includes("xn--")) return { scheme, host, path };
  }
  const url = requestUrl(text, base);
  if (url === undefined) return undefined;
  const port = url.port === "" ? {} : { port: Number(url.port) };
  return { scheme: url.protocol.slice(0, -1), host: url.hostname, ...port, path: decodePath(url.pathname) };
}

/** URLs without the slashes of these schemes. Browsers would add the slashes or read the rest as a path of the page. */
const brokenScheme = /^(?:https?|wss?|ftp):(?!\/\/)/i;
const withSchemeName = /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z][a-z0-9+-]*:(?![/\s]))/i;
const bareHost =
  /^(?:localhost|\[[\da-f:.]+\]|\d+(?:\.\d+){3}|(?:[\p{L}\p{M}\p{N}_-]+\.)+(?!\d+[.:/?#]|\d+$)[\p{L}\p{M}\p{N}-]{2,}\.?)(?::\d+)?(?=[/?#]|$)/iu;
/** Names of files, not hosts: no top-level domain has such a name. */
const fileName =
  /^[^/?#:]*\.(?:[cm]?jsx?|tsx?|map|css|html?|json|webmanifest|php|aspx?|png|jpe?g|gif|svg|webp|avif|woff2?|[ot]tf|eot|ico|mp[34]|webm|ogg|wasm|xml|txt|pdf)(?=[/?#:]|$)/i;

/**
 * Returns the URL that a text asks for on a page; undefined if it is none, so that nothing matches. Only surely relative texts
 * are relative: `/a.js`, `./a.js` and `//host/a.js`. A host without a scheme gets https, as pages do.
 */
export function requestUrl(text: string, base?: string): URL | undefined {
  const asked = text.trim();
  if (brokenScheme.test(asked)) return undefined;
  if (/^\.{0,2}\//.test(asked)) return base === undefined ? undefined : parseUrl(asked, base);
  if (bareHost.test(asked)) return fileName.test(asked) ? undefined : parseUrl(`https://${asked}`);
  return withSchemeName.test(asked) ? parseUrl(asked) : undefined;
}

/** Adds the scheme to a page's URL, which the service may give without one. */
export function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
}

/** Returns the URL that `upgrade-insecure-requests` turns it into. Loopback hosts count as secure already. */
export function upgraded(url: RequestUrl): RequestUrl {
  if ((url.scheme !== "http" && url.scheme !== "ws") || isLoopback(url.host)) return url;
  const { port, ...rest } = url;
  // 443 is now the default, which URLs do not carry.
  return { ...rest, scheme: `${url.scheme}s`, ...(port === undefined || port === 443 ? {} : { port }) };
}

function isLoopback(host: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.*\.)?localhost\.?)$/.test(host);
}

/**
 * Character that `%2F` is decoded to; no decoded text has a lone surrogate. In the standard a path is split at its slashes
 * before its pieces are decoded, so an encoded one divides nothing. Chromium and Firefox decode first.
 */
const encodedSlash = "\ud800";

/** Returns the path with encoded slashes as plain ones, as some browsers read it. */
export function plainSlashes(path: string): string {
  return path.replaceAll(encodedSlash, "/");
}

/** Returns a decoded path as a policy can spell it. */
export function encodedSlashes(path: string): string {
  return path.replaceAll(encodedSlash, "%2F");
}

/** Escapes of one character in UTF-8, or of one byte. */
const escapes =
  /%[c-d][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|%[\da-f]{2}/gi;

/** Percent-decodes a path as browsers do for the comparison. Bytes that are not UTF-8 stay unchanged. */
export function decodePath(path: string): string {
  return path.includes("%") ? path.replace(/%2f/gi, encodedSlash).replace(escapes, decoded) : path;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const bytes = text.split("%").slice(1);
    return String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
  }
}
