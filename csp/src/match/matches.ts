import { decidingDirective, missingPermission, policiesOf, upgradesRequests } from "../syntax/directives";
import type { ParsedPolicy } from "../syntax/parse";
import { type RequestUrl, toRequestUrl, upgrade, withScheme } from "../syntax/request-url";
import { type ExplainRequest, isClosedTo, toDirective } from "./request-kind";
import { SourceList } from "./source-list";

/** A request that a browser is about to make. */
export interface PolicyRequest extends ExplainRequest {
  /** `script`: a `<script src>` in the page's HTML, without nonce or integrity; `connection`: fetch, WebSocket, … */
  readonly kind: "script" | "connection";
}

/** A policy prepared for many requests. The time for a request does not depend on the length of the policy. */
export interface CompiledPolicy {
  /** Whether every browser that enforces the policy allows the request. */
  allows(request: PolicyRequest): boolean;
  /**
   * Returns the sources, as written, that allow the request in some browser. Empty if all browsers block the request, or if
   * nothing restricts it.
   */
  sourcesFor(request: PolicyRequest): readonly string[];
}

/** Prepares a policy for many requests. Ignores the parts that browsers ignore; never throws. */
export function compile(policy: string | ParsedPolicy): CompiledPolicy {
  return new DecidingLists(policy);
}

/** Policy of the last request, because the next request often has the same policy. */
let last: { readonly policy: string | ParsedPolicy; readonly compiled: CompiledPolicy } | undefined;

/**
 * Whether browsers that enforce the policy allow a request (CSP Level 3; differences: `docs/csp-matching.md`). If browsers
 * differ (`%2F`), returns false like the standard; `explain` reports this. Use `compile` for many requests of one policy.
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
  /** The keyword that `sandbox` lacks, if it blocks the request. */
  readonly lacks?: string;
}

export interface ReadRequest {
  readonly url: RequestUrl;
  readonly page: RequestUrl;
}

/** Source lists of a policy text. Commas in the text separate several policies. Each list is read on first use. */
export class DecidingLists implements CompiledPolicy {
  readonly #policies: readonly ParsedPolicy[];
  readonly #isUpgrading: boolean;
  readonly #read = new Map<string, readonly Deciding[]>();
  /** Page of the last request, because requests of the same page usually follow each other. */
  #page: Page | undefined;

  constructor(policy: string | ParsedPolicy) {
    const text = typeof policy === "string" ? policy : policy.text;
    this.#policies = policiesOf(text);
    this.#isUpgrading = upgradesRequests(text);
  }

  /** Returns, for each policy, the list that decides about this directive. All of these lists must allow a request. */
  of(directive: string): readonly Deciding[] {
    const known = this.#read.get(directive);
    if (known !== undefined) return known;
    const read = this.#policies.flatMap((policy) => {
      const { name, values } = decidingDirective(policy, directive) ?? {};
      const lacks = missingPermission(policy, directive);
      const sandbox = lacks ? [{ directive: "sandbox", values: [], list: new SourceList([]), lacks }] : [];
      return [
        ...sandbox,
        ...(name && values ? [{ directive: name, values, list: new SourceList(values) }] : []),
      ];
    });
    this.#read.set(directive, read);
    return read;
  }

  allows(request: PolicyRequest): boolean {
    const { kind } = request;
    const read = this.read(request);
    if (read === undefined) return false;
    const deciding = this.of(toDirective(kind));
    return deciding.every(({ list }) => !isClosedTo(list, kind) && list.allows(read.url, read.page));
  }

  sourcesFor(request: PolicyRequest): readonly string[] {
    const { kind } = request;
    const read = this.read(request);
    const deciding = this.of(toDirective(kind));
    if (read === undefined || deciding.some(({ list }) => isClosedTo(list, kind))) return [];
    const allowing = deciding.map(({ list }) => list.allowing(read.url, read.page));
    return allowing.every(({ length }) => length > 0) ? allowing.flat() : [];
  }

  /** Parses a request. Undefined if its URL cannot be parsed: no browser requests such a URL. */
  read({ kind, url: text, pageUrl }: ExplainRequest): ReadRequest | undefined {
    if (this.#page?.text !== pageUrl) this.#page = toPage(pageUrl);
    const { base, url: page } = this.#page;
    const url = toRequestUrl(text, base);
    if (url === undefined) return undefined;
    return { url: this.#isUpgrading || isUpgradedAnyway(kind, url, page) ? upgrade(url) : url, page };
  }
}

/**
 * Whether browsers upgrade a request even if no policy says so: images, audio and video on an https page, unless their host is
 * an IP address (Mixed Content, 4.1).
 */
function isUpgradedAnyway(kind: string, { host, scheme }: RequestUrl, page: RequestUrl): boolean {
  const isMedia = kind === "image" || kind === "media";
  return isMedia && scheme === "http" && page.scheme === "https" && !/^[\d.]+$|^\[/.test(host);
}

/** A page that carries a policy. */
export interface Page {
  readonly text: string;
  readonly url: RequestUrl;
  /** Base of relative URLs; absent if the page's URL cannot be parsed. In that case the host in `url` is empty. */
  readonly base?: string;
}

export function toPage(text: string): Page {
  const base = withScheme(text);
  const url = toRequestUrl(base);
  // If the page's URL cannot be parsed, its host is empty, so that `'self'` matches nothing.
  return url === undefined ? { text, url: { scheme: "https", host: "", path: "/" } } : { text, url, base };
}
