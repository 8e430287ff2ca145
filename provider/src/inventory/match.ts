import { ownedDomain, publishedBy } from "../csp/lint/anyone-publishes";
import { parseUrl } from "../text/parse-url";

/**
 * What `match` of an entry may be: a URL in which `*` stands for any characters inside a label of the host, inside a
 * segment of the path, or in the query. docs/inventory.md has the grammar.
 */
export interface MatchPattern {
  /** As it is written in the file. */
  readonly text: string;
  /** Scheme, labels of the host from the last one, port, segments of the path, query. */
  readonly keys: readonly string[];
}

/** No URL of a script that anyone would write down is longer. */
const longestPattern = 2048;

/** `fault`: why a text is no pattern; completes "match …". */
export function readPattern(text: string): MatchPattern | { readonly fault: string } {
  if (text.length > longestPattern) return { fault: `is longer than ${longestPattern} characters` };
  if (/[\s\p{C}]/u.test(text)) return { fault: "contains a space or a control character" };
  const url = parseUrl(text);
  if (url === undefined) return { fault: "is not a whole URL: write it with its scheme and host" };
  if (url.username !== "" || url.password !== "") return { fault: "contains a user name or a password" };
  if (text.includes("#")) return { fault: "contains a fragment (#), which is not part of what is loaded" };
  if (url.protocol.includes("*") || (url.host !== "" && isAnyones(url.hostname)))
    return { fault: "has a * in the registrable domain, so anyone could register a host that matches" };
  const open = openToAnyone(url);
  if (open !== undefined) return { fault: `has a * for what anyone may publish: ${open}` };
  return { text, keys: keysOf(url.href) };
}

/** Whether the `*` covers a domain that anyone may register, or get from a hosting service. */
function isAnyones(host: string): boolean {
  if (!host.includes("*")) return false;
  const labels = ownedDomain(host.replaceAll("*", "x"))?.split(".").length ?? Number.POSITIVE_INFINITY;
  return host.split(".").slice(-labels).join(".").includes("*");
}

/** Where the folder in front of the first `*` is open to anyone (`https://unpkg.com/*`): what to write instead. */
function openToAnyone({ hostname, pathname }: URL): string | undefined {
  if (!pathname.includes("*")) return undefined;
  const segments = pathname.split("/").slice(0, -1);
  const first = segments.findIndex((segment) => segment.startsWith("*"));
  const folder = segments
    .slice(0, first === -1 ? segments.length : first)
    .join("/")
    .replaceAll("*", "x");
  return publishedBy({ kind: "host", isWildcard: false, host: hostname, path: `${folder}/` })?.why;
}

/** A URL as its own pattern: what matches it and nothing else. Undefined when no pattern can be written for it. */
export function exactPattern(url: URL): string | undefined {
  const text = withoutStars(url.href.replace(/#.*/s, ""));
  return "fault" in readPattern(text) ? undefined : text;
}

/**
 * Finds what matches a URL, in time by the length of the URL: of many patterns only those with a `*` in the same part, after
 * parts that match, are compared one by one.
 */
export class MatchIndex<T> {
  readonly #root = new Place<T>();

  add({ keys }: MatchPattern, value: T): void {
    let place = this.#root;
    for (const key of keys) place = place.below(key);
    place.values.push(value);
  }

  /** In the order in which they were added where their patterns are equal. */
  find(url: string): readonly T[] {
    let places: readonly Place<T>[] = [this.#root];
    for (const key of keysOf(withoutStars(url))) {
      places = places.flatMap((place) => place.matching(key));
      if (places.length === 0) return [];
    }
    return places.flatMap(({ values }) => values);
  }
}

/** Patterns that begin alike, up to here. */
class Place<T> {
  readonly values: T[] = [];
  readonly #literal = new Map<string, Place<T>>();
  readonly #globs = new Map<string, { readonly pieces: readonly string[]; readonly place: Place<T> }>();

  below(key: string): Place<T> {
    const known = this.#literal.get(key) ?? this.#globs.get(key)?.place;
    if (known) return known;
    const place = new Place<T>();
    if (key.includes("*")) this.#globs.set(key, { pieces: key.split("*"), place });
    else this.#literal.set(key, place);
    return place;
  }

  matching(key: string): readonly Place<T>[] {
    const literal = this.#literal.get(key);
    const found = literal === undefined ? [] : [literal];
    for (const { pieces, place } of this.#globs.values()) if (isGlobOf(pieces, key)) found.push(place);
    return found;
  }
}

/** Each piece where it is first found: never looks back, whatever the text. */
function isGlobOf(pieces: readonly string[], text: string): boolean {
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

/** The parts that are compared one by one: so a `*` ends where its part ends. Each begins with what it is a part of. */
function keysOf(href: string): readonly string[] {
  const url = parseUrl(href);
  if (url === undefined) return [];
  const query = url.search.slice(1);
  const path = oneSpelling(url.pathname);
  return [
    url.protocol,
    ...(url.hostname === "" ? [] : url.hostname.split(".").reverse()).map((label) => `.${label}`),
    `:${url.port}`,
    ...path.split("/").map((segment) => `/${segment}`),
    `?${oneSpelling(query)}`,
  ];
}

/** Escapes are written in either case. */
function oneSpelling(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/** In a URL it is a character like any other. */
function withoutStars(url: string): string {
  return url.replaceAll("*", "%2A");
}
