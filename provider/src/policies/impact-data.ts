import type { Impact, LetIn } from "../csp/impact/impact";

/** Hosts of blocked items, and sources that let something in, which findings name. */
export const mostNamed = 20;

/** `data` of the finding `csp-blocks-in-use`: of all that is blocked (`breaks` and `keepsOut` together) the first hosts. */
export function blockedData({ blockedCount, breaks, keepsOut, checkedCount, groups }: Impact) {
  const hosts = groups.slice(0, mostNamed).map(({ items: _, ...group }) => group);
  return {
    blocked: blockedCount,
    breaks,
    keepsOut,
    /** Scripts and connections that were checked. */
    examined: checkedCount,
    hosts,
    moreHosts: groups.length - hosts.length,
  };
}

/** `data` of the finding `csp-lets-malicious-in`. */
export function letInData(letsIn: readonly LetIn[]) {
  const sources = letsIn.slice(0, mostNamed).map(({ items: _, ...one }) => one);
  return { sources, moreSources: letsIn.length - sources.length };
}
