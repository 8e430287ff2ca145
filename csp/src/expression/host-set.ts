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

/** Or why they are not known. */
export type PossibleHosts = HostSet | { readonly reason: string };

type Hosts = Pick<HostSet, "hosts" | "suffixes">;

export function hostTest({ hosts, suffixes }: Hosts): (host: string) => boolean {
  const named = new Set(hosts);
  const ends = new TextEnds(suffixes);
  return (host) => named.has(host) || ends.areOf(host);
}

/** What any of them selects. One call for all: going through them two by two would take quadratic time. */
export function union(parts: readonly PossibleHosts[]): PossibleHosts {
  const sets: HostSet[] = [];
  for (const part of parts) {
    if ("reason" in part) return part;
    sets.push(part);
  }
  return {
    hosts: unique(sets.flatMap(({ hosts }) => hosts)),
    suffixes: unique(sets.flatMap(({ suffixes }) => suffixes)),
    isSuperset: sets.some(({ isSuperset }) => isSuperset),
  };
}

/** What an odd number of them selects: at most what any does. */
export function difference(parts: readonly PossibleHosts[]): PossibleHosts {
  const all = union(parts);
  return "reason" in all ? all : { ...all, isSuperset: true };
}

/** What all of them select. Those of unknown hosts can only narrow what the others select. */
export function intersection(parts: readonly PossibleHosts[]): PossibleHosts {
  // The smallest first: what is left over is never compared more often than needed.
  const sets = parts
    .filter((part): part is HostSet => !("reason" in part))
    .sort((a, b) => sizeOf(a) - sizeOf(b));
  const [first, ...rest] = sets;
  if (first === undefined) return parts[0] ?? { reason: "it is empty" };
  const { hosts, suffixes } = rest.reduce(ofBoth, first);
  const isSuperset = sets.length < parts.length || sets.some((set) => set.isSuperset);
  return { hosts, suffixes, isSuperset };
}

function ofBoth(a: Hosts, b: Hosts): Hosts {
  const suffixes = unique([...within(a.suffixes, b.suffixes), ...within(b.suffixes, a.suffixes)]);
  // What an end covers need not be named: chains of tests would pile it up.
  const covered = new TextEnds(suffixes);
  const hosts = [...a.hosts.filter(hostTest(b)), ...b.hosts.filter(hostTest(a))];
  return { hosts: unique(hosts).filter((host) => !covered.areOf(host)), suffixes };
}

/** Those of `suffixes` that lie within one of `wider`. */
function within(suffixes: readonly string[], wider: readonly string[]): readonly string[] {
  const ends = new TextEnds(wider);
  return suffixes.filter((suffix) => ends.areOf(suffix));
}

function sizeOf({ hosts, suffixes }: HostSet): number {
  return hosts.length + suffixes.length;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

/** A set of ends of texts, which tells in little time whether a text has one of them. */
export class TextEnds {
  readonly #ends: ReadonlySet<string>;
  /** Of many ends: a text has one end of each length. */
  readonly #lengths: ReadonlySet<number>;

  constructor(ends: Iterable<string>) {
    this.#ends = new Set(ends);
    this.#lengths = new Set([...this.#ends].map(({ length }) => length));
  }

  areOf(text: string): boolean {
    for (const length of this.#lengths) {
      if (length <= text.length && this.#ends.has(text.slice(text.length - length))) return true;
    }
    return false;
  }
}
