import { compareTexts } from "../../text/grouped";
import type { RequestUrl } from "../syntax/request-url";
import { parseSource } from "../syntax/source";

const longestSource = 4096;

/**
 * The source that allows what is at a path of a URL's host: a folder with all below it, one file, or (`""`) the whole
 * host. Without a scheme where that of the page, or its more secure form, is that of the URL. Undefined when no source
 * names such a host (IPv6, underscores).
 */
export function sourceOf(url: RequestUrl, path: string, pageScheme: string): string | undefined {
  if (!["http", "https", "ws", "wss"].includes(url.scheme)) return `${url.scheme}:`;
  const isSchemeOfPage = url.scheme === "https" && (pageScheme === "https" || pageScheme === "http");
  // An upgrade does not go with a port that is written.
  const needsScheme = !isSchemeOfPage || (url.port !== undefined && pageScheme !== "https");
  const scheme = needsScheme ? `${url.scheme}://` : "";
  const port = url.port === undefined ? "" : `:${url.port}`;
  const source = `${scheme}${url.host}${port}${pathText(path)}`;
  return parseSource(source).kind === "host" ? source : undefined;
}

function pathText(path: string): string {
  // Of the root everything is below.
  if (path === "/") return "";
  // Browsers compare paths percent-decoded. A `*` could be read as the wildcard that it is not.
  return path.replaceAll(";", "%3B").replaceAll(",", "%2C").replaceAll("*", "%2A");
}

/** Sources with a path are not needed beside the same without it, or beside a folder above it. */
export function withoutCovered(sources: ReadonlySet<string>): string[] {
  return [...sources].filter((source) => {
    const start = source.indexOf("/", source.indexOf("://") === -1 ? 0 : source.indexOf("://") + 3);
    if (start === -1) return true;
    if (sources.has(source.slice(0, start))) return false;
    // Looking up each folder of a path without end would take quadratic time.
    if (source.length > longestSource) return true;
    for (let at = start; at !== -1 && at + 1 < source.length; at = source.indexOf("/", at + 1))
      if (sources.has(source.slice(0, at + 1))) return false;
    return true;
  });
}

/** `'self'`, then schemes, then hosts by name: whatever order the items had. */
export function byReadingOrder(a: string, b: string): number {
  return rank(a) - rank(b) || compareTexts(withoutScheme(a), withoutScheme(b)) || compareTexts(a, b);
}

function rank(source: string): number {
  if (source.startsWith("'")) return 0;
  return source.endsWith(":") ? 1 : 2;
}

function withoutScheme(source: string): string {
  return source.replace(/^[a-z]+:\/\//, "");
}
