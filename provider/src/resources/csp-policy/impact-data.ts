import {
  hostsInDoubt,
  hostsOf,
  type Impact,
  type ItemCounts,
  impact,
  type LetIn,
  seenItems,
} from "page-guard-csp";
import type { Policy } from "../../api/client-types";
import type { ItemsInUse } from "../../functions/items-in-use";
import type { PolicyImpact } from "../../model/policies/policy-impact";

/** Maximum number of hosts of blocked items, and of sources that allow something malicious, in a finding or an output. */
const mostNamed = 20;

/** Computes which items in use a policy would block, and which malicious items it would let in. */
export function computeImpact(
  { scripts, connections }: ItemsInUse,
  { value, expression }: Pick<Policy, "value" | "expression">,
): Impact {
  return impact(value, seenItems(scripts, connections), { hosts: hostsOf(expression) });
}

/**
 * Returns the hosts of a policy on which it would block items that the service lists for other hosts. The service lists one page
 * of each item, so such an item may be in use on these hosts, too.
 */
export function findHostsInDoubt(
  { scripts, connections }: ItemsInUse,
  { value, expression }: Pick<Policy, "value" | "expression">,
) {
  return hostsInDoubt(value, seenItems(scripts, connections), hostsOf(expression));
}

export function impactOutput(found: Impact): PolicyImpact {
  return {
    blocked: found.blockedCount,
    keepsOut: sum(found.keepsOut),
    letsIn: sum(toLetInData(found.letsIn)),
    examined: found.checkedCount,
    hosts: Object.fromEntries(toBlockedData(found).hosts.map((group) => [group.host, sum(group)])),
  };
}

function sum({ scripts, connections }: ItemCounts): number {
  return scripts + connections;
}

/** Returns `data` of `csp-blocks-in-use` and `csp-blocks-already`: counts of all blocked items, and the first hosts. */
export function toBlockedData({ blockedCount, breaks, keepsOut, checkedCount, groups }: Impact) {
  const hosts = groups.slice(0, mostNamed).map(({ items: _, ...group }) => group);
  const moreHosts = groups.length - hosts.length;
  return { blocked: blockedCount, breaks, keepsOut, examined: checkedCount, hosts, moreHosts };
}

/** Returns `data` of the finding `csp-lets-malicious-in`. */
export function toLetInData(letsIn: readonly LetIn[]) {
  const sources = letsIn.slice(0, mostNamed).map(({ items: _, ...one }) => one);
  // An item that several sources allow counts once.
  const items = [...new Set(letsIn.flatMap((one) => one.items))];
  const scripts = items.filter(({ kind }) => kind === "script").length;
  const moreSources = letsIn.length - sources.length;
  return { scripts, connections: items.length - scripts, sources, moreSources };
}
