import { visible } from "../finding";
import type { ParsedPolicy } from "../syntax/parse";
import { type Deciding, DecidingLists, type ReadRequest } from "./deciding-lists";
import { type NearestSource, nearestSource } from "./nearest-source";
import {
  allowsInline,
  calledKind,
  directiveOf,
  type ExplainRequest,
  isClosedTo,
  type RequestKind,
} from "./request-kind";

/** `browsers-differ`: some load it and some do not, which is neither safe nor fine. */
export type Verdict = "allowed" | "blocked" | "browsers-differ";

/** What a policy does with a request, and why. */
export interface Explanation {
  readonly verdict: Verdict;
  /**
   * The directive that decides; absent where none restricts such a request, or its URL cannot be read. Of several
   * policies in one text (a comma ends one) that of the first that blocks it, else of the first about which browsers
   * differ.
   */
  readonly directive?: string;
  /** What it decides in place of: `connect-src`, where `default-src` decides because there is none. */
  readonly fallbackFor?: string;
  /** The first source that allows it; where browsers differ, in some of them. */
  readonly allowedBy?: string;
  /** Where it is blocked, the source that comes nearest; absent where none of them names this host or one alike. */
  readonly nearest?: NearestSource;
  /** The reason as part of a sentence, safe to show: `script-src allows it by https://cdn.example.com`. */
  readonly reason: string;
}

/**
 * What browsers that enforce a policy do with a request, by which directive and source, and what would have to
 * change. The same answer as `matches`, which treats `browsers-differ` as blocked. Never throws.
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

/** `explain` for many requests of one policy. */
export function explainer(policy: string | ParsedPolicy): (request: ExplainRequest) => Explanation {
  const lists = new DecidingLists(policy);
  return (request) => {
    const { kind, url } = request;
    const read = withoutUrl.get(url) ?? lists.read(request);
    if (read === undefined) return blocked("the URL cannot be read, so no browser requests it");
    const asked = url === "eval" || url === "wasm-eval" ? "script-src" : directiveOf(kind);
    const decisions = lists.of(asked).map((deciding) => decide(deciding, kind, asked, read));
    const first = (verdict: Verdict) => decisions.find((one) => one.verdict === verdict);
    return (
      first("blocked") ??
      first("browsers-differ") ??
      decisions[0] ?? { verdict: "allowed", reason: `the policy restricts no ${calledKind(kind)}` }
    );
  };
}

/** What is in the page itself, or evaluated by its scripts: any of these keywords allows it, of which the first is the narrowest. */
const withoutUrl: ReadonlyMap<string, readonly [string, ...string[]]> = new Map([
  ["inline", ["unsafe-inline"]],
  ["eval", ["unsafe-eval"]],
  ["wasm-eval", ["wasm-unsafe-eval", "unsafe-eval"]],
]);

function decide(
  deciding: Deciding,
  kind: RequestKind,
  asked: string,
  read: ReadRequest | readonly [string, ...string[]],
): Explanation {
  const { directive } = deciding;
  // That script-src decides about script elements is what it is for.
  const ordinary = asked.replace(/-(?:elem|attr)$/, "");
  const isFallback = directive !== asked && directive !== ordinary;
  const who = isFallback ? `${directive} (for ${ordinary})` : directive;
  const decision = "url" in read ? bySource(deciding, who, kind, read) : byKeyword(deciding, who, kind, read);
  return { ...decision, directive, ...(isFallback && { fallbackFor: ordinary }) };
}

function bySource(deciding: Deciding, who: string, kind: RequestKind, read: ReadRequest): Explanation {
  const { list } = deciding;
  if (kind === "worker" && list.isStrictDynamic) {
    return { verdict: "allowed", reason: `${who} has 'strict-dynamic', which lets pages start workers` };
  }
  if (isClosedTo(list, kind)) {
    return blocked(
      list.hasUrlHash
        ? `${who} has the hash of a URL, so Chromium allows nothing by its host`
        : `${who} has 'strict-dynamic', so no host counts: only a nonce, a hash or the script that adds it can allow it`,
    );
  }
  const [allowedBy] = list.allowing(read.url, read.page);
  if (allowedBy === undefined) return refused(deciding, who, read);
  if (list.allows(read.url, read.page)) {
    return { verdict: "allowed", allowedBy, reason: `${who} allows it by ${visible(allowedBy)}` };
  }
  return {
    verdict: "browsers-differ",
    allowedBy,
    reason: `${who} allows it by ${visible(allowedBy)} in Chromium and Firefox, which read %2F as a slash, and blocks it by the standard`,
  };
}

function refused({ values }: Deciding, who: string, read: ReadRequest): Explanation {
  const nearest = nearestSource(values, read);
  if (nearest !== undefined) {
    const { source, difference } = nearest;
    return {
      ...blocked(`no source of ${who} allows it; the nearest is ${visible(source)}, but ${difference}`),
      nearest,
    };
  }
  const { host, scheme } = read.url;
  if (values.every((value) => value.toLowerCase() === "'none'")) return blocked(`${who} allows nothing`);
  return blocked(`no source of ${who} names ${visible(host || `${scheme}:`)}`);
}

function byKeyword(
  { list, directive }: Deciding,
  who: string,
  kind: RequestKind,
  keywords: readonly [string, ...string[]],
): Explanation {
  const keyword = keywords.find((one) => list.hasKeyword(one));
  if (keyword === undefined) {
    const more = directiveOf(kind).endsWith("-attr")
      ? "; a nonce never allows it, and a hash only beside 'unsafe-hashes'"
      : "; a hash or a nonce may still allow it";
    return blocked(`${who} has no '${keywords[0]}'${keywords[0] === "unsafe-inline" ? more : ""}`);
  }
  if (keyword === "unsafe-inline" && !allowsInline(list, kind, directive))
    return blocked(`'unsafe-inline' in ${who} does not count beside a hash, a nonce or 'strict-dynamic'`);
  return { verdict: "allowed", allowedBy: `'${keyword}'`, reason: `${who} allows it by '${keyword}'` };
}

function blocked(reason: string): Explanation {
  return { verdict: "blocked", reason };
}
