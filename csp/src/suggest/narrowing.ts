import { listOfKind, pageUrlOf, type SeenItem } from "../impact/seen-item";
import { publishedBy } from "../lint/anyone-publishes";
import { bypassOf } from "../lint/known-bypasses";
import { compile } from "../match/matches";
import { parseSource } from "../syntax/source";
import { canonicalSource } from "../syntax/source-text";
import type { Levels } from "./levels";

/** A source that is not suggested, because it allows more than what is to be allowed. */
export interface Narrowed {
  readonly source: string;
  /**
   * It would let in a `malicious` item; anyone can publish there (`anyone-publishes`); or it is known to bypass
   * policies (`bypass`).
   */
  readonly reason: "malicious" | "anyone-publishes" | "bypass";
}

interface Danger {
  readonly kind: SeenItem["kind"];
  /** What must not be allowed. */
  readonly malicious: readonly SeenItem[];
  /** Some bypasses need `'unsafe-eval'` in the same directive. */
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
  let open: readonly Pick<Levels, "first" | "narrower">[] = items;
  while (open.length > 0) {
    const found = dangersOf(new Set(open.map(({ first }) => first)), danger);
    const next: Pick<Levels, "first" | "narrower">[] = [];
    for (const { first: source, narrower } of open) {
      const reason = found.get(canonicalSource(source));
      const [below, ...rest] = reason === undefined ? [] : narrower();
      if (reason === undefined || below === undefined) {
        sources.add(source);
      } else {
        narrowed.set(source, { source, reason });
        next.push({ first: below, narrower: () => rest });
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
    for (const source of sources) {
      const read = parseSource(source);
      if (read.kind !== "host") continue;
      // What is weak is so at any path.
      if (publishedBy(read) !== undefined) found.set(canonicalSource(source), "anyone-publishes");
      else if (bypassOf(read, { withEval })?.isWeak === false) found.set(canonicalSource(source), "bypass");
    }
  }
  const directive = [listOfKind[kind], ...sources].join(" ");
  const compiled = compile(isUpgrading ? `${directive}; upgrade-insecure-requests` : directive);
  for (const seen of malicious) {
    const request = { kind, url: seen.item.url, pageUrl: pageUrlOf(seen) };
    for (const source of compiled.sourcesFor(request)) found.set(canonicalSource(source), "malicious");
  }
  return found;
}
