import { parseUrl } from "../texts";

/** The parts of a URL that sources are compared with. */
export interface RequestUrl {
  /** Without colon. */
  readonly scheme: string;
  readonly host: string;
  /** Undefined: the default port of the scheme. */
  readonly port?: number;
  /** Percent-decoded; see `encodedSlash`. */
  readonly path: string;
}

/** For sources that are compared without a page. */
export const unknownPage: RequestUrl = { scheme: "https", host: "", path: "/" };

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443, ftp: 21 };

export function defaultPort(scheme: string): number | undefined {
  return Object.hasOwn(defaultPorts, scheme) ? defaultPorts[scheme] : undefined;
}

/** The schemes that allow a URL of this one where a source names them: itself, and that of which it is the secure form. */
export function schemesAllowing(scheme: string): readonly string[] {
  if (scheme === "https") return ["https", "http"];
  return scheme === "wss" ? ["wss", "ws"] : [scheme];
}

/** URLs that are as they will be read: nearly all are, and `URL` would take most of the time of a comparison. */
const plainUrl =
  /^(https?|wss?):\/\/((?:[a-z0-9][a-z0-9-]*\.)*[a-z][a-z0-9-]*)(\/[\w/~!$&'()*+,;=:@.-]*)?(?=[?#]|$)/;

/** The parts of the URL that a text asks for; undefined where `requestUrl` finds none. */
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

/** Browsers would add the slashes that these schemes lack, or read what follows as a path of the page. */
const brokenScheme = /^(?:https?|wss?|ftp):(?!\/\/)/i;
const withSchemeName = /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z][a-z0-9+-]*:(?![/\s]))/i;
const bareHost =
  /^(?:localhost|\[[\da-f:.]+\]|\d+(?:\.\d+){3}|(?:[\p{L}\p{M}\p{N}_-]+\.)+(?!\d+[.:/?#]|\d+$)[\p{L}\p{M}\p{N}-]{2,}\.?)(?::\d+)?(?=[/?#]|$)/iu;
/** The name of a file, not a host: no top-level domain is called so. */
const fileName =
  /^[^/?#:]*\.(?:[cm]?js|css|html?|json|php|aspx?|png|jpe?g|gif|svg|webp|woff2?|ttf|ico|wasm|xml|txt)(?=[/?#:]|$)/i;

/**
 * The URL that a text asks for on a page; undefined: it is none, so it is compared with nothing. Relative is only what surely
 * is: `/a.js`, `./a.js` and `//host/a.js`. A host without a scheme gets https, as pages do.
 */
export function requestUrl(text: string, base?: string): URL | undefined {
  const asked = text.trim();
  if (brokenScheme.test(asked)) return undefined;
  if (/^\.{0,2}\//.test(asked)) return base === undefined ? undefined : parseUrl(asked, base);
  if (bareHost.test(asked)) return fileName.test(asked) ? undefined : parseUrl(`https://${asked}`);
  return withSchemeName.test(asked) ? parseUrl(asked) : undefined;
}

/** The service gives the URLs of pages without a scheme. */
export function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
}

/** The URL that `upgrade-insecure-requests` turns it into: loopback hosts count as secure already. */
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
 * What `%2F` is decoded to. By the standard a path is split at its slashes before its pieces are decoded, so an encoded
 * one divides nothing; Chromium and Firefox decode first. No decoded text has a surrogate alone.
 */
const encodedSlash = "\ud800";

/** The path as browsers read it to which an encoded slash is a slash like any other. */
export function plainSlashes(path: string): string {
  return path.includes(encodedSlash) ? path.replaceAll(encodedSlash, "/") : path;
}

export function withPlainSlashes(url: RequestUrl): RequestUrl {
  const path = plainSlashes(url.path);
  return path === url.path ? url : { ...url, path };
}

/** A decoded path as a policy can spell it. */
export function encodedSlashes(path: string): string {
  return path.replaceAll(encodedSlash, "%2F");
}

/** Escapes of one character in UTF-8, or of one byte. */
const escapes =
  /%[c-d][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|%[\da-f]{2}/gi;

/** Percent-decoded as browsers do for the comparison: bytes that are not UTF-8 stay as they are. */
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
