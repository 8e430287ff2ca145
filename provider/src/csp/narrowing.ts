import { bypassesAmong } from "./known-bypasses";
import { compile } from "./matches";
import { pageUrlOf, type SeenItem } from "./seen-item";
import { canonicalSource } from "./source-text";

/** A source that is not suggested, because it allows more than what is to be allowed. */
export interface Narrowed {
  readonly source: string;
  /** It would let in a `malicious` item; or it is known to get around policies (`bypass`). */
  readonly reason: "malicious" | "bypass";
}

/** What allows one item, from the source that is asked for to the narrowest. */
export type Levels = readonly [string, ...string[]];

export interface Danger {
  readonly kind: SeenItem["kind"];
  /** What shall not be let in. */
  readonly malicious: readonly SeenItem[];
  /** What stands in the directive besides matters: some ways around need `'unsafe-eval'`. */
  readonly withEval: boolean;
  readonly isUpgrading: boolean;
}

/**
 * One source for each item: the widest of its levels that lets nothing dangerous in, else the narrowest. Which is taken
 * does not depend on the order of the items.
 */
export function chooseSources(
  items: readonly Levels[],
  danger: Danger,
): { readonly sources: ReadonlySet<string>; readonly narrowed: readonly Narrowed[] } {
  const sources = new Set<string>();
  const narrowed = new Map<string, Narrowed>();
  let open = items;
  while (open.length > 0) {
    const found = dangersOf(new Set(open.map(([source]) => source)), danger);
    const next: Levels[] = [];
    for (const [source, narrower, ...rest] of open) {
      const reason = found.get(canonicalSource(source));
      if (reason === undefined || narrower === undefined) {
        sources.add(source);
      } else {
        narrowed.set(source, { source, reason });
        next.push([narrower, ...rest]);
      }
    }
    open = next;
  }
  return {
    sources,
    narrowed: [...narrowed.values()].sort((a, b) => (a.source < b.source ? -1 : 1)),
  };
}

/** Canonical source to what is wrong with it. */
function dangersOf(
  sources: ReadonlySet<string>,
  { kind, malicious, withEval, isUpgrading }: Danger,
): ReadonlyMap<string, Narrowed["reason"]> {
  const found = new Map<string, Narrowed["reason"]>();
  if (kind === "script") {
    for (const source of bypassesAmong(sources, withEval).keys())
      found.set(canonicalSource(source), "bypass");
  }
  const directive = [kind === "script" ? "script-src" : "connect-src", ...sources].join(" ");
  const compiled = compile(isUpgrading ? `${directive}; upgrade-insecure-requests` : directive);
  for (const seen of malicious) {
    const request = { kind, url: seen.item.url, pageUrl: pageUrlOf(seen) };
    for (const source of compiled.sourcesFor(request)) found.set(canonicalSource(source), "malicious");
  }
  return found;
}
