import type { Policy } from "../../api/client-types";
import { bodyOf } from "../../policies/declared-policy";
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
export function recordedPolicy({ key, entry, since, impact }: PolicyRecord) {
  const { description = key, value, directives } = entry;
  const body = bodyOf({ description, action: "", expression: "", value, directives });
  return { ...entry, description, value: body.value, loggingSince: since, impact };
}

/** What JavaScript loses as a key. */
const lostName = "__proto__";

/**
 * What a set that is imported declares: all policies of the zone, each under its description, or under its id where that does
 * not tell it from the others.
 */
export function importedPolicies(policies: readonly Policy[]): Pick<State, "policies" | "policyIds"> {
  const keyOf = ({ description, policyId }: Policy): string => {
    const isUsable = description.trim() !== "" && description !== lostName;
    const isAlone = policies.filter((other) => other.description === description).length === 1;
    return isUsable && isAlone ? description : policyId;
  };
  const keyed = policies.map((policy) => [keyOf(policy), policy] as const);
  return {
    policies: Object.fromEntries(
      keyed.map(([key, { description }]) => [key, key === description ? {} : { description }]),
    ),
    policyIds: Object.fromEntries(keyed.map(([key, { policyId }]) => [key, policyId])),
  };
}
