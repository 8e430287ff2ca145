import { grouped } from "../../text/grouped";
import { isAboveOwners, ownedDomain } from "../lint/anyone-publishes";
import { parseSource } from "../syntax/source";

/** Hosts of one domain that a wildcard replaces, to keep a policy short. */
export interface Merged {
  /** `*.clarity.ms` */
  readonly wildcard: string;
  /** What it replaces. */
  readonly sources: readonly string[];
  /** Bytes that it saves. */
  readonly saved: number;
}

/**
 * The wildcards that hosts of a list could be merged into, those first that save most. Only whole hosts below a domain
 * of one owner; the wildcard is as deep as they have in common.
 */
export function mergeable(sources: readonly string[]): readonly Merged[] {
  const hosts = sources.flatMap((source) => {
    const read = parseSource(source);
    if (read.kind !== "host" || read.isWildcard || read.path !== undefined) return [];
    const domain = ownedDomain(read.host);
    if (domain === undefined || domain === read.host) return [];
    return [{ source, host: read.host, origin: `${read.scheme ?? ""} ${domain} ${read.port ?? ""}` }];
  });
  return [...grouped(hosts, ({ origin }) => origin).values()]
    .flatMap((group) => mergedOf(group) ?? [])
    .sort((a, b) => b.saved - a.saved || (a.wildcard < b.wildcard ? -1 : 1));
}

function mergedOf(group: readonly { readonly source: string; readonly host: string }[]): Merged | undefined {
  const [first] = group;
  if (first === undefined || group.length < 2) return undefined;
  const parent = commonParent(group.map(({ host }) => host));
  if (isAboveOwners(parent)) return undefined;
  const wildcard = first.source.replace(first.host, `*.${parent}`);
  const sources = group.map(({ source }) => source);
  const saved = sources.reduce((sum, source) => sum + source.length + 1, 0) - wildcard.length - 1;
  return saved > 0 ? { wildcard, sources, saved } : undefined;
}

/** The deepest domain that all of the hosts are below. */
function commonParent(hosts: readonly string[]): string {
  const [first = [], ...others] = hosts.map((host) => host.split(".").reverse().slice(0, -1));
  const end = first.findIndex((label, index) => others.some((labels) => labels[index] !== label));
  return first
    .slice(0, end === -1 ? undefined : end)
    .reverse()
    .join(".");
}
