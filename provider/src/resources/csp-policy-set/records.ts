import { bodyOf } from "../../policies/declared-policy";
import type { Logged } from "../../policies/log-time";
import type { PolicyImpact } from "../../policies/policy-impact";
import type { RecordedEntry, State } from "./state";

/** What the state has of one policy of the set. */
export interface PolicyRecord {
  readonly key: string;
  readonly entry: RecordedEntry;
  readonly policyId: string;
  readonly since: string | undefined;
  readonly impact: PolicyImpact | undefined;
}

/** By key. A key may be `constructor`, which every object seems to have: the state itself is not asked for one. */
export function recordsOf({ policies, policyIds, loggingSince, impact }: State): Map<string, PolicyRecord> {
  const entries = new Map(Object.entries(policies ?? {}));
  const since = new Map(Object.entries(loggingSince ?? {}));
  const impacts = new Map(typeof impact === "object" ? Object.entries(impact) : []);
  return new Map(
    Object.entries(policyIds ?? {}).map(([key, policyId]) => [
      key,
      { key, policyId, entry: entries.get(key) ?? {}, since: since.get(key), impact: impacts.get(key) },
    ]),
  );
}

export function inMaps(
  records: ReadonlyMap<string, PolicyRecord>,
): Pick<State, "policies" | "policyIds" | "loggingSince" | "impact"> {
  const pick = <T>(of: (record: PolicyRecord) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      [...records].flatMap(([key, record]): [string, T][] => {
        const value = of(record);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  return {
    policies: pick(({ entry }) => entry),
    policyIds: pick(({ policyId }) => policyId),
    loggingSince: pick(({ since }) => since),
    impact: pick(({ impact }) => impact && { ...impact, hosts: { ...impact.hosts } }),
  };
}

/** The policy itself, with the description that the key stands for. */
export function recordedPolicy({
  key,
  entry,
  since,
  impact,
}: PolicyRecord): RecordedEntry & Logged & { readonly impact: PolicyImpact | undefined } {
  const description = entry.description ?? key;
  return { ...entry, description, value: textOf(entry), loggingSince: since, impact };
}

export function textOf({ value, directives }: RecordedEntry): string {
  return bodyOf({ description: "", action: "", expression: "", value, directives }).value;
}
