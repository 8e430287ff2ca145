import type { Policy, PolicyBody } from "../../api/client-types";
import { bodyOf, changedPolicyFields, inRecordedWords } from "../../model/policies/declared-policy";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import type { Properties } from "../../model/properties";
import { isUnknown } from "../../model/unknown";
import type { Changed } from "../../policies/impact";
import type { RecordedEntry, State } from "./state";

/** Entries of `policies` by key, whatever came, without what the service has made; none where all of it is unknown. */
export function entriesOf({ policies }: Properties): Map<string, Properties> {
  const entries = typeof policies === "object" && policies !== null ? Object.entries(policies) : [];
  return new Map(entries.map(([key, entry]): [string, Properties] => [key, entryOf(key, entry)]));
}

/** One policy with the description that its key stands for. One that is not known has nothing that is known. */
export function entryOf(key: string, entry: unknown): Properties {
  if (isUnknown(entry))
    return { description: entry, action: entry, expression: entry, enabled: entry, value: entry };
  const { policyId: _, ...rest } = Object(entry) as Properties;
  return { ...rest, description: rest["description"] ?? key };
}

/** The policies that are new or changed. `before`: the inputs of the last update. */
export function changedEntries(before: Properties, now: Properties): Changed[] {
  const known = entriesOf(before);
  return [...entriesOf(now)].flatMap(([key, policy]) => {
    const was = known.get(key);
    const fields = was && changedPolicyFields(was, policy);
    return fields?.length === 0 ? [] : [{ key, policy, fields }];
  });
}

/** What is declared, in the words of the record wherever they mean the same: so a preview shows just what differs. */
export function policiesInRecordedWords(recorded: Properties | undefined, declared: Properties): Properties {
  const before = new Map(Object.entries(Object(recorded?.["policies"])));
  const policies = Object.entries(Object(declared["policies"])).map(([key, entry]): [string, unknown] => {
    if (typeof entry !== "object" || entry === null) return [key, entry];
    const { policyId: _, ...policy } = Object(entry) as Properties;
    return [key, inRecordedWords(Object(before.get(key)), policy)];
  });
  return typeof declared["policies"] === "object"
    ? { ...declared, policies: Object.fromEntries(policies) }
    : declared;
}

/** What the state has of one policy of the set. */
export interface PolicyRecord {
  readonly key: string;
  readonly entry: RecordedEntry;
  readonly policyId: string;
  readonly since?: string | undefined;
  readonly impact?: PolicyImpact | undefined;
}

/** By key. A key may be `constructor`, which every object seems to have: the state itself is not asked for one. */
export function recordsOf({ policies, policyIds, loggingSince, impact }: State): PolicyRecord[] {
  const entries = new Map(Object.entries(policies ?? {}));
  const since = new Map(Object.entries(loggingSince ?? {}));
  const impacts = new Map(typeof impact === "object" ? Object.entries(impact) : []);
  return Object.entries(policyIds ?? {}).map(([key, policyId]) => {
    return { key, policyId, entry: entries.get(key) ?? {}, since: since.get(key), impact: impacts.get(key) };
  });
}

export function inMaps(records: readonly PolicyRecord[]) {
  const pick = <T>(of: (record: PolicyRecord) => T | undefined) => {
    const values = records.map((record) => [record.key, of(record)] as const);
    return Object.fromEntries(values.filter((one): one is [string, T] => one[1] !== undefined));
  };
  return {
    policies: pick(({ entry }) => entry),
    policyIds: pick(({ policyId }) => policyId),
    loggingSince: pick(({ since }) => since),
    impact: pick(({ impact }) => impact),
  };
}

/** What is sent for an entry; `key`: where that is its description. */
export function bodyAt(key: string, entry: RecordedEntry): PolicyBody {
  return bodyOf({ ...entry, description: entry.description ?? key });
}

/** The policy itself, with the description that the key stands for. */
export function recordedPolicy({ key, entry, since, impact }: PolicyRecord) {
  const { description, value } = bodyAt(key, entry);
  return { ...entry, description, value, loggingSince: since, impact };
}

/**
 * What a set that is imported declares: all policies of the zone, each under its description, or under its id where that does
 * not tell it from the others, or is lost as a key of JavaScript.
 */
export function importedPolicies(policies: readonly Policy[]): PolicyRecord[] {
  return policies.map(({ description, policyId }) => {
    const isAlone = policies.filter((other) => other.description === description).length === 1;
    const isKey = isAlone && description.trim() !== "" && description !== "__proto__";
    return isKey
      ? { key: description, policyId, entry: {} }
      : { key: policyId, policyId, entry: { description } };
  });
}
