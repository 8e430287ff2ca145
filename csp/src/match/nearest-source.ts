import { visible } from "../finding";
import { defaultPort, encodedSlashes, type RequestUrl } from "../syntax/request-url";
import { type HostSource, parseSource, type Source } from "../syntax/source";
import type { ReadRequest } from "./deciding-lists";
import { nearest } from "./nearest";
import { hostMatches, networkSchemes, pathMatches, portMatch, portOf, schemeMatch } from "./source-match";

export type SourcePart = "scheme" | "host" | "port" | "path";

/** The source that comes nearest to allowing a URL. */
export interface NearestSource {
  /** As it is written. */
  readonly source: string;
  /** What of the URL it does not match. */
  readonly fails: readonly SourcePart[];
  /** The same in words: `the path: /b.js is not below /js/`. */
  readonly difference: string;
}

/** More than can fail of one host's source. */
const otherHostDistance = 4;

interface Candidate {
  readonly text: string;
  readonly source: HostSource;
  readonly fails: readonly SourcePart[];
  /** The fewer, the nearer; of two equal ones the first. */
  readonly distance: readonly [failing: number, unlike: number];
}

/** Of sources that do not allow a URL; undefined where none of them means this host, or one that looks like it. */
export function nearestSource(values: readonly string[], request: ReadRequest): NearestSource | undefined {
  const { url, page } = request;
  // A URL without a host is near to none.
  if (!networkSchemes.has(url.scheme)) return undefined;
  let best: Candidate | undefined;
  const hosts = new Map<string, Candidate>();
  for (const text of values) {
    const source = asHostSource(parseSource(text), page);
    if (source === undefined) continue;
    const candidate = toCandidate(text, source, request);
    if (!candidate.fails.includes("host") || isRelated(source.host, url.host)) {
      if (best === undefined || isNearer(candidate, best)) best = candidate;
    } else if (Math.abs(source.host.length - url.host.length) <= 3 && !hosts.has(source.host)) {
      hosts.set(source.host, candidate);
    }
  }
  // Of a short name half may differ.
  const alike = url.host.length < 8 ? undefined : nearest(url.host, [...hosts.keys()]);
  best ??= alike === undefined ? undefined : hosts.get(alike);
  return best && { source: best.text, fails: best.fails, difference: differenceOf(best, url, page) };
}

/** `'self'` and whole schemes too, as a host would be written that means the same. */
function asHostSource(source: Source, page: RequestUrl): HostSource | undefined {
  if (source.kind === "host") return source;
  if (source.kind === "keyword" && source.keyword === "self" && page.host !== "") {
    return { kind: "host", isWildcard: false, ...page, path: undefined };
  }
  if (source.kind !== "scheme" || !networkSchemes.has(source.scheme)) return undefined;
  return { kind: "host", scheme: source.scheme, isWildcard: true, host: "", port: "*" };
}

function toCandidate(text: string, source: HostSource, { url, page }: ReadRequest): Candidate {
  const fails: SourcePart[] = [];
  if (!hostMatches(source, url.host)) fails.push("host");
  fails.push(...failingOrigin(source, url, page));
  if (!pathMatches(source.path, url.path)) fails.push("path");
  // `'self'` of a page on the default port of another scheme.
  if (fails.length === 0) fails.push("scheme");
  const isOtherHost = fails[0] === "host";
  const alike = isOtherHost ? commonLabels(source.host, url.host) : commonStart(source.path ?? "", url.path);
  return { text, source, fails, distance: [fails.length + (isOtherHost ? otherHostDistance : 0), -alike] };
}

function failingOrigin(source: HostSource, url: RequestUrl, page: RequestUrl): readonly SourcePart[] {
  const allowed = source.scheme ?? page.scheme;
  const scheme = schemeMatch(allowed, url.scheme);
  // Beside another scheme its default port says nothing new.
  if (scheme === "no")
    return portIn(source, page) === portOf(url) || url.port === undefined ? ["scheme"] : ["scheme", "port"];
  const port = portMatch(source.port, allowed, url);
  if (port === "any") return [];
  if (scheme === "upgrade") return port === "no" ? ["port"] : port === "exact" ? ["scheme"] : [];
  return port === "exact" ? [] : ["port"];
}

function isNearer({ distance: [failing, unlike] }: Candidate, than: Candidate): boolean {
  return failing < than.distance[0] || (failing === than.distance[0] && unlike < than.distance[1]);
}

/** `a.example.com` and `b.example.com`; not `a.co.uk` and `b.co.uk`. */
function isRelated(a: string, b: string): boolean {
  const common = commonLabels(a, b);
  const [last = "", before = ""] = b.split(".").reverse();
  return common > 2 || (common === 2 && (last.length > 3 || before.length > 3));
}

function commonLabels(a: string, b: string): number {
  const others = b.split(".").reverse();
  const labels = a.split(".").reverse();
  const end = labels.findIndex((label, index) => label === "" || label !== others[index]);
  return end === -1 ? labels.length : end;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function differenceOf({ fails, source }: Candidate, url: RequestUrl, page: RequestUrl): string {
  const { path = "" } = source;
  const inWords = {
    host: () => `the host is ${visible(url.host)}`,
    scheme: () => `the scheme is ${visible(url.scheme)}, not ${visible(source.scheme ?? page.scheme)}`,
    port: () => `the port is ${portOf(url)}, not ${portIn(source, page)}`,
    path: () => {
      const relation = path.endsWith("/") ? "is not below" : "is not";
      return `the path ${visible(encodedSlashes(url.path))} ${relation} ${visible(encodedSlashes(path))}`;
    },
  } satisfies Record<SourcePart, () => string>;
  return fails.map((part) => inWords[part]()).join(" and ");
}

function portIn(source: HostSource, page: RequestUrl): number | "*" | undefined {
  return source.port ?? defaultPort(source.scheme ?? page.scheme);
}
