import type { HostSelection } from "../expression/expression";
import { hostTest } from "../expression/host-set";
import type { SeenConnection, SeenScript } from "../seen-on-pages";
import { toRequestUrl, withScheme } from "../syntax/request-url";

/** A script or a connection that pages of the zone were seen to use. */
export type SeenItem =
  | { readonly kind: "script"; readonly item: SeenScript }
  | { readonly kind: "connection"; readonly item: SeenConnection };

/** The directive that a policy lists its sources in. */
export const listOfKind = { script: "script-src", connection: "connect-src" } as const;

export function seenItems(
  scripts: readonly SeenScript[],
  connections: readonly SeenConnection[],
): readonly SeenItem[] {
  return [
    ...scripts.map((item) => ({ kind: "script", item }) as const),
    ...connections.map((item) => ({ kind: "connection", item }) as const),
  ];
}

/** The page that an item was seen on; https is assumed where the service gives no scheme. Empty when it gives none. */
export function pageUrlOf({ item }: SeenItem): string {
  const first = item.firstPageUrl === undefined ? undefined : withScheme(item.firstPageUrl);
  if (item.host === undefined) return first ?? "";
  return first !== undefined && hostOf(first) === item.host.toLowerCase() ? first : withScheme(item.host);
}

/** The host of a URL; its scheme where it has no host (`data:`). */
export function hostOf(url: string): string {
  const parsed = toRequestUrl(url);
  if (parsed === undefined) return "";
  return parsed.host === "" ? `${parsed.scheme}:` : parsed.host;
}

/** The service reports only the host of a connection, unless the zone has `useConnectionUrlPath`. */
export function isPathUnknown({ kind, item }: SeenItem): boolean {
  return kind === "connection" && /^[a-z]+:\/\/[^/?#]*\/?$/i.test(item.url);
}

/** A test whether an item was seen on a page of the hosts that an expression selects: all hosts, where it is undecided. */
export function selectedBy(hosts: HostSelection): (seen: SeenItem) => boolean {
  const isOnHosts = hosts.decided ? hostTest(hosts) : () => true;
  return (seen) => {
    const page = pageUrlOf(seen);
    // It may have been seen there.
    return page === "" || isOnHosts(hostOf(page));
  };
}
