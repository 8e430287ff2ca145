import type { Impact, ItemCounts, LetIn } from "../csp/impact/impact";

/** Hosts of blocked items, and sources that let something in, which findings name. */
export const mostNamed = 20;

/** What a policy would block of one host. What others wrote is as they wrote it. */
export interface BlockedHost extends ItemCounts {
  /** Of the URLs; a scheme like `blob:` where they have no host. `scripts` and `connections` are all that is blocked. */
  readonly host: string;
  /** Of what is blocked, what is not malicious: the loss. */
  readonly breaks: ItemCounts;
  /** Of what is blocked, what is malicious: the gain. */
  readonly keepsOut: ItemCounts;
  readonly isActive: boolean;
  /** Whether anything is kept out. */
  readonly isMalicious: boolean;
  /** One of the URLs, of the loss where there is one. */
  readonly url: string;
  /** Why that one is blocked: `no source of script-src names cdn.example`. */
  readonly reason: string;
  readonly firstPageUrl?: string;
  readonly lastSeenAt?: string;
}

/** `data` of the finding `csp-blocks-in-use`. */
export interface BlockedData {
  /** All that is blocked: `breaks` and `keepsOut` together. */
  readonly blocked: number;
  readonly breaks: ItemCounts;
  readonly keepsOut: ItemCounts;
  /** Scripts and connections that were checked. */
  readonly examined: number;
  /** The first of them; how many are left out is in `moreHosts`. */
  readonly hosts: readonly BlockedHost[];
  readonly moreHosts: number;
}

/** Malicious items that one source of a policy lets in. */
export interface LettingSource extends ItemCounts {
  readonly source: string;
  readonly url: string;
  /** Why that URL counts as malicious. */
  readonly reason: string;
}

/** `data` of the finding `csp-lets-malicious-in`. */
export interface LetInData {
  readonly sources: readonly LettingSource[];
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
