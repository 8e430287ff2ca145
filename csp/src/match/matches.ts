import type { ParsedPolicy } from "../syntax/parse";
import { DecidingLists, textOf } from "./deciding-lists";
import { directiveOf, type ExplainRequest, isClosedTo } from "./request-kind";

/** What a browser is about to load. */
export interface PolicyRequest extends ExplainRequest {
  /** `script`: a `<script src>` in the page's HTML, without nonce or integrity; `connection`: fetch, WebSocket, … */
  readonly kind: "script" | "connection";
}

/** A policy prepared for many requests: each takes time by the length of its URL, not of the policy. */
export interface CompiledPolicy {
  /** Whether every browser that enforces the policy lets the request out. */
  allows(request: PolicyRequest): boolean;
  /**
   * The sources by which a browser lets the request out, as they are written; none when all of them block it, or when
   * nothing restricts it.
   */
  sourcesFor(request: PolicyRequest): readonly string[];
}

/** Never throws: what browsers ignore is ignored here. */
export function compile(policy: string | ParsedPolicy): CompiledPolicy {
  const lists = new DecidingLists(policy);
  return {
    allows(request) {
      const { kind } = request;
      const read = lists.read(request);
      if (read === undefined) return false;
      const deciding = lists.of(directiveOf(kind));
      return deciding.every(({ list }) => !isClosedTo(list, kind) && list.allows(read.url, read.page));
    },
    sourcesFor(request) {
      const { kind } = request;
      const read = lists.read(request);
      const deciding = lists.of(directiveOf(kind));
      if (read === undefined || deciding.some(({ list }) => isClosedTo(list, kind))) return [];
      const allowing = deciding.map(({ list }) => list.allowing(read.url, read.page));
      return allowing.every(({ length }) => length > 0) ? allowing.flat() : [];
    },
  };
}

/** Who asks about one request of a policy often asks about the next. */
let last: { readonly text: string; readonly compiled: CompiledPolicy } | undefined;

/**
 * Whether the policy lets a request out, as browsers decide it (CSP Level 3; differences: `docs/csp-matching.md`).
 * Where they differ (`%2F`) the answer is that of the standard, no; `explain` says so. For many requests of one policy
 * use `compile`.
 *
 * @example
 * ```ts
 * matches("script-src *.example.com", {
 *   kind: "script", url: "https://cdn.example.com/a.js", pageUrl: "https://shop.example.com/",
 * }); // true
 * ```
 */
export function matches(policy: string | ParsedPolicy, request: PolicyRequest): boolean {
  const text = textOf(policy);
  if (last?.text !== text) last = { text, compiled: compile(text) };
  return last.compiled.allows(request);
}
