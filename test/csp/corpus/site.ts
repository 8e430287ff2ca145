import type { Connection, Script } from "../../../provider/src/api/client-types";

export const observedDays = 14;
export const weeks = 10;
const start = Date.parse("2026-01-05T06:00:00Z");
const dayMs = 86_400_000;

/** Time at which a policy is suggested. */
export const suggestedAt = new Date(start + observedDays * dayMs);

/** A URL that pages of a site load between two days, which may be fractions. */
export interface Load {
  readonly kind: "script" | "connection";
  readonly url: string;
  readonly from: number;
  readonly to: number;
  readonly isRare?: boolean;
  /** Present if the URL is malicious. `known`: the service reports it; `unknown`: it does not. */
  readonly malice?: "known" | "unknown";
}

export interface Site {
  readonly name: string;
  readonly page: string;
  readonly loads: readonly Load[];
}

/** Returns the items that the service shows on a day; by default on the last day of the second week. */
export function seenOn({ page, loads }: Site, day = observedDays) {
  const seen = loads
    .filter(({ from }) => from < day)
    .map(({ kind, url, from, to, isRare, malice }, index) => ({
      kind,
      item: {
        id: `${index}`,
        url,
        host: new URL(page).host,
        firstPageUrl: page,
        status: isRare === true ? "infrequent" : "active",
        firstSeenAt: timeOf(from),
        lastSeenAt: timeOf(Math.min(to, day)),
        domainReportedMalicious: malice === "known",
      } as const,
    }));
  const of = (wanted: Load["kind"]) => seen.flatMap(({ kind, item }) => (kind === wanted ? [item] : []));
  const found: { readonly scripts: readonly Script[]; readonly connections: readonly Connection[] } = {
    scripts: of("script"),
    connections: of("connection"),
  };
  return found;
}

/** Returns one load for each different URL in each week after the suggestion. */
export function loadsAfter({ loads }: Site): readonly Load[] {
  return Array.from({ length: weeks - observedDays / 7 }, (_, index) => {
    const [from, to] = [observedDays + index * 7, observedDays + (index + 1) * 7];
    return loads.filter((load) => load.from < to && load.to > from);
  }).flat();
}

export function timeOf(day: number): string {
  return new Date(start + day * dayMs).toISOString();
}
