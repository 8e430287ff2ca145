import { decidingDirective, findDirective, policiesOf } from "../syntax/directives";
import type { ParsedPolicy } from "../syntax/parse";
import { type RequestUrl, toRequestUrl, upgraded, withScheme } from "../syntax/request-url";
import { directiveOf, type ExplainRequest, isClosedTo } from "./request-kind";
import { SourceList } from "./source-list";

/** A request that a browser is about to make. */
export interface PolicyRequest extends ExplainRequest {
  /** `script`: a `<script src>` in the page's HTML, without nonce or integrity; `connection`: fetch, WebSocket, … */
  readonly kind: "script" | "connection";
}

/** A policy prepared for many requests: each takes time by the length of its URL, not of the policy. */
export interface CompiledPolicy {
  /** Whether every browser that enforces the policy lets the request out. */
  allows(request: PolicyRequest): boolean;
  /**
   * Returns the sources by which a browser lets the request out, as written; empty if all block it or if nothing restricts it.
   */
  sourcesFor(request: PolicyRequest): readonly string[];
}

/** Prepares a policy for many requests. Ignores the parts that browsers ignore; never throws. */
export function compile(policy: string | ParsedPolicy): CompiledPolicy {
  return new DecidingLists(policy);
}

/** Policy of the last request: the next one is often about the same policy. */
let last: { readonly policy: string | ParsedPolicy; readonly compiled: CompiledPolicy } | undefined;

/**
 * Whether the policy lets a request out, as browsers decide (CSP Level 3; differences: `docs/csp-matching.md`). If browsers
 * differ (`%2F`), the answer is that of the standard, no; `explain` reports it. Use `compile` for many requests of one policy.
 *
 * @example
 * ```ts
 * matches("script-src *.example.com", {
 *   kind: "script", url: "https://cdn.example.com/a.js", pageUrl: "https://shop.example.com/",
 * }); // true
 * ```
 */
export function matches(policy: string | ParsedPolicy, request: PolicyRequest): boolean {
  if (last?.policy !== policy) last = { policy, compiled: compile(policy) };
  return last.compiled.allows(request);
}

/** The directive of one policy that decides about a kind of request. */
export interface Deciding {
  readonly directive: string;
  readonly values: readonly string[];
  readonly list: SourceList;
}

export interface ReadRequest {
  readonly url: RequestUrl;
  readonly page: RequestUrl;
}

/** Source lists of a text, which contains several policies if it has commas. Each list is read on first use. */
export class DecidingLists implements CompiledPolicy {
  readonly #policies: readonly ParsedPolicy[];
  readonly #isUpgrading: boolean;
  readonly #read = new Map<string, readonly Deciding[]>();
  /** Page of the last request: requests come page by page. */
  #page: Page | undefined;

  constructor(policy: string | ParsedPolicy) {
    this.#policies = policiesOf(typeof policy === "string" ? policy : policy.text);
    this.#isUpgrading = this.#policies.some(
      (one) => findDirective(one, ["upgrade-insecure-requests"]) !== undefined,
    );
  }

  /** Returns a list for each policy that restricts this directive; every one must allow a request. */
  of(directive: string): readonly Deciding[] {
    const known = this.#read.get(directive);
    if (known !== undefined) return known;
    const read = this.#policies.flatMap((policy) => {
      const { name, values } = decidingDirective(policy, directive) ?? {};
      return name && values ? [{ directive: name, values, list: new SourceList(values) }] : [];
    });
    this.#read.set(directive, read);
    return read;
  }

  allows(request: PolicyRequest): boolean {
    const { kind } = request;
    const read = this.read(request);
    if (read === undefined) return false;
    const deciding = this.of(directiveOf(kind));
    return deciding.every(({ list }) => !isClosedTo(list, kind) && list.allows(read.url, read.page));
  }

  sourcesFor(request: PolicyRequest): readonly string[] {
    const { kind } = request;
    const read = this.read(request);
    const deciding = this.of(directiveOf(kind));
    if (read === undefined || deciding.some(({ list }) => isClosedTo(list, kind))) return [];
    const allowing = deciding.map(({ list }) => list.allowing(read.url, read.page));
    return allowing.every(({ length }) => length > 0) ? allowing.flat() : [];
  }

  /** Reads a request; undefined if its URL cannot be read, so that nothing can be requested. */
  read({ kind, url: text, pageUrl }: ExplainRequest): ReadRequest | undefined {
    if (this.#page?.text !== pageUrl) this.#page = toPage(pageUrl);
    const { base, url: page } = this.#page;
    const url = toRequestUrl(text, base);
    if (url === undefined) return undefined;
    return { url: this.#isUpgrading || isUpgradedAnyway(kind, url, page) ? upgraded(url) : url, page };
  }
}

/**
 * Whether browsers upgrade a request by themselves: images, audio and video of a page on https, but not from an IP address
 * (Mixed Content, 4.1).
 */
function isUpgradedAnyway(kind: string, { host, scheme }: RequestUrl, page: RequestUrl): boolean {
  const isMedia = kind === "image" || kind === "media";
  return isMedia && scheme === "http" && page.scheme === "https" && !/^[\d.]+$|^\[/.test(host);
}

/** A page that carries a policy. */
export interface Page {
  readonly text: string;
  readonly url: RequestUrl;
  /** URL for relative URLs; absent if the page's URL cannot be read. Then its host is empty. */
  readonly base?: string;
}

export function toPage(text: string): Page {
  const base = withScheme(text);
  const url = toRequestUrl(base);
  // A page that cannot be read has no host that `'self'` could be.
  return url === undefined ? { text, url: { scheme: "https", host: "", path: "/" } } : { text, url, base };
}
