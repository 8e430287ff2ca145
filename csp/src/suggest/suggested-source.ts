import { SourceList } from "../match/source-list";
import type { RequestUrl } from "../syntax/request-url";
import { parseSource } from "../syntax/source";
import { compareTexts } from "../texts";

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

/** A source with a path is not needed beside its host, nor a host beside a wildcard above it. In reading order. */
export function withoutCovered(sources: Iterable<string>): string[] {
  const all = new Set(sources);
  const list = new SourceList(all);
  return [...all]
    .filter((source) => list.coveredBy(parseSource(source), source) === undefined)
    .sort(byReadingOrder);
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
