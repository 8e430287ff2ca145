import { parseUrl } from "../texts";

/** The parts of a URL that sources are compared with. */
export interface RequestUrl {
  /** Scheme without the colon. */
  readonly scheme: string;
  readonly host: string;
  /** Port; undefined for the default port of the scheme. */
  readonly port?: number;
  /** Path, percent-decoded, but with `encodedSlash` for `%2F`. */
  readonly path: string;
}

export const defaultPorts: ReadonlyMap<string, number> = new Map(
  Object.entries({ http: 80, https: 443, ws: 80, wss: 443, ftp: 21 }),
);

/** Returns the schemes of sources that allow URLs of this scheme: for https and wss, the unencrypted form too. */
export function schemesAllowing(scheme: string): readonly string[] {
  if (scheme === "https") return ["https", "http"];
  return scheme === "wss" ? ["wss", "ws"] : [scheme];
}

/** Pattern of nearly all URLs. Such URLs are parsed without `URL`, which would take most of the time of a comparison. */
const plainUrl =
  /^(https?|wss?):\/\/((?:[a-z0-9][a-z0-9-]*\.)*[a-z][a-z0-9-]*)(\/[\w/~!$&'()*+,;=:@.-]*)?(?=[?#]|$)/;

/** Returns the parts of the URL that `requestUrl` returns for a string; undefined if it returns none. */
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

/** Pattern of http, ws and ftp URLs without `//`. Browsers would add `//`, or read the rest as a path on the page's host. */
const brokenScheme = /^(?:https?|wss?|ftp):(?!\/\/)/i;
const withSchemeName = /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z][a-z0-9+-]*:(?![/\s]))/i;
const bareHost =
  /^(?:localhost|\[[\da-f:.]+\]|\d+(?:\.\d+){3}|(?:[\p{L}\p{M}\p{N}_-]+\.)+(?!\d+[.:/?#]|\d+$)[\p{L}\p{M}\p{N}-]{2,}\.?)(?::\d+)?(?=[/?#]|$)/iu;
/** Pattern of file names, which are not read as hosts. Of these endings only `.map` is also a top-level domain. */
const fileName =
  /^[^/?#:]*\.(?:[cm]?jsx?|tsx?|map|css|html?|json|webmanifest|php|aspx?|png|jpe?g|gif|svg|webp|avif|woff2?|[ot]tf|eot|ico|mp[34]|webm|ogg|wasm|xml|txt|pdf)(?=[/?#:]|$)/i;

/**
 * Returns the URL of a string on a page; undefined if the string is not a URL. Only strings such as `/a.js`, `./a.js` and
 * `//host/a.js` are relative. A host without a scheme gets https, like the URL of a page.
 */
export function requestUrl(text: string, base?: string): URL | undefined {
  const asked = text.trim();
  if (brokenScheme.test(asked)) return undefined;
  if (/^\.{0,2}\//.test(asked)) return base === undefined ? undefined : parseUrl(asked, base);
  if (bareHost.test(asked)) return fileName.test(asked) ? undefined : parseUrl(`https://${asked}`);
  return withSchemeName.test(asked) ? parseUrl(asked) : undefined;
}

/** Adds `https://` to the URL of a page if the scheme is missing: the service may leave it out. */
export function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
}

/** Returns a URL as `upgrade-insecure-requests` changes it. Does not change URLs of loopback hosts, which browsers trust. */
export function upgrade(url: RequestUrl): RequestUrl {
  if ((url.scheme !== "http" && url.scheme !== "ws") || loopbackHost.test(url.host)) return url;
  const { port, ...rest } = url;
  // After the upgrade 443 is the default port, and default ports are left out.
  return { ...rest, scheme: `${url.scheme}s`, ...(port === undefined || port === 443 ? {} : { port }) };
}

const loopbackHost = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.*\.)?localhost\.?)$/;

/**
 * Character that replaces `%2F` in a decoded path: a lone surrogate, which no decoding produces. By the standard a path is
 * split at its slashes before the pieces are decoded, so `%2F` separates nothing. Chromium and Firefox decode first.
 */
const encodedSlash = "\ud800";

/** Returns the path with plain slashes in place of encoded ones, as some browsers read it. */
export function plainSlashes(path: string): string {
  return path.replaceAll(encodedSlash, "/");
}

/** Percent-encodes a decoded path, as a policy can spell it. `decodePath` returns the same path again. */
export function encodePath(path: string): string {
  return path.replace(/[^\w~!$&'()+:=@/.-]/gu, (one) =>
    one === encodedSlash ? "%2F" : Buffer.from(one).toString("hex").toUpperCase().replace(/../g, "%$&"),
  );
}

/** Percent-escapes of one character in UTF-8, or of a single byte. */
const escapes =
  /%[c-d][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|%[\da-f]{2}/gi;

/** Percent-decodes a path as browsers do to compare it. A byte that is not UTF-8 becomes the character with that code. */
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
