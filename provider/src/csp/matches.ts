import { FALLBACKS } from "./directives";
import { findDirective, type ParsedPolicy, parse, splitPolicies } from "./parse";
import { type RequestUrl, toRequestUrl, upgraded, withScheme } from "./request-url";
import { SourceList } from "./source-list";

/** What a browser is about to load. */
export interface PolicyRequest {
  /** `script`: a `<script src>` in the page's HTML, without nonce or integrity; `connection`: fetch, WebSocket, … */
  readonly kind: "script" | "connection";
  /** A relative one is taken relative to the page. */
  readonly url: string;
  /** The page that carries the policy; https is assumed where the scheme is missing. */
  readonly pageUrl: string;
}

/** A policy made ready for many requests: each takes time by the length of its URL, not of the policy. */
export interface CompiledPolicy {
  /** Whether a browser that enforces the policy lets the request out. */
  allows(request: PolicyRequest): boolean;
  /** The sources that let the request out, as they are written; none when it is blocked, or when nothing restricts it. */
  sourcesFor(request: PolicyRequest): readonly string[];
}

const DIRECTIVE_OF = { script: "script-src-elem", connection: "connect-src" } as const;

/** Never throws: what browsers pass over is passed over here. */
export function compile(policy: string | ParsedPolicy): CompiledPolicy {
  const text = typeof policy === "string" ? policy : policy.text;
  const policies = splitPolicies(text).map(parse);
  const isUpgrading = policies.some((one) => findDirective(one, ["upgrade-insecure-requests"]) !== undefined);
  const lists = { script: listsOf(policies, "script"), connection: listsOf(policies, "connection") };
  const pageAt = memoizeLast(toPage);
  const isClosed = (list: SourceList, kind: PolicyRequest["kind"]) =>
    kind === "script" ? list.ignoresHostsOfScripts : list.hasUrlHash;
  /** Undefined: what cannot be read cannot be requested. */
  const read = ({ url: urlText, pageUrl }: PolicyRequest) => {
    const page = pageAt(pageUrl);
    const url = toRequestUrl(urlText, page.base);
    return url === undefined ? undefined : { url: isUpgrading ? upgraded(url) : url, page: page.url };
  };
  const allows = (request: PolicyRequest): boolean => {
    const { kind } = request;
    const found = read(request);
    if (found === undefined) return false;
    return lists[kind].every((list) => !isClosed(list, kind) && list.allows(found.url, found.page));
  };

  return {
    allows,
    sourcesFor(request) {
      const found = read(request);
      if (found === undefined || !allows(request)) return [];
      return lists[request.kind].flatMap((list) => [...list.allowing(found.url, found.page)]);
    },
  };
}

/**
 * Whether the policy lets a request out, as browsers decide it (CSP Level 3; differences: `docs/csp-matching.md`).
 * For many requests of one policy use `compile`.
 *
 * @example
 * ```ts
 * matches("script-src *.example.com", {
 *   kind: "script", url: "https://cdn.example.com/a.js", pageUrl: "https://shop.example.com/",
 * }); // true
 * ```
 */
export function matches(policy: string | ParsedPolicy, request: PolicyRequest): boolean {
  return compile(policy).allows(request);
}

/** One list for each policy that restricts this kind at all: every one must allow. */
function listsOf(policies: readonly ParsedPolicy[], kind: PolicyRequest["kind"]): readonly SourceList[] {
  return policies.flatMap((policy) => {
    const directive = findDirective(policy, FALLBACKS.get(DIRECTIVE_OF[kind]) ?? []);
    return directive === undefined ? [] : [new SourceList(directive.values)];
  });
}

interface Page {
  readonly url: RequestUrl;
  readonly base?: string;
}

function toPage(text: string): Page {
  const base = withScheme(text);
  const url = toRequestUrl(base);
  // A page that cannot be read has no host that `'self'` could be.
  return url === undefined ? { url: { scheme: "https", host: "", path: "/" } } : { url, base };
}

/** Requests come page by page. */
function memoizeLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { text: string; result: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}
