import type { Declared } from "./declared";
import { fieldDigest } from "./lock";
import type { ZoneFound } from "./read-zone";
import type { Standings } from "./standing";

/** How much of what a zone has the files declare. */
export interface Counts {
  readonly hasSettings: boolean;
  readonly policies: Share;
  readonly rules: Share;
}

export interface Share {
  /** Undefined: only running the program would tell. */
  readonly declared: number | undefined;
  readonly all: number;
}

/** Pure. */
export function countsOf(
  { policies, entrypoint }: ZoneFound,
  objects: readonly Declared[],
  standings: Standings,
): Counts {
  const declared = objects.filter(({ key }) => standings.has(key));
  const rules = declared.find(({ kind }) => kind === "ManagedWafEntrypoint");
  const all = entrypoint?.rules.length ?? 0;
  return {
    hasSettings: declared.some(({ kind }) => kind === "PageGuardSettings"),
    policies: {
      declared: declared.filter(({ kind }) => kind === "CspPolicy").length,
      all: policies?.length ?? 0,
    },
    rules: { declared: rules ? rulesIn(rules, standings, all) : 0, all },
  };
}

function rulesIn({ key, args }: Declared, standings: Standings, all: number): number | undefined {
  const standing = standings.get(key);
  if (standing?.rules) return standing.rules.count;
  return standing?.fields["rules"] === fieldDigest(args["rules"]) ? all : undefined;
}

/** `3`, or `3 of 4` where the files do not declare all. */
export function shareText({ declared, all }: Share): string {
  return declared === all ? `${all}` : `${declared ?? "?"} of ${all}`;
}
