import { type HostSelection, selects } from "../expression/hosts-of";
import { nameCompany } from "../hosts/find-company";
import { explainer } from "../match/explain";
import { compile, DecidingLists, type PolicyRequest } from "../match/matches";
import { toDirective } from "../match/request-kind";
import { upgradesRequests, withUpgrade } from "../syntax/directives";
import type { ParsedPolicy } from "../syntax/parse";
import { withScheme } from "../syntax/request-url";
import { groupBy } from "../texts";
import {
  hostOf,
  maliceOf,
  maliciousBelow,
  pageUrlOf,
  pageUrlsOf,
  type SeenItem,
  selectedPages,
} from "./seen-item";

export interface ItemCounts {
  readonly scripts: number;
  readonly connections: number;
}

interface Effect {
  /** Blocked items that are not malicious. Visitors will miss them. */
  readonly breaks: ItemCounts;
  /** Blocked items that are malicious. The policy is meant to block them. */
  readonly keepsOut: ItemCounts;
}

/** Items of one host that a policy would block. */
export interface ImpactGroup extends ItemCounts, Effect {
  /** The host of the blocked URLs, or the scheme (`data:`) of URLs without a host. */
  readonly host: string;
  /** The company behind the host, in words: `Stripe, payments`. */
  readonly company?: string;
  /** Whether at least one of the items is active. */
  readonly isActive: boolean;
  /** Whether at least one of the items is malicious. */
  readonly isMalicious: boolean;
  /** One of the blocked URLs, if possible one that visitors will miss. */
  readonly url: string;
  /** Reason why `url` is blocked, in the words of `explain`: `no source of script-src names cdn.example`. */
  readonly reason: string;
  /** `firstPageUrl` of the item with the latest `lastSeenAt`. */
  readonly firstPageUrl?: string;
  readonly lastSeenAt?: string;
  readonly items: readonly SeenItem[];
}

/** Malicious items that a source of the policy allows. */
export interface LetIn extends ItemCounts {
  /** The source as written in the policy. */
  readonly source: string;
  /** One of the URLs that the source allows. */
  readonly url: string;
  /** Reason why `url` counts as malicious, in words. */
  readonly reason: string;
  readonly items: readonly SeenItem[];
}

export interface Impact extends Effect {
  /** Blocked hosts. Hosts that visitors will miss come first, then active ones, then the most recently seen. */
  readonly groups: readonly ImpactGroup[];
  readonly blockedCount: number;
  /** Malicious items that are allowed, by source. Leaves out items of a kind that no directive restricts. */
  readonly letsIn: readonly LetIn[];
  /** Number of items on the selected hosts. 0 means that nothing was seen there, so nothing is known. */
  readonly checkedCount: number;
  /**
   * Hosts to which the policy allows connections only below a path, while the service reports connections without paths (the zone
   * does not have `useConnectionUrlPath`). Such hosts are not in `groups`.
   */
  readonly pathUnknownHosts: readonly string[];
  readonly hosts: HostSelection;
}

export interface ImpactOptions {
  /** Selection from `hostsOf`. If it is undecided, all items are checked. */
  readonly hosts: HostSelection;
  /** Integrity score below which a script counts as malicious. Default: 50. */
  readonly threshold?: number;
  /** Whether other policies upgrade the requests of a page (`upgraderOf`). Default: no. */
  readonly isUpgraded?: (pageUrl: string) => boolean;
}

