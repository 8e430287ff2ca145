import { generalName } from "../syntax/directives";
import type { ParsedPolicy } from "../syntax/parse";
import { encodePath, type RequestUrl } from "../syntax/request-url";
import { type HostSource, parseSource, type Source } from "../syntax/source";
import { toVisible } from "../texts";
import { type Deciding, DecidingLists, type ReadRequest } from "./matches";
import { nearest } from "./nearest";
import { type ExplainRequest, isClosedTo, nameKind, type RequestKind, toDirective } from "./request-kind";
import { derivePort, failingOrigin, hostMatches, networkSchemes, pathMatches, toPort } from "./source-match";

/** Result for a request. `browsers-differ`: some browsers load it and some do not. */
export type Verdict = "allowed" | "blocked" | "browsers-differ";

/** Effect of a policy on a request, with the reason. */
export interface Explanation {
  readonly verdict: Verdict;
  /**
   * Directive that decides; absent if no directive restricts such a request, or if the request's URL cannot be read. If commas
   * separate several policies, it is of the first policy that blocks the request, else of the first on which browsers differ.
   */
  readonly directive?: string;
  /** Missing directive that `directive` replaces: `connect-src` if `default-src` decides about a connection. */
  readonly fallbackFor?: string;
  /** First source that allows the request, or that allows it in some browsers. */
  readonly allowedBy?: string;
  /** Source that comes nearest to allowing a blocked request; absent if no source names this host or a similar one. */
  readonly nearest?: NearestSource;
  /** The reason as part of a sentence, safe to show: `script-src allows it by https://cdn.example.com`. */
  readonly reason: string;
}

/**
 * Explains the effect of an enforced policy on a request: the directive and source that decide, and the change that would allow
 * it. Agrees with `matches`, which treats `browsers-differ` as blocked. Never throws.
 *
 * @example
 * ```ts
 * explain("script-src https://cdn.example.com/js/", {
 *   kind: "script", url: "https://cdn.example.com/lib/a.js", pageUrl: "https://shop.example.com/",
 * }).nearest; // { source: "https://cdn.example.com/js/", fails: ["path"], difference: "the path /lib/a.js is not below /js/" }
 * ```
 */
export function explain(policy: string | ParsedPolicy, request: ExplainRequest): Explanation {
  return explainer(policy)(request);
}

/** Returns a function like `explain`, for many requests and one policy. */
export function explainer(policy: string | ParsedPolicy): (request: ExplainRequest) => Explanation {
  const lists = new DecidingLists(policy);
  return (request) => {
    const { kind, url } = request;
    const read = withoutUrl.get(url) ?? lists.read(request);
    if (read === undefined)
      return blocked(
        "it cannot be read as a URL, so it was not compared: write https://host/path, or /path on the page's own host",
      );
    if (kind === "frame" && "url" in read && read.url.scheme === "about")
      return { verdict: "allowed", reason: "browsers create frames of about: without a request" };
    const asked = url === "eval" || url === "wasm-eval" ? "script-src" : toDirective(kind);
    const decisions = lists.of(asked).map((deciding) => decide(deciding, kind, asked, read));
    const first = (verdict: Verdict) => decisions.find((one) => one.verdict === verdict);
    return (
      first("blocked") ??
      first("browsers-differ") ??
      decisions[0] ?? { verdict: "allowed", reason: `the policy restricts no ${nameKind(kind)}` }
    );
  };
}

type Keywords = readonly [string, ...string[]];

/**
 * Keywords that allow content without a URL: inline in the page, or evaluated by its scripts. One of the keywords suffices; the
 * first is the narrowest.
 */
const withoutUrl: ReadonlyMap<string, Keywords> = new Map([
  ["inline", ["unsafe-inline"]],
  ["eval", ["unsafe-eval"]],
  ["wasm-eval", ["wasm-unsafe-eval", "unsafe-eval"]],
]);

