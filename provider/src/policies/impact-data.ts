import type { Impact, ImpactGroup, ItemCounts, LetIn } from "../csp/impact/impact";

/** Hosts of blocked items, and sources that let something in, which findings name. */
export const mostNamed = 20;

/** `data` of the finding `csp-blocks-in-use`. */
export interface BlockedData {
  /** All that is blocked: `breaks` and `keepsOut` together. */
  readonly blocked: number;
  readonly breaks: ItemCounts;
  readonly keepsOut: ItemCounts;
  /** Scripts and connections that were checked. */
  readonly examined: number;
  /** The first of them; how many are left out is in `moreHosts`. */
  readonly hosts: readonly Omit<ImpactGroup, "items">[];
  readonly moreHosts: number;
}

/** `data` of the finding `csp-lets-malicious-in`. */
export interface LetInData {
  readonly sources: readonly Omit<LetIn, "items">[];
  readonly moreSources: number;
}

export function blockedData({ blockedCount, breaks, keepsOut, checkedCount, groups }: Impact): BlockedData {
  const hosts = groups.slice(0, mostNamed).map(({ items: _, ...group }) => group);
  return {
    blocked: blockedCount,
    breaks,
    keepsOut,
    examined: checkedCount,
    hosts,
    moreHosts: groups.length - hosts.length,
  };
}

export function letInData(letsIn: readonly LetIn[]): LetInData {
  const sources = letsIn.slice(0, mostNamed).map(({ items: _, ...one }) => one);
  return { sources, moreSources: letsIn.length - sources.length };
}