/** Computes which items in use a policy would block. Items with status `inactive` do not count. Takes linear time. */
export function impact(
  policy: string | ParsedPolicy,
  items: readonly SeenItem[],
  options: ImpactOptions,
): Impact {
  const { hosts, threshold = maliciousBelow } = options;
  const pagesOf = selectedPages(hosts);
  const policyOn = preparer(policy, options.isUpgraded);
  const judged = items.flatMap((seen) => {
    const pages = seen.item.status === "inactive" ? [] : pagesOf(seen);
    const requests = pages.map((pageUrl) => toRequest(seen, pageUrl));
    const blocked = requests.find((request) => !policyOn(request).compiled.allows(request));
    const [request = blocked] = blocked ? [blocked] : requests;
    return request ? [{ seen, request, malice: maliceOf(seen, threshold), isAllowed: !blocked }] : [];
  });
  const refused = judged.filter(({ isAllowed }) => !isAllowed);
  // If one connection has a path, the service reports paths, so a connection without a path really went to the root.
  const hasPaths = items.some((seen) => seen.kind === "connection" && !isPathUnknown(seen));
  const isDoubtful = ({ seen, request }: Judged) =>
    !hasPaths && isPathUnknown(seen) && policyOn(request).failsByPath(request);
  const byDoubt = groupBy(refused, isDoubtful);
  const [blocked = [], pathUnknown = []] = [byDoubt.get(false), byDoubt.get(true)];
  const byHost = groupBy(blocked, ({ seen }) => hostOf(seen.item.url));
  const letIn = judged
    .filter((one) => one.isAllowed && isMalicious(one))
    .flatMap((one) =>
      policyOn(one.request)
        .compiled.sourcesFor(one.request)
        .map((source) => ({ ...one, source })),
    );
  const bySource = groupBy(letIn, ({ source }) => source);
  return {
    groups: [...byHost].map(([host, group]) => toGroup(host, group, policyOn)).sort(mostUrgentFirst),
    blockedCount: blocked.length,
    ...countEffect(blocked),
    letsIn: [...bySource].map(([source, group]) => toLetIn(source, group)).sort(mostItemsFirst),
    checkedCount: judged.length,
    pathUnknownHosts: [...new Set(pathUnknown.map(({ seen }) => hostOf(seen.item.url)))].sort(),
    hosts,
  };
}

/**
 * Returns pairs of a host and a kind of item. On the host, the policy would block items of the kind that have been seen on other
 * hosts only. The service lists only one page of each item, so the caller should read the items seen on these hosts. A host may
 * be a pattern, `*.example.com`, or `*` for other hosts, for which the service has no filter. Empty if the expression leaves out
 * no host. Without a policy, returns the hosts on which any policy might block such items.
 */
export function hostsInDoubt(
  policy: string | ParsedPolicy | undefined,
  items: readonly SeenItem[],
  hosts: HostSelection,
) {
  if (!hosts.decided) return [];
  const compiled = policy === undefined ? undefined : compile(policy);
  const used = items.filter((seen) => seen.item.status !== "inactive" && pageUrlOf(seen) !== "");
  const known = new Map(used.map((seen) => [seen, new Set(pageUrlsOf(seen).map(hostOf))]));
  const all = new Set([...hosts.named, ...[...known.values()].flatMap((own) => [...own])]);
  const isSelected = (host: string) => host !== "" && hosts.selects(host) !== false;
  return [...[...all].filter(isSelected), ...hosts.unnamed].flatMap((host) =>
    (["script", "connection"] as const).flatMap((kind) => {
      const isKnown = host.startsWith("*") ? isSelected : (other: string) => other === host;
      const isInDoubt = (seen: SeenItem) =>
        seen.kind === kind &&
        ![...(known.get(seen) ?? [])].some(isKnown) &&
        compiled?.allows(toRequest(seen, withScheme(host))) !== true;
      return used.some(isInDoubt) ? [{ kind, host }] : [];
    }),
  );
}

/** Returns a function that prepares the policy for a request, upgraded if other policies upgrade the page of the request. */
function preparer(policy: string | ParsedPolicy, isUpgraded: ImpactOptions["isUpgraded"] = () => false) {
  const prepare = (text: string) => ({
    compiled: compile(text),
    explain: explainer(text),
    failsByPath: pathTester(text),
  });
  const text = typeof policy === "string" ? policy : policy.text;
  const plain = prepare(text);
  let upgraded: typeof plain | undefined;
  return ({ pageUrl }: PolicyRequest) => {
    if (!isUpgraded(pageUrl)) return plain;
    upgraded ??= prepare(withUpgrade(text));
    return upgraded;
  };
}

/** Returns a function that tests whether any of these enforced policies upgrades the requests of a page. */
export function upgraderOf(policies: readonly { readonly value: string; readonly expression: string }[]) {
  const upgrading = policies.filter(({ value }) => upgradesRequests(value));
  return (pageUrl: string): boolean =>
    upgrading.some(({ expression }) => selects(expression, withScheme(pageUrl)) !== false);
}

