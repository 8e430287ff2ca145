import { FALLBACKS } from "./directives";
import { type ParsedPolicy, parse, splitPolicies } from "./parse";
import { SourceList } from "./source-list";

/** A kind of thing that policies restrict and the service, which lists URLs of scripts and connections, never shows. */
interface UnseenKind {
  readonly name: string;
  /** The directive that decides it first; the others follow from its fallbacks. */
  readonly directive: string;
  /** Whether a list leaves all of the kind alone. */
  readonly isLeftAlone: (list: SourceList) => boolean;
}

const isOpen = (list: SourceList) => list.allowsAnyHost;
const isOpenFor =
  (...schemes: readonly string[]) =>
  (list: SourceList) =>
    list.allowsAnyHost && schemes.every((scheme) => list.allowsScheme(scheme));

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
  { name: "inline styles", directive: "style-src-elem", isLeftAlone: (list) => list.allowsAllInline },
  { name: "style attributes", directive: "style-src-attr", isLeftAlone: (list) => list.allowsAllInline },
  { name: "stylesheets", directive: "style-src-elem", isLeftAlone: isOpen },
  { name: "images", directive: "img-src", isLeftAlone: isOpenFor("data", "blob") },
  { name: "fonts", directive: "font-src", isLeftAlone: isOpenFor("data") },
  { name: "audio and video", directive: "media-src", isLeftAlone: isOpenFor("data", "blob") },
  { name: "frames", directive: "frame-src", isLeftAlone: isOpenFor("data", "blob") },
  { name: "workers", directive: "worker-src", isLeftAlone: isOpenFor("data", "blob") },
  { name: "objects and embeds", directive: "object-src", isLeftAlone: isOpen },
  { name: "app manifests", directive: "manifest-src", isLeftAlone: isOpen },
  { name: "forms", directive: "form-action", isLeftAlone: isOpen },
  { name: "base URLs", directive: "base-uri", isLeftAlone: isOpen },
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
      const list = firstOf(lists, FALLBACKS.get(kind.directive) ?? []);
      if (list !== undefined && !kind.isLeftAlone(list)) restricted.add(kind);
    }
  }
  return KINDS.filter((kind) => restricted.has(kind)).map(({ name }) => name);
}

function sourceListsOf({ directives }: ParsedPolicy): ReadonlyMap<string, SourceList> {
  return new Map(directives.map(({ name, values }) => [name, new SourceList(values)]));
}

function firstOf<T>(byName: ReadonlyMap<string, T>, names: readonly string[]): T | undefined {
  for (const name of names) {
    const found = byName.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
