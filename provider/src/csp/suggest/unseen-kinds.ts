import { SourceList } from "../match/source-list";
import { FALLBACKS } from "../syntax/directives";
import { type ParsedPolicy, parse, splitPolicies } from "../syntax/parse";

/** A kind of thing that policies restrict and the service, which lists URLs of scripts and connections, never shows. */
interface UnseenKind {
  readonly name: string;
  /** The directive that decides it first; the others follow from its fallbacks. */
  readonly directive: string;
  /** Whether a list leaves all of the kind alone. */
  readonly isLeftAlone: (list: SourceList, decidedBy: string) => boolean;
}

const isOpen = (list: SourceList) => list.allowsAnyHost;
const isOpenFor =
  (...schemes: readonly string[]) =>
  (list: SourceList) =>
    isOpen(list) && schemes.every((scheme) => list.allowsScheme(scheme));
/** What a page loads, and its base: here, unlike for frames and forms, the hash of a URL takes all hosts away. */
const isOpenToLoad =
  (...schemes: readonly string[]) =>
  (list: SourceList) =>
    isOpenFor(...schemes)(list) && !list.hasUrlHash;

/** Chromium takes default-src, but not style-src, for one of scripts, where `'strict-dynamic'` takes all inline away. */
const areStylesInlineOpen = (list: SourceList, decidedBy: string) =>
  list.allowsAllInline && !(list.isStrictDynamic && decidedBy === "default-src");

/** In the order in which they are told: what breaks most pages first. */
const KINDS: readonly UnseenKind[] = [
  {
    name: "inline scripts",
    directive: "script-src-elem",
    isLeftAlone: (list) => list.allowsAllInline && !list.isStrictDynamic,
  },
  {
    name: "event handlers",
    directive: "script-src-attr",
    isLeftAlone: (list) => list.allowsAllInline && !list.isStrictDynamic,
  },
  { name: "eval", directive: "script-src", isLeftAlone: (list) => list.hasKeyword("unsafe-eval") },
  {
    name: "WebAssembly",
    directive: "script-src",
    isLeftAlone: (list) => list.hasKeyword("unsafe-eval") || list.hasKeyword("wasm-unsafe-eval"),
  },
  { name: "inline styles", directive: "style-src-elem", isLeftAlone: areStylesInlineOpen },
  { name: "style attributes", directive: "style-src-attr", isLeftAlone: areStylesInlineOpen },
  { name: "stylesheets", directive: "style-src-elem", isLeftAlone: isOpenToLoad() },
  { name: "images", directive: "img-src", isLeftAlone: isOpenToLoad("data", "blob") },
  { name: "fonts", directive: "font-src", isLeftAlone: isOpenToLoad("data") },
  { name: "audio and video", directive: "media-src", isLeftAlone: isOpenToLoad("data", "blob") },
  { name: "frames", directive: "frame-src", isLeftAlone: isOpenFor("data", "blob") },
  {
    name: "workers",
    directive: "worker-src",
    // On the network they may be of one's own origin only, whatever a policy says. No parser puts them into a page.
    isLeftAlone: (list) =>
      list.isStrictDynamic ||
      (["data", "blob"].every((scheme) => list.allowsScheme(scheme)) &&
        (isOpen(list) || list.hasKeyword("self")) &&
        !list.hasUrlHash),
  },
  { name: "objects and embeds", directive: "object-src", isLeftAlone: isOpenToLoad() },
  { name: "app manifests", directive: "manifest-src", isLeftAlone: isOpenToLoad() },
  { name: "forms", directive: "form-action", isLeftAlone: isOpen },
  { name: "base URLs", directive: "base-uri", isLeftAlone: isOpenToLoad() },
  { name: "pages that frame this one", directive: "frame-ancestors", isLeftAlone: isOpen },
];

/**
 * What an enforced policy restricts and the service does not show, so that nobody can say beforehand what it would
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
  const restricted = new Set<UnseenKind>();
  for (const policy of splitPolicies(text)) {
    const lists = sourceListsOf(parse(policy));
    for (const kind of KINDS) {
      const decidedBy = FALLBACKS.get(kind.directive)?.find((name) => lists.has(name)) ?? "";
      const list = lists.get(decidedBy);
      if (list !== undefined && !kind.isLeftAlone(list, decidedBy)) restricted.add(kind);
    }
  }
  return KINDS.filter((kind) => restricted.has(kind)).map(({ name }) => name);
}

function sourceListsOf({ directives }: ParsedPolicy): ReadonlyMap<string, SourceList> {
  return new Map(directives.map(({ name, values }) => [name, new SourceList(values)]));
}