/** Returns a function that tests whether the path is the only reason for which the policies of the text block a request. */
function pathTester(text: string): (request: PolicyRequest) => boolean {
  const isUpgraded = upgradesRequests(text);
  const each = text.split(",").map((one) => explainer(isUpgraded ? withUpgrade(one) : one));
  return (request) =>
    each.every((explain) => {
      const { verdict, nearest } = explain(request);
      return verdict !== "blocked" || nearest?.fails.every((part) => part === "path") === true;
    });
}

function toRequest({ kind, item }: SeenItem, pageUrl: string): PolicyRequest {
  return { kind, url: item.url, pageUrl };
}

/** Whether a policy restricts scripts or connections, the kinds that the service lists. If not, it blocks no listed item. */
export function restrictsListed(policy: string | ParsedPolicy): boolean {
  const lists = new DecidingLists(policy);
  return (["script", "connection"] as const).some((kind) => lists.of(toDirective(kind)).length > 0);
}

interface Judged {
  readonly seen: SeenItem;
  readonly request: PolicyRequest;
  readonly malice: string | undefined;
}

const isMissed = ({ malice }: Judged): boolean => malice === undefined;
const isMalicious = ({ malice }: Judged): boolean => malice !== undefined;

/** Whether the path of an item is unknown: without `useConnectionUrlPath` the service reports only the host of a connection. */
function isPathUnknown({ kind, item }: SeenItem): boolean {
  return kind === "connection" && /^[a-z]+:\/\/[^/?#]*\/?$/i.test(item.url);
}

function countItems(judged: readonly Judged[]): ItemCounts {
  const scripts = judged.filter(({ seen }) => seen.kind === "script").length;
  return { scripts, connections: judged.length - scripts };
}

function countEffect(judged: readonly Judged[]): Effect {
  return { breaks: countItems(judged.filter(isMissed)), keepsOut: countItems(judged.filter(isMalicious)) };
}

function toGroup(host: string, group: readonly Judged[], policyOn: ReturnType<typeof preparer>): ImpactGroup {
  const items = group.map(({ seen }) => seen);
  const last = items.reduce((a, b) => (time(b.item.lastSeenAt) > time(a.item.lastSeenAt) ? b : a));
  const missed = group.filter(isMissed);
  const { request } = firstByUrl(missed.length > 0 ? missed : group);
  const { firstPageUrl, lastSeenAt } = last.item;
  const company = nameCompany(host);
  return {
    host,
    ...(company !== undefined && { company }),
    ...countItems(group),
    ...countEffect(group),
    isActive: items.some(({ item }) => item.status === undefined || item.status === "active"),
    isMalicious: missed.length < group.length,
    url: request.url,
    // Computed on demand: finding the nearest of thousands of sources takes time, and only a few hosts are shown.
    get reason() {
      return policyOn(request).explain(request).reason;
    },
    ...(firstPageUrl !== undefined && { firstPageUrl }),
    ...(lastSeenAt !== undefined && { lastSeenAt }),
    items,
  };
}

function toLetIn(source: string, group: readonly Judged[]): LetIn {
  const { seen, malice = "" } = firstByUrl(group);
  const items = group.map((one) => one.seen);
  return { source, ...countItems(group), url: seen.item.url, reason: malice, items };
}

/** Returns the item whose URL comes first in alphabetical order, so that the order of the items does not matter. */
function firstByUrl(group: readonly Judged[]): Judged {
  return group.reduce((a, b) => (b.seen.item.url < a.seen.item.url ? b : a));
}

function mostUrgentFirst(a: ImpactGroup, b: ImpactGroup): number {
  return (
    Number(isLoss(b)) - Number(isLoss(a)) ||
    Number(b.isActive) - Number(a.isActive) ||
    time(b.lastSeenAt) - time(a.lastSeenAt) ||
    b.items.length - a.items.length ||
    (a.host < b.host ? -1 : 1)
  );
}

function isLoss({ breaks }: ImpactGroup): boolean {
  return breaks.scripts + breaks.connections > 0;
}

function mostItemsFirst(a: LetIn, b: LetIn): number {
  return b.items.length - a.items.length || (a.source < b.source ? -1 : 1);
}

/** Returns a time as a number for comparisons; 0, the earliest, if it is absent. */
function time(text: string | undefined): number {
  return Date.parse(text ?? "") || 0;
}
