import { declaredAsIn } from "../../lifecycle/urn";
import { type ReviewHost, titleOfHosts } from "../../reports/review/review";
import { grouped } from "../../text/grouped";
import { counted } from "../../text/plural";
import { distinct, sumOf } from "../values";
import { blockedHosts, type ListedHost } from "./agreed-data";
import type { ReadFinding } from "./preview-read";

/** What a policy blocks for the visitors of one zone. */
export interface Blocked {
  readonly zone: string | undefined;
  readonly scripts: number;
  readonly connections: number;
  readonly malicious: number;
  /** Scripts and connections of hosts that the finding only counts, or does not list readably. */
  readonly unnamed: number;
}

/**
 * One table for all zones: each host once, with what blocks it where. `used`: findings that it shows in full; `left`: the
 * remaining text of others.
 */
export function blockedIn(findings: readonly ReadFinding[]): {
  readonly hosts: readonly ReviewHost[];
  readonly blocked: readonly Blocked[];
  readonly used: ReadonlySet<ReadFinding>;
  readonly left: ReadonlyMap<ReadFinding, string>;
} {
  const rows: ReviewHost[] = [];
  const used = new Set<ReadFinding>();
  const left = new Map<ReadFinding, string>();
  const blocked: Blocked[] = [];
  for (const finding of findings.filter(({ code }) => code === "csp-blocks-in-use")) {
    const { zone, urn, property, text, data } = finding;
    const read = blockedHosts(text, data);
    const { items: hosts = [], rest = "" } = read ?? {};
    if (read && rest === "" && finding.severity !== "error") used.add(finding);
    else if (read) left.set(finding, withoutHosts(text));
    const scripts = sumOf(hosts, ({ breaks }) => breaks.scripts);
    const connections = sumOf(hosts, ({ breaks }) => breaks.connections);
    const malicious = sumOf(hosts, ({ keepsOut }) => keepsOut.scripts + keepsOut.connections);
    // The message counts all items; one that does not is about one at least.
    const all = mostOf(text, / would block (\d{1,6}) of /g)[0] ?? 1;
    const unnamed = Math.max(0, all - scripts - connections - malicious);
    blocked.push({ zone, scripts, connections, malicious, unnamed });
    const by = `${urn === undefined ? "" : declaredAsIn(urn)}${property.replace(/^policies/, "")}`;
    rows.push(...hosts.map((host) => rowOf(host, by, zone)));
  }
  const hosts = [...grouped(rows, ({ host }) => host).values()].map(joined);
  hosts.sort((left, right) => lossOf(right) - lossOf(left));
  return { hosts, blocked, used, left };
}

function rowOf(
  { host, breaks, keepsOut, url, reason, firstPageUrl, lastSeenAt }: ListedHost,
  by: string,
  zone: string | undefined,
): ReviewHost {
  return {
    ...{ host, url, reason, firstPage: firstPageUrl, lastSeen: lastSeenAt?.slice(0, 10) },
    ...{ scripts: breaks.scripts, connections: breaks.connections, by: [by], zones: distinct([zone]) },
    malicious: keepsOut.scripts + keepsOut.connections,
  };
}

/** What several policies block of one host. */
function joined(rows: readonly [ReviewHost, ...ReviewHost[]]): ReviewHost {
  // The URL and its reason are of a loss if there is one.
  const { host, url, reason } = rows.find((row) => lossOf(row) > 0) ?? rows[0];
  return {
    ...{ host, url, reason },
    scripts: sumOf(rows, ({ scripts }) => scripts),
    connections: sumOf(rows, ({ connections }) => connections),
    malicious: sumOf(rows, ({ malicious }) => malicious),
    firstPage: rows.find(({ firstPage }) => firstPage !== undefined)?.firstPage,
    lastSeen: distinct(rows.map(({ lastSeen }) => lastSeen))
      .sort()
      .at(-1),
    by: distinct(rows.flatMap(({ by }) => by)),
    zones: distinct(rows.flatMap(({ zones }) => zones)),
  };
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

/** Malicious items in use that a policy of a zone allows. */
export interface LetIn {
  readonly zone: string | undefined;
  readonly scripts: number;
  readonly connections: number;
}

/** By the count of the message: it counts an item that several sources let in once. */
export function letInBy(findings: readonly ReadFinding[]): readonly LetIn[] {
  const count = / lets in (?:(\d{1,6}) malicious scripts?)?(?: and )?(?:(\d{1,6}) malicious connections?)?:/g;
  return findings
    .filter(({ code }) => code === "csp-lets-malicious-in")
    .map(({ zone, text }) => {
      const [scripts = 0, connections = 0] = mostOf(text, count);
      return { zone, scripts, connections };
    })
    .filter((one) => lossOf(one) > 0);
}

/** `1 malicious script`, `2 malicious connections`. */
export function letInCounts(letIn: readonly LetIn[], kind = ""): readonly string[] {
  return counted(
    [sumOf(letIn, ({ scripts }) => scripts), `${kind}script`],
    [sumOf(letIn, ({ connections }) => connections), `${kind}connection`],
  );
}

/** Numbers in a message, each the largest that matches: a key of the program in it must not hide what is counted. */
function mostOf(text: string, pattern: RegExp): number[] {
  const found = [...text.matchAll(pattern)].map(([, ...numbers]) => numbers.map((one) => Number(one ?? 0)));
  const [first = [], ...others] = found;
  return first.map((number, at) => Math.max(number, ...others.map((numbers) => numbers[at] ?? 0)));
}
