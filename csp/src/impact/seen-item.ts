import type { HostSelection } from "../expression/hosts-of";
import { toRequestUrl, withScheme } from "../syntax/request-url";
import { groupBy } from "../texts";

/** Fields of a connection or script that pages were seen to use. Items that `pulumi-page-guard` lists have these fields. */
export interface SeenConnection {
  readonly url: string;
  /** The host of the page on which the item was seen. */
  readonly host?: string;
  /** URL of the page, with or without a scheme. */
  readonly firstPageUrl?: string;
  /** URLs of pages on which the item was seen, if more than the first page is known. */
  readonly pageUrls?: readonly string[];
  readonly status?: ItemStatus;
  /** Time when the item was first seen, ISO 8601. */
  readonly firstSeenAt?: string;
  /** Time when the item was first listed, ISO 8601. Used if `firstSeenAt` is absent. */
  readonly addedAt?: string;
  /** Time when the item was last seen, ISO 8601. */
  readonly lastSeenAt?: string;
  readonly domainReportedMalicious?: boolean;
  readonly urlReportedMalicious?: boolean;
  readonly maliciousDomainCategories?: readonly string[];
  readonly maliciousUrlCategories?: readonly string[];
}

/** Status by how often visitors come across an item: `infrequent` means few visitors, `inactive` means none recently. */
export type ItemStatus = "active" | "infrequent" | "inactive" | (string & {});

/** A script that pages were seen to load. */
export interface SeenScript extends SeenConnection {
  /** Integrity score from 1 to 99; lower is worse. Below the threshold (50) a script counts as malicious. */
  readonly jsIntegrityScore?: number;
}

/** A script or a connection that pages of the zone were seen to use. */
export type SeenItem =
  | { readonly kind: "script"; readonly item: SeenScript }
  | { readonly kind: "connection"; readonly item: SeenConnection };

export function seenItems(
  scripts: readonly SeenScript[],
  connections: readonly SeenConnection[],
): readonly SeenItem[] {
  return [
    ...scripts.map((item) => ({ kind: "script", item }) as const),
    ...connections.map((item) => ({ kind: "connection", item }) as const),
  ];
}

/** Returns the URL of the page on which an item was seen, with https if the scheme is missing. Empty if the page is missing. */
export function pageUrlOf({ item }: SeenItem): string {
  const first = item.firstPageUrl === undefined ? undefined : withScheme(item.firstPageUrl);
  if (!item.host) return first ?? "";
  return first !== undefined && hostOf(first) === item.host.toLowerCase() ? first : withScheme(item.host);
}

/**
 * Returns the URL of one page for each host on which an item was seen. The first is the URL that `pageUrlOf` returns. The host
 * may be a pattern, `*.example.com`, if no host that fits it is known.
 */
export function pageUrlsOf(seen: SeenItem): readonly [string, ...string[]] {
  const first = pageUrlOf(seen);
  const { pageUrls = [] } = seen.item;
  if (pageUrls.length === 0) return [first];
  const byHost = groupBy([first, ...pageUrls.map(withScheme)], hostOf);
  const hosts = [...byHost.keys()];
  const isKnown = (host: string) =>
    host.startsWith("*") && hosts.some((other) => other !== host && other.endsWith(host.slice(1)));
  const [, ...others] = [...byHost].flatMap(([host, [page]]) => (isKnown(host) ? [] : [page]));
  return [first, ...others];
}

/** Returns the host of a URL, or its scheme if it has no host (`data:`). */
export function hostOf(url: string): string {
  const parsed = toRequestUrl(url);
  if (parsed === undefined) return "";
  return parsed.host === "" ? `${parsed.scheme}:` : parsed.host;
}

/** Returns a function that tests whether an item was seen on a page that an expression may select. */
export function selectedBy(hosts: HostSelection): (seen: SeenItem) => boolean {
  const pagesOf = selectedPages(hosts);
  return (seen) => pagesOf(seen).length > 0;
}

/** Returns a function that lists the pages of an item (see `pageUrlsOf`) that an expression may select. */
export function selectedPages({ selects }: HostSelection): (seen: SeenItem) => readonly string[] {
  // An item without a readable page may have been seen on a selected page.
  const isSelected = (host: string) => host === "" || selects(host) !== false;
  return (seen) => pageUrlsOf(seen).filter((pageUrl) => isSelected(hostOf(pageUrl)));
}

/** Integrity score below which a script counts as malicious (Page Guard API, section "Limits", item 1). */
export const maliciousBelow = 50;

type Judged = Pick<SeenScript, "domainReportedMalicious" | "urlReportedMalicious" | "jsIntegrityScore">;

/** Whether an item is malicious. Undefined means unknown, not "no": nothing was reported, and there is no score. */
export function isMalicious(item: Judged, threshold = maliciousBelow): boolean | undefined {
  if (item.domainReportedMalicious || item.urlReportedMalicious) return true;
  // If the threshold is NaN, every script with a score counts as malicious. With a plain `<`, none would.
  return item.jsIntegrityScore === undefined ? undefined : !(item.jsIntegrityScore >= threshold);
}

/** Returns the reason why an item counts as malicious; undefined if it does not, or if nothing is known. */
export function maliceOf({ kind, item }: SeenItem, threshold: number): string | undefined {
  if (!isMalicious(item, threshold)) return undefined;
  const categories = (of: readonly string[] = []) => (of.length === 0 ? "" : ` (${of.join(", ")})`);
  if (item.domainReportedMalicious)
    return `its domain is reported as malicious${categories(item.maliciousDomainCategories)}`;
  if (item.urlReportedMalicious)
    return `its URL is reported as malicious${categories(item.maliciousUrlCategories)}`;
  return kind === "script"
    ? `its integrity score is ${item.jsIntegrityScore}, below ${threshold}`
    : undefined;
}
