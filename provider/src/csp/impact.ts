import type { HostSelection } from "./expression";
import { shown } from "./finding";
import { hostTest } from "./host-set";
import { MALICIOUS_BELOW, maliceOf } from "./malice";
import { compile } from "./matches";
import type { ParsedPolicy } from "./parse";
import { hostOf, pageUrlOf, type SeenItem } from "./seen-item";

/** What a policy would block of one host. */
export interface ImpactGroup {
  /** Of the blocked URLs; the scheme (`data:`) where URLs have no host. */
  readonly host: string;
  readonly scripts: number;
  readonly connections: number;
  /** Active while one item is. */
  readonly isActive: boolean;
  readonly isMalicious: boolean;
  /** Of the item seen last. */
  readonly firstPageUrl?: string;
  readonly lastSeenAt?: string;
  readonly items: readonly SeenItem[];
}

export interface Impact {
  /** Active ones first, then those seen last, then those with most items. */
  readonly groups: readonly ImpactGroup[];
  readonly blockedCount: number;
  /** Items on the selected hosts. */
  readonly checkedCount: number;
  readonly hosts: HostSelection;
}

export interface ImpactOptions {
  /** From `hostsOf`. Undecided: all items are looked at. */
  readonly hosts: HostSelection;
  /** Integrity score below which a script counts as malicious; 50. */
  readonly threshold?: number;
}

/** What of the items in use a policy would block. Items with status `inactive` do not count. Linear in their number. */
export function impact(
  policy: string | ParsedPolicy,
  items: readonly SeenItem[],
  options: ImpactOptions,
): Impact {
  const { hosts, threshold = MALICIOUS_BELOW } = options;
  const compiled = compile(policy);
  const isOnHosts = hosts.decided ? hostTest(hosts) : () => true;
  const checked = items.filter((seen) => seen.item.status !== "inactive" && isSelected(seen, isOnHosts));
  const blocked = checked.filter(
    (seen) => !compiled.allows({ kind: seen.kind, url: seen.item.url, pageUrl: pageUrlOf(seen) }),
  );
  const byHost = new Map<string, SeenItem[]>();
  for (const seen of blocked) {
    const host = hostOf(seen.item.url);
    const group = byHost.get(host);
    if (group === undefined) byHost.set(host, [seen]);
    else group.push(seen);
  }
  return {
    groups: [...byHost].map(([host, group]) => toGroup(host, group, threshold)).sort(mostActiveFirst),
    blockedCount: blocked.length,
    checkedCount: checked.length,
    hosts,
  };
}

/**
 * The impact as lines for a person: what, then one line a host, at most `maxLines` in all, the last of them with the
 * number of what is left out. Empty when nothing is blocked.
 */
export function render(found: Impact, options: { readonly maxLines?: number } = {}): string[] {
  const { maxLines = 20 } = options;
  if (found.blockedCount === 0) return [];
  const room = Math.max(0, maxLines - 1);
  const fits = found.groups.length <= room;
  const head = fits ? found.groups : found.groups.slice(0, Math.max(0, room - 1));
  const rest = found.groups.slice(head.length);
  const restItems = rest.reduce((sum, { items }) => sum + items.length, 0);
  return [
    headline(found),
    ...head.map(line),
    ...(rest.length === 0
      ? []
      : [`  … and ${count(restItems, "item")} of ${count(rest.length, "more host")}`]),
  ].slice(0, Math.max(1, maxLines));
}

function isSelected(seen: SeenItem, isOnHosts: (host: string) => boolean): boolean {
  const page = pageUrlOf(seen);
  // Where it was seen is not told: it may well be there.
  return page === "" || isOnHosts(hostOf(page));
}

function toGroup(host: string, items: readonly SeenItem[], threshold: number): ImpactGroup {
  const last = items.reduce((a, b) => (lastSeen(b) > lastSeen(a) ? b : a));
  const scripts = items.filter(({ kind }) => kind === "script").length;
  const { firstPageUrl, lastSeenAt } = last.item;
  return {
    host,
    scripts,
    connections: items.length - scripts,
    isActive: items.some(({ item }) => item.status === undefined || item.status === "active"),
    isMalicious: items.some((seen) => maliceOf(seen, threshold) !== undefined),
    ...(firstPageUrl === undefined ? {} : { firstPageUrl }),
    ...(lastSeenAt === undefined ? {} : { lastSeenAt }),
    items,
  };
}

function mostActiveFirst(a: ImpactGroup, b: ImpactGroup): number {
  return (
    Number(b.isActive) - Number(a.isActive) ||
    compare(time(b.lastSeenAt), time(a.lastSeenAt)) ||
    b.items.length - a.items.length ||
    (a.host < b.host ? -1 : 1)
  );
}

function lastSeen({ item }: SeenItem): number {
  return time(item.lastSeenAt);
}

/** Without a time it was seen longest ago. */
function time(text: string | undefined): number {
  const parsed = Date.parse(text ?? "");
  return Number.isNaN(parsed) ? Number.NEGATIVE_INFINITY : parsed;
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function headline({ blockedCount, checkedCount, hosts }: Impact): string {
  const where = hosts.decided
    ? hosts.isSuperset
      ? "on the hosts that the expression names (it may select fewer requests)"
      : "on the hosts that the expression selects"
    : `on all hosts of the zone (the expression does not tell which: ${shown(hosts.reason)})`;
  return `would block ${blockedCount} of ${count(checkedCount, "script and connection", "scripts and connections")} in use ${where}:`;
}

function line(group: ImpactGroup): string {
  const counts = [
    group.scripts > 0 ? count(group.scripts, "script") : "",
    group.connections > 0 ? count(group.connections, "connection") : "",
  ].filter((part) => part !== "");
  const facts = [
    group.firstPageUrl === undefined ? "" : `first seen on ${shown(group.firstPageUrl)}`,
    group.lastSeenAt === undefined ? "" : `last seen ${shown(group.lastSeenAt.slice(0, 10))}`,
    group.isActive ? "" : "infrequent",
    group.isMalicious ? "malicious" : "",
  ].filter((part) => part !== "");
  return `  ${shown(group.host) || "(no readable URL)"}: ${[counts.join(" and "), ...facts].join(", ")}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
