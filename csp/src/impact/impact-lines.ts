import { clean, pluralize, toVisible } from "../texts";
import type { Impact, ImpactGroup, ItemCounts, LetIn } from "./impact";

export interface RenderOptions {
  /** Maximum number of lines. Default: 20. */
  readonly maxLines?: number;
}

/** Maximum number of characters of a URL: enough to find the script. */
const maxUrlLength = 100;

/**
 * Renders blocked items as lines for people: a headline, then one line per host. With more than `maxLines` lines, the last one
 * counts the hosts that are left out. Empty if nothing is blocked.
 */
export function render(found: Impact, { maxLines = 20 }: RenderOptions = {}): string[] {
  if (found.blockedCount === 0) return [];
  return limited(headline(found), found.groups.map(hostLine), maxLines, (left) => {
    const items = found.groups.slice(-left).reduce((sum, group) => sum + group.items.length, 0);
    return `  … and ${pluralize(items, "item")} of ${pluralize(left, "more host")}`;
  });
}

/** Returns a clause that says that nothing was seen, so an empty impact proves nothing. Undefined if items were checked. */
export function nothingSeen({ checkedCount, hosts }: Impact): string | undefined {
  if (checkedCount > 0) return undefined;
  return hosts.decided
    ? "nothing was seen on the hosts that the expression selects"
    : "nothing was seen in the zone";
}

/** Renders malicious items that are allowed, as lines like those of `render`. Empty if there are none. */
export function renderLetIn({ letsIn }: Impact, { maxLines = 20 }: RenderOptions = {}): string[] {
  if (letsIn.length === 0) return [];
  const items = new Set(letsIn.flatMap((one) => one.items));
  const scripts = [...items].filter(({ kind }) => kind === "script").length;
  const what = describeItems({ scripts, connections: items.size - scripts }, "malicious ");
  const rest = (left: number) => `  … and ${pluralize(left, "more source")}`;
  return limited(`lets in ${what}:`, letsIn.map(letInLine), maxLines, rest);
}

function limited(head: string, lines: readonly string[], maxLines: number, rest: (left: number) => string) {
  if (lines.length <= maxLines - 1) return [head, ...lines];
  if (maxLines <= 1) return [head];
  return [head, ...lines.slice(0, maxLines - 2), rest(lines.length - maxLines + 2)];
}

function headline({ blockedCount, checkedCount, breaks, keepsOut, hosts }: Impact): string {
  const where = hosts.decided
    ? hosts.isSuperset
      ? "on the hosts that the expression names (it may not select all requests to them)"
      : "on the hosts that the expression selects"
    : `on all hosts of the zone (the expression does not say which: ${toVisible(hosts.reason)})`;
  return `would block ${blockedCount} of ${pluralize(checkedCount, "script and connection", "scripts and connections")} in use ${where} (${effect(breaks, keepsOut, "; ")}):`;
}

function hostLine(group: ImpactGroup): string {
  const { host, company, breaks, keepsOut, firstPageUrl, lastSeenAt, isActive, url, reason } = group;
  const facts = [
    effect(breaks, keepsOut, ", "),
    firstPageUrl === undefined ? "" : `first seen on ${toVisible(firstPageUrl)}`,
    lastSeenAt === undefined ? "" : `last seen ${toVisible(lastSeenAt.slice(0, 10))}`,
    isActive ? "" : "infrequent",
  ].filter((part) => part !== "");
  const whose = company === undefined ? "" : ` (${company})`;
  return `  ${nameHost(host)}${whose}: ${facts.join(", ")}; ${clean(url, maxUrlLength)}: ${reason}`;
}

/** Returns the name of a host for a line. A scheme such as `blob:` needs a noun, because a colon follows the name. */
function nameHost(host: string): string {
  if (host === "") return "(no readable URL)";
  return host.endsWith(":") ? `${toVisible(host)} URLs` : toVisible(host);
}

function letInLine(letIn: LetIn): string {
  const { source, url, reason } = letIn;
  return `  ${toVisible(source)} lets in ${describeItems(letIn)}, for example ${clean(url, maxUrlLength)} (${toVisible(reason)})`;
}

/** Describes the loss and the gain: `breaks 3 scripts, keeps out 1 malicious script`. */
function effect(breaks: ItemCounts, keepsOut: ItemCounts, separator: string): string {
  const lost = describeItems(breaks);
  const gained = describeItems(keepsOut, "malicious ");
  return [lost && `breaks ${lost}`, gained && `keeps out ${gained}`].filter(Boolean).join(separator);
}

function describeItems({ scripts, connections }: ItemCounts, kind = ""): string {
  const texts = [
    scripts > 0 && pluralize(scripts, `${kind}script`),
    connections > 0 && pluralize(connections, `${kind}connection`),
  ];
  return texts.filter(Boolean).join(" and ");
}
