import { DecidingLists } from "../match/matches";
import { allowsInline, calledKind, directiveOf, isClosedTo, type RequestKind } from "../match/request-kind";
import type { SourceList } from "../match/source-list";

/** A kind of thing that policies restrict and the service, which lists URLs of scripts and connections, never shows. */
interface UnseenKind {
  readonly name: string;
  /** The directive that decides it first; the others follow from its fallbacks. */
  readonly directive: string;
  /** Whether a list leaves all of the kind alone. */
  readonly isUnrestricted: (list: SourceList, decidedBy: string) => boolean;
}

function inPage(name: string, kind: RequestKind): UnseenKind {
  const isUnrestricted: UnseenKind["isUnrestricted"] = (list, decidedBy) =>
    allowsInline(list, kind, decidedBy);
  return { name, directive: directiveOf(kind), isUnrestricted };
}

/** Loaded from the network, or from a URL of one of these schemes. */
function loaded(kind: RequestKind, ...schemes: readonly string[]): UnseenKind {
  const isUnrestricted = (list: SourceList) =>
    list.allowsAnyHost && schemes.every((scheme) => list.allowsScheme(scheme)) && !isClosedTo(list, kind);
  return { name: calledKind(kind), directive: directiveOf(kind), isUnrestricted };
}

/** What breaks most pages first. */
const everyKind: readonly UnseenKind[] = [
  inPage("inline scripts", "script"),
  inPage("event handlers", "event-handler"),
  { name: "eval", directive: "script-src", isUnrestricted: (list) => list.hasKeyword("unsafe-eval") },
  {
    name: "WebAssembly",
    directive: "script-src",
    isUnrestricted: (list) => list.hasKeyword("unsafe-eval") || list.hasKeyword("wasm-unsafe-eval"),
  },
  inPage("inline styles", "style"),
  inPage("style attributes", "style-attribute"),
  loaded("style"),
  loaded("image", "data", "blob"),
  loaded("font", "data"),
  loaded("media", "data", "blob"),
  loaded("frame", "data", "blob"),
  {
    name: "workers",
    directive: "worker-src",
    // Workers of another origin are blocked whatever a policy says, and no parser inserts them into a page.
    isUnrestricted: (list) =>
      list.isStrictDynamic ||
      (["data", "blob"].every((scheme) => list.allowsScheme(scheme)) &&
        (list.allowsAnyHost || list.hasKeyword("self")) &&
        !list.hasUrlHash),
  },
  loaded("object"),
  loaded("manifest"),
  loaded("form"),
  loaded("base"),
  {
    name: "pages that frame this one",
    directive: "frame-ancestors",
    isUnrestricted: (list) => list.allowsAnyHost,
  },
];

/**
 * What an enforced policy restricts and the service does not show, so that it cannot be known beforehand what it would
 * block: inline scripts, event handlers, styles, images, frames … Words for a person, those that break most pages first;
 * empty when the policy restricts scripts by URL and connections only. A page on https is assumed. Never throws.
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
