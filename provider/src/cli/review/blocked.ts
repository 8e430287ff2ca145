import { declaredAsIn } from "../../lifecycle/urn";
import { type ReviewHost, titleOfHosts } from "../../reports/review/review";
import { blockedHosts, type ToldHost } from "./agreed-data";
import type { ReadFinding } from "./preview-read";

/** What a policy takes from the visitors of one zone. */
export interface Blocked {
  readonly zone: string | undefined;
  readonly scripts: number;
  readonly connections: number;
  readonly malicious: number;
  /** Of hosts that are only counted, or not told in a way that can be read: scripts and connections of any kind. */
  readonly unnamed: number;
}

/**
 * One table for all zones: a host once, with who would block it where. `used`: findings that it tells whole; `left`: what
 * is to be said of the others beside it.
 */
export function blockedIn(findings: readonly ReadFinding[]): {
  readonly hosts: readonly ReviewHost[];
  readonly blocked: readonly Blocked[];
  readonly used: ReadonlySet<ReadFinding>;
  readonly left: ReadonlyMap<ReadFinding, string>;
} {
  const rows = new Map<string, ReviewHost>();
  const used = new Set<ReadFinding>();
  const left = new Map<ReadFinding, string>();
  const blocked: Blocked[] = [];
  for (const finding of findings.filter(({ code }) => code === "csp-blocks-in-use")) {
    const { zone, urn, property, text, data } = finding;
    const told = blockedHosts(text, data);
    const { items: hosts = [], rest = "" } = told ?? {};
    if (told && rest === "" && finding.severity !== "error") used.add(finding);
    else if (told) left.set(finding, withoutHosts(text));
    const sum = (of: (host: ToldHost) => number): number =>
      hosts.reduce((total, host) => total + of(host), 0);
    const [scripts, connections, malicious] = [
      sum(({ breaks }) => breaks.scripts),
      sum(({ breaks }) => breaks.connections),
      sum(({ keepsOut }) => keepsOut.scripts + keepsOut.connections),
    ];
    const unnamed = Math.max(0, totalIn(text) - scripts - connections - malicious);
    blocked.push({ zone, scripts, connections, malicious, unnamed });
    const by = `${urn === undefined ? "" : declaredAsIn(urn)}${property.replace(/^policies/, "")}`;
    for (const { host, breaks, keepsOut, url, reason, firstPageUrl, lastSeenAt } of hosts) {
      const before = rows.get(host);
      const isFirstLoss = before !== undefined && lossOf(before) === 0 && lossOf(breaks) > 0;
      rows.set(host, {
        host,
        // Of the loss where there is one; a URL and its reason belong together.
        url: before && !isFirstLoss ? before.url : url,
        reason: before && !isFirstLoss ? before.reason : reason,
        scripts: (before?.scripts ?? 0) + breaks.scripts,
        connections: (before?.connections ?? 0) + breaks.connections,
        malicious: (before?.malicious ?? 0) + keepsOut.scripts + keepsOut.connections,
        firstPage: before?.firstPage ?? firstPageUrl,
        lastSeen: latest(before?.lastSeen, lastSeenAt?.slice(0, 10)),
        by: added(before?.by ?? [], by),
        zones: zone === undefined ? (before?.zones ?? []) : added(before?.zones ?? [], zone),
      });
    }
  }
  const hosts = [...rows.values()].sort((left, right) => lossOf(right) - lossOf(left));
  return { hosts, blocked, used, left };
}

function lossOf({ scripts, connections }: Pick<ReviewHost, "scripts" | "connections">): number {
  return scripts + connections;
}

/** The table has them. */
function withoutHosts(text: string): string {
  return text
    .replace(/^ {2}(?!… ).*\n/gm, "")
    .replace(/:\n(?! {2})/, `. Its hosts are under "${titleOfHosts}".\n`);
}

/** The message counts them all; one that does not is about one at least. */
function totalIn(text: string): number {
  return Number(/ would block (\d{1,6}) of /.exec(text)?.[1] ?? 1);
}

function latest(left: string | undefined, right: string | undefined): string | undefined {
  return (left ?? "") > (right ?? "") ? left : right;
}

function added(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list : [...list, one];
}
