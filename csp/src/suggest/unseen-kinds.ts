import { DecidingLists } from "../match/matches";
import { allowsInline, calledKind, directiveOf, isClosedTo, type RequestKind } from "../match/request-kind";
import type { SourceList } from "../match/source-list";

/** A kind of content that policies restrict and the service, which lists URLs of scripts and connections, never shows. */
interface UnseenKind {
  readonly name: string;
  /** The directive that decides it first; the others follow from its fallbacks. */
  readonly directive: string;
  /** Whether a list of sources does not restrict the kind. */
  readonly isUnrestricted: (list: SourceList, decidedBy: string) => boolean;
}

function kind(name: string, directive: string, isUnrestricted: UnseenKind["isUnrestricted"]): UnseenKind {
  return { name, directive, isUnrestricted };
}

function inPage(name: string, of: RequestKind): UnseenKind {
  return kind(name, directiveOf(of), (list, decidedBy) => allowsInline(list, of, decidedBy));
}

/** Returns a kind that is loaded from the network or from a URL of one of these schemes. */
function loaded(of: RequestKind, ...schemes: readonly string[]): UnseenKind {
  const isOpen = (list: SourceList) => list.allowsAnyHost && schemes.every((one) => list.allowsScheme(one));
  return kind(calledKind(of), directiveOf(of), (list) => isOpen(list) && !isClosedTo(list, of));
}

/**
 * Whether a list allows workers. Those of another origin are blocked whatever a policy says, and no parser inserts them into a
 * page.
 */
function allowsWorkers(list: SourceList): boolean {
  const isOpen = (list.allowsAnyHost || list.hasKeyword("self")) && !list.hasUrlHash;
  return list.isStrictDynamic || (isOpen && list.allowsScheme("data") && list.allowsScheme("blob"));
}

function evals(...keywords: readonly string[]): UnseenKind["isUnrestricted"] {
  return (list) => keywords.some((keyword) => list.hasKeyword(keyword));
}

/** Kinds in the order of the pages that they break, most first. */
const everyKind: readonly UnseenKind[] = [
  inPage("inline scripts", "script"),
  inPage("event handlers", "event-handler"),
  kind("eval", "script-src", evals("unsafe-eval")),
  kind("WebAssembly", "script-src", evals("unsafe-eval", "wasm-unsafe-eval")),
  inPage("inline styles", "style"),
  inPage("style attributes", "style-attribute"),
  loaded("style"),
  loaded("image", "data", "blob"),
  loaded("font", "data"),
  loaded("media", "data", "blob"),
  loaded("frame", "data", "blob"),
  kind("workers", "worker-src", allowsWorkers),
  loaded("object"),
  loaded("manifest"),
  loaded("form"),
  loaded("base"),
  kind("pages that frame this one", "frame-ancestors", (list) => list.allowsAnyHost),
];

/**
 * Returns kinds of content that an enforced policy restricts and the service does not show, so that their impact cannot be
 * known beforehand: inline scripts, event handlers, styles, images, frames … Words for a person, in the order of the pages that
 * they break; empty if the policy restricts only scripts by URL and connections. Assumes a page on https. Never throws.
 *
 * @example
 * ```ts
 * unseenKinds("connect-src 'self'"); // []
 * unseenKinds("script-src 'self' 'unsafe-inline'; img-src 'self'"); // ["eval", "WebAssembly", "images", "workers"]
 * ```
 */
export function unseenKinds(text: string): readonly string[] {
  return unseenBy(new DecidingLists(text));
}

export function unseenBy(lists: DecidingLists): readonly string[] {
  return everyKind
    .filter(({ directive, isUnrestricted }) =>
      lists.of(directive).some(({ list, directive: decidedBy }) => !isUnrestricted(list, decidedBy)),
    )
    .map(({ name }) => name);
}
