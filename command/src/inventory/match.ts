import { ownedDomain, publishedBy } from "page-guard-csp";
import { parseUrl } from "pulumi-page-guard/tools";
import { findContainers } from "./containers";

/** Pattern in the `match` of an entry. docs/commands/inventory.md has the grammar. */
export interface MatchPattern {
  /** The pattern as written in the file. */
  readonly text: string;
  /** Parts of the pattern: scheme, labels of the host in reverse order, port, segments of the path, query. */
  readonly keys: readonly string[];
}

/** Maximum length of a pattern, in characters. Real URLs of scripts are shorter. */
export const longestPattern = 2048;

/** Reads a pattern. `fault` says why a string is not a pattern, in words that continue a sentence beginning with "match". */
export function readPattern(text: string): MatchPattern | { readonly fault: string } {
  if (text.length > longestPattern) return { fault: `is longer than ${longestPattern} characters` };
  if (/[\s\p{C}]/u.test(text)) return { fault: "contains a space or a control character" };
  const url = parseUrl(text);
  if (url === undefined) return { fault: "is not a whole URL: write it with its scheme and host" };
  if (url.username !== "" || url.password !== "") return { fault: "contains a user name or a password" };
  if (text.includes("#")) return { fault: "contains a fragment (#), which browsers do not send" };
  // A dot at the end does not change the host.
  const host = url.hostname.replace(/\.$/, "");
  if (coversAnyDomain(host))
    return { fault: "has a * in the registrable domain, so anyone could register a host that matches" };
  const open = openToAnyone(host, url);
  if (open !== undefined) return { fault: `has a * that matches content that anyone may publish: ${open}` };
  return { text, keys: listKeys(url.href) };
}

/** Whether a `*` in a host could match a domain that anyone can register or get from a hosting service. */
function coversAnyDomain(host: string): boolean {
  if (!host.includes("*")) return false;
  const labels = ownedDomain(host.replaceAll("*", "x"))?.split(".").length ?? Number.POSITIVE_INFINITY;
  return host.split(".").slice(-labels).join(".").includes("*");
}

/** Returns why a pattern is too open: a `*` could match something that anyone can publish. Undefined if it is not too open. */
function openToAnyone(hostname: string, { protocol, pathname, search }: URL): string | undefined {
  if (protocol === "data:" && `${pathname}${search}`.includes("*"))
    return "a data: URL contains the script itself";
  const labels = hostname.split(".");
  const isHost = (known: string) => matchesParts(labels, known.split("."));
  const isShared = (host: string, path: string, isWildcard = false) =>
    publishedBy({ kind: "host", isWildcard, host, path })?.why;
  const behind = labels.slice(labels.findLastIndex((label) => label.includes("*")) + 1).join(".");
  if (behind !== hostname) {
    const open =
      isShared(behind, "/") ??
      findContainers((known) => known === behind, "/") ??
      isShared(behind, "/", true);
    if (open !== undefined) return open;
  }
  const segments = pathname.split(separator);
  for (const [at, segment] of segments.entries()) {
    if (!segment.includes("*")) continue;
    // A `*` in the version of a package is safe, because only the publisher of the package can add versions.
    const isVersion = /^\/(?:npm:)?[^@*:]+@/.test(segment);
    const folder = segments.slice(0, isVersion ? at + 1 : at).join("");
    const path = `${folder.replaceAll("*", "x")}/`;
    const open = isShared(hostname, path) ?? findContainers(isHost, path);
    if (open !== undefined) return open;
  }
  return search.includes("*") ? findContainers(isHost, pathname) : undefined;
}

/** Start of a path segment. Servers treat escaped slashes and backslashes as slashes. */
const separator = /(?=\/|%2F|%5C)/i;

/** Returns a URL or pattern with its host in ASCII, as browsers send it, so that no reader mistakes the host for another one. */
export function withAsciiHost(text: string): string {
  return (/^[^:]*:[\\/]*[^\\/?#]*[^ -~]/.test(text) ? parseUrl(text)?.href : undefined) ?? text;
}

/** Returns the pattern that matches only this URL; undefined if no pattern can be written for it. */
export function makeExactPattern(url: URL): string | undefined {
  const text = withoutStars(url.href.replace(/#.*/s, ""));
  return "fault" in readPattern(text) ? undefined : text;
}

/** Returns the parts of a script's URL, in the form that `isMatch` expects. */
export function urlKeys(url: string): readonly string[] {
  return listKeys(withoutStars(url));
}

export function isMatch({ keys }: MatchPattern, url: readonly string[]): boolean {
  return matchesParts(keys, url);
}

/** Returns each entry with its scripts, the scripts that no entry matches, and the scripts that several entries match (`twice`). */
export function matchEntries<
  Entry extends { readonly match: MatchPattern },
  Script extends { readonly url: string },
>(entries: readonly Entry[], seen: readonly Script[]) {
  const pairs = seen.map((script) => {
    const url = urlKeys(script.url);
    return { script, matches: entries.filter(({ match }) => isMatch(match, url)) };
  });
  const having = (entry: Entry) => pairs.filter(({ matches }) => matches.includes(entry));
  return {
    entries: entries.map((entry) => ({ entry, scripts: having(entry).map(({ script }) => script) })),
    unlisted: pairs.filter(({ matches }) => matches.length === 0).map(({ script }) => script),
    twice: pairs.filter(({ matches }) => matches.length > 1),
  };
}

function matchesParts(patterns: readonly string[], parts: readonly string[]): boolean {
  return (
    patterns.length === parts.length &&
    patterns.every(
      (one, at) => one === parts[at] || (one.includes("*") && matchesGlob(one.split("*"), parts[at] ?? "")),
    )
  );
}

/** Whether a string consists of these pieces with any text between them. Never backtracks, so no pattern makes it slow. */
function matchesGlob(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** Splits a URL into the parts that are compared one by one, so that a `*` matches only within its part. */
function listKeys(href: string): readonly string[] {
  const url = parseUrl(href);
  if (url === undefined) return [];
  const query = url.search.slice(1);
  const path = oneSpelling(url.pathname);
  return [
    url.protocol,
    ...(url.hostname === "" ? [] : url.hostname.split(".").reverse()).map((label) => `.${label}`),
    `:${url.port}`,
    ...path.split(separator),
    `?${oneSpelling(query)}`,
  ];
}

/** Writes escapes such as `%2f` in upper case, because the case of an escape makes no difference. */
function oneSpelling(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/** Escapes each `*` of a URL, so that it is not read as a wildcard of a pattern. */
function withoutStars(url: string): string {
  return url.replaceAll("*", "%2A");
}
