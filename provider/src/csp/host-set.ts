/**
 * Hosts that an expression may select: those named, and those that end in one of `suffixes`. `isSuperset`: it selects
 * at most these, by other tests maybe fewer. Lower case.
 */
export interface HostSet {
  readonly hosts: readonly string[];
  /** Plain ends of texts: `.example.com`. */
  readonly suffixes: readonly string[];
  readonly isSuperset: boolean;
}

/** A set, or why none can be told. */
export type PossibleHosts = HostSet | { readonly reason: string };

export function includesHost(set: HostSet, host: string): boolean {
  return set.hosts.includes(host) || set.suffixes.some((suffix) => host.endsWith(suffix));
}

export function union(a: PossibleHosts, b: PossibleHosts): PossibleHosts {
  if ("reason" in a) return a;
  if ("reason" in b) return b;
  return {
    hosts: unique([...a.hosts, ...b.hosts]),
    suffixes: unique([...a.suffixes, ...b.suffixes]),
    isSuperset: a.isSuperset || b.isSuperset,
  };
}

/** Where only one side tells hosts, the other can but narrow them. */
export function intersection(a: PossibleHosts, b: PossibleHosts): PossibleHosts {
  if ("reason" in a) return "reason" in b ? a : { ...b, isSuperset: true };
  if ("reason" in b) return { ...a, isSuperset: true };
  return {
    hosts: unique([
      ...a.hosts.filter((host) => includesHost(b, host)),
      ...b.hosts.filter((host) => includesHost(a, host)),
    ]),
    suffixes: unique([...longerSuffixes(a, b), ...longerSuffixes(b, a)]),
    isSuperset: a.isSuperset || b.isSuperset,
  };
}

/** Those of `a` that lie within `b`. */
function longerSuffixes(a: HostSet, b: HostSet): readonly string[] {
  return a.suffixes.filter((suffix) => b.suffixes.some((wider) => suffix.endsWith(wider)));
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