function decide(deciding: Deciding, kind: RequestKind, asked: string, read: ReadRequest | Keywords) {
  const { directive, lacks } = deciding;
  if (lacks !== undefined) return { ...blocked(`sandbox blocks it: it has no ${lacks}`), directive };
  // `script-src` covers `script-src-elem`, so it is not a fallback.
  const ordinary = generalName(asked);
  const isFallback = directive !== asked && directive !== ordinary;
  const who = isFallback ? `${directive} (for ${ordinary})` : directive;
  const decision = "url" in read ? bySource(deciding, who, kind, read) : byKeyword(deciding, who, kind, read);
  return { ...decision, directive, ...(isFallback && { fallbackFor: ordinary }) };
}

function bySource(deciding: Deciding, who: string, kind: RequestKind, read: ReadRequest): Explanation {
  const { list } = deciding;
  if (kind === "worker" && list.isStrictDynamic)
    return { verdict: "allowed", reason: `${who} has 'strict-dynamic', which lets pages start workers` };
  if (isClosedTo(list, kind))
    return blocked(
      list.hasUrlHash
        ? `${who} has the hash of a URL, so Chromium allows nothing by its host`
        : `${who} has 'strict-dynamic', so no host counts: the script needs a nonce or a hash, or an allowed script has to add it`,
    );
  const [allowedBy] = list.allowing(read.url, read.page);
  if (allowedBy === undefined) return refused(deciding, who, read);
  if (list.allows(read.url, read.page))
    return { verdict: "allowed", allowedBy, reason: `${who} allows it by ${toVisible(allowedBy)}` };
  return {
    verdict: "browsers-differ",
    allowedBy,
    reason: `${who} allows it by ${toVisible(allowedBy)} in Chromium and Firefox, which read %2F as a slash, and blocks it by the standard`,
  };
}

function refused({ values }: Deciding, who: string, read: ReadRequest): Explanation {
  const nearest = nearestSource(values, read);
  if (nearest !== undefined) {
    const what = `the nearest is ${toVisible(nearest.source)}, but ${nearest.difference}`;
    return { ...blocked(`no source of ${who} allows it; ${what}`), nearest };
  }
  const { host, scheme } = read.url;
  if (values.every((value) => value.toLowerCase() === "'none'")) return blocked(`${who} allows nothing`);
  return blocked(`no source of ${who} names ${toVisible(host || `${scheme}:`)}`);
}

function byKeyword(deciding: Deciding, who: string, kind: RequestKind, keywords: Keywords): Explanation {
  const { list, directive } = deciding;
  const keyword = keywords.find((one) => list.hasKeyword(one));
  if (keyword === undefined) {
    const reason = `${who} has no '${keywords[0]}'`;
    if (keywords[0] !== "unsafe-inline") return blocked(reason);
    const more = toDirective(kind).endsWith("-attr")
      ? "a nonce never allows it, and a hash only beside 'unsafe-hashes'"
      : "a hash or a nonce may still allow it";
    return blocked(`${reason}; ${more}`);
  }
  const isStyle = kind === "style" || kind === "style-attribute";
  // In lists for scripts `'strict-dynamic'` disables `'unsafe-inline'`. For styles, Chromium disables it in default-src only.
  const isDisabled = list.isStrictDynamic && (!isStyle || directive === "default-src");
  if (keyword === "unsafe-inline" && (isDisabled || !list.allowsAllInline))
    return blocked(`'unsafe-inline' in ${who} has no effect beside a hash, a nonce or 'strict-dynamic'`);
  return { verdict: "allowed", allowedBy: `'${keyword}'`, reason: `${who} allows it by '${keyword}'` };
}

function blocked(reason: string): Explanation {
  return { verdict: "blocked", reason };
}

export type SourcePart = "scheme" | "host" | "port" | "path";

/** The source that comes nearest to allowing a URL. */
export interface NearestSource {
  /** The source as written in the policy. */
  readonly source: string;
  /** Parts of the URL that the source does not match. */
  readonly fails: readonly SourcePart[];
  /** The difference in words: `the path /b.js is not below /js/`. */
  readonly difference: string;
}

/** Number of failing parts that a different host adds to the distance, so that any source with the same host is nearer. */
const otherHostDistance = 4;
const maxLikeness = 1e6;

type Candidate = NonNullable<ReturnType<typeof toCandidate>>;

