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

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ["http", 80],
  ["https", 443],
  ["ws", 80],
  ["wss", 443],
  ["ftp", 21],
]);

export function defaultPort(scheme: string): number | undefined {
  return defaultPorts.get(scheme);
}

/** The schemes that allow a URL of this one where a source names them: itself, and that of which it is the secure form. */
export function schemesAllowing(scheme: string): readonly string[] {
  if (scheme === "https") return ["https", "http"];
  return scheme === "wss" ? ["wss", "ws"] : [scheme];
}

/** URLs that are as they will be read: nearly all are, and `URL` would take most of the time of a comparison. */
const plainUrl =
  /^(https?|wss?):\/\/((?:[a-z0-9][a-z0-9-]*\.)*[a-z][a-z0-9-]*)(\/[\w/~!$&'()*+,;=:@.-]*)?(?=[?#]|$)/;

/** Undefined when a browser could not read the URL either. */
export function toRequestUrl(text: string, base?: string): RequestUrl | undefined {
  const plain = plainUrl.exec(text);
  if (plain !== null) {
    const scheme = plain[1] ?? "";
    const host = plain[2] ?? "";
    const path = plain[3] ?? "/";
    if (!path.includes("/.") && !host.includes("xn--")) return { scheme, host, path };
  }
  const url = parseUrl(text, base);
  if (url === undefined) return undefined;
  return {
    scheme: url.protocol.slice(0, -1),
    host: url.hostname,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    path: decodePath(url.pathname),
  };
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
  return path.replaceAll(encodedSlash, "/");
}

export function withPlainSlashes(url: RequestUrl): RequestUrl {
  const path = plainSlashes(url.path);
  return path === url.path ? url : { ...url, path };
}

/** A decoded path as a policy can spell it. */
export function encodedSlashes(path: string): string {
  return path.replaceAll(encodedSlash, "%2F");
}

/** Percent-decoded as browsers do for the comparison: bytes that are not UTF-8 stay as they are. */
export function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  return path
    .replace(/%2f/gi, encodedSlash)
    .replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
      decodeBytes(Buffer.from(escapes.replaceAll("%", ""), "hex")),
    );
}

function decodeBytes(bytes: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = sequenceLength(lead);
    const decoded = bytes.toString("utf8", at, at + length);
    // The replacement character marks what is not UTF-8, unless it was written itself.
    const isWritten = length === 3 && at + length <= bytes.length && decoded === "\ufffd";
    const isCharacter = isWritten || !decoded.includes("\ufffd");
    parts.push(isCharacter ? decoded : String.fromCharCode(lead));
    at += isCharacter ? length : 1;
  }
  return parts.join("");
}

function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