/** Returns the source that comes nearest to allowing a URL. Undefined if no source names this host or a similar one. */
function nearestSource(values: readonly string[], request: ReadRequest): NearestSource | undefined {
  const { url, page } = request;
  // A URL without a host is not similar to any source.
  if (!networkSchemes.has(url.scheme)) return undefined;
  const candidates = values.flatMap((text) => toCandidate(text, request) ?? []);
  const related = candidates.filter(
    ({ fails, source }) => !fails.includes("host") || isRelated(source.host, url.host),
  );
  const hosts = new Set(candidates.map(({ source }) => source.host));
  const alike = [...hosts].filter(({ length }) => Math.abs(length - url.host.length) <= 3);
  // Do not guess for a short name: half of its letters might differ.
  const meant = related.length > 0 || url.host.length < 8 ? undefined : nearest(url.host, alike);
  const best =
    meant === undefined
      ? related.reduce<Candidate | undefined>((a, b) => (a && a.distance <= b.distance ? a : b), undefined)
      : candidates.find(({ source }) => source.host === meant);
  return best && { source: best.text, fails: best.fails, difference: describeDifference(best, url, page) };
}

/** Returns the host source that means the same as a host, `'self'` or a whole scheme. Undefined for other sources. */
function asHostSource(source: Source, page: RequestUrl): HostSource | undefined {
  if (source.kind === "host") return source;
  if (source.kind === "keyword" && source.keyword === "self" && page.host !== "")
    return { kind: "host", isWildcard: false, ...page, path: undefined };
  if (source.kind !== "scheme" || !networkSchemes.has(source.scheme)) return undefined;
  return { kind: "host", scheme: source.scheme, isWildcard: true, host: "", port: "*" };
}

/** Returns a source with its distance from a request: the number of failing parts, then dissimilarity. */
function toCandidate(text: string, { url, page }: ReadRequest) {
  const source = asHostSource(parseSource(text), page);
  if (source === undefined) return undefined;
  const fails: SourcePart[] = [];
  if (!hostMatches(source, url.host)) fails.push("host");
  fails.push(...failingOrigin(source, url, page));
  if (!pathMatches(source.path, url.path)) fails.push("path");
  // Only `'self'` can fail although each part matches: if the page has the default port of another scheme.
  if (fails.length === 0) fails.push("scheme");
  const isOtherHost = fails[0] === "host";
  const alike = isOtherHost ? commonLabels(source.host, url.host) : commonStart(source.path ?? "", url.path);
  const failing = fails.length + (isOtherHost ? otherHostDistance : 0);
  return { text, source, fails, distance: failing * maxLikeness - alike };
}

/** Whether two hosts are related: `a.example.com` and `b.example.com`, but not `a.co.uk` and `b.co.uk`. */
function isRelated(a: string, b: string): boolean {
  const common = commonLabels(a, b);
  const [last = "", before = ""] = b.split(".").reverse();
  return common > 2 || (common === 2 && (last.length > 3 || before.length > 3));
}

function commonLabels(a: string, b: string): number {
  return commonStart(a.split(".").reverse(), b.split(".").reverse());
}

/** Returns the number of equal characters or labels at the start. Stops at an empty label. */
function commonStart(a: string | readonly string[], b: typeof a): number {
  let length = 0;
  while (a[length] && a[length] === b[length]) length++;
  return length;
}

function describeDifference({ fails, source }: Candidate, url: RequestUrl, page: RequestUrl): string {
  const { path = "" } = source;
  const inWords = {
    host: () => `the host is ${toVisible(url.host)}`,
    scheme: () => `the scheme is ${toVisible(url.scheme)}, not ${toVisible(source.scheme ?? page.scheme)}`,
    port: () => `the port is ${toPort(url)}, not ${derivePort(source, page)}`,
    path: () => {
      const relation = path.endsWith("/") ? "is not below" : "is not";
      return `the path ${toVisible(encodePath(url.path))} ${relation} ${toVisible(encodePath(path))}`;
    },
  } satisfies Record<SourcePart, () => string>;
  return fails.map((part) => inWords[part]()).join(" and ");
}
