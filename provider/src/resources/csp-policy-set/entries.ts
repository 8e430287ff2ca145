import type { Policy } from "../../api/client-types";
import { wrapperField } from "../../model/engine-marks";
import { findChangedPolicyFields, keepRecordedSpelling, toBody } from "../../model/policies/declared-policy";
import { fillDescription, type KeyedPolicy } from "../../model/policies/match-policies";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import type { Properties } from "../../model/properties";
import { isUnknown } from "../../model/unknown";
import type { Changed } from "../csp-policy/impact";
import type { RecordedEntry, State } from "./state";

/** Returns the policies by key, without fields that the service created; none if `policies` itself is unknown or not valid. */
export function readEntries({ policies }: Properties): Map<string, Properties> {
  const entries = typeof policies === "object" ? keyedPolicies(policies) : [];
  return new Map(entries.map((one) => [one.key, fillDescription(one)]));
}

/** Returns the policies as declared, by key. */
export function keyedPolicies(policies: unknown): KeyedPolicy[] {
  return Object.entries(Object(policies)).map(([key, entry]) => ({ key, policy: readEntry(entry) }));
}

/** Returns a policy as declared. If the whole entry is unknown, all fields of the policy are unknown. */
export function readEntry(entry: unknown): Properties {
  if (isUnknown(entry))
    return { description: entry, action: entry, expression: entry, enabled: entry, value: entry };
  const { policyId: _, ...rest } = Object(entry) as Properties;
  return rest;
}

/** Returns the policies that are new or changed. `before`: the inputs of the last update. */
export function findChangedEntries(before: Properties, now: Properties): Changed[] {
  const known = readEntries(before);
  return [...readEntries(now)].flatMap(([key, policy]) => {
    const was = known.get(key);
    const fields = was && findChangedPolicyFields(was, policy);
    return fields?.length === 0 ? [] : [{ key, policy, fields }];
  });
}

/** Returns the declared inputs, spelled as in the state wherever the meaning is the same. */
export function policiesInRecordedSpelling(
  recorded: Properties | undefined,
  declared: Properties,
): Properties {
  if (typeof declared["policies"] !== "object") return declared;
  const before = new Map(Object.entries(Object(recorded?.["policies"])));
  const policies = Object.entries(Object(declared["policies"])).map(([key, entry]): [string, unknown] => {
    if (typeof entry !== "object" || entry === null) return [key, entry];
    const { policyId: _, ...policy } = Object(entry) as Properties;
    return [key, keepRecordedSpelling(Object(before.get(key)), policy)];
  });
  return { ...declared, policies: Object.fromEntries(policies) };
}

export interface PolicyRecord extends KeyedPolicy {
  readonly policy: RecordedEntry;
  readonly policyId: string;
  readonly since?: string | undefined;
  readonly impact?: PolicyImpact | undefined;
}

/** Returns the policies in a state. Looks fields up in maps, because objects inherit keys such as `constructor`. */
export function readRecords({ policies, policyIds, loggingSince, impact }: State): PolicyRecord[] {
  const entries = new Map(Object.entries(policies ?? {}));
  const since = new Map(Object.entries(loggingSince ?? {}));
  const impacts = new Map(typeof impact === "object" ? Object.entries(impact) : []);
  return Object.entries(policyIds ?? {}).map(([key, policyId]) => {
    return { key, policyId, policy: entries.get(key) ?? {}, since: since.get(key), impact: impacts.get(key) };
  });
}

export function splitIntoMaps(records: readonly PolicyRecord[]) {
  const pick = <T>(of: (record: PolicyRecord) => T | undefined) => {
    const values = records.map((record) => [record.key, of(record)] as const);
    return Object.fromEntries(values.filter((one): one is [string, T] => one[1] !== undefined));
  };
  return {
    policies: pick(({ policy }) => policy),
    policyIds: pick(({ policyId }) => policyId),
    loggingSince: pick(({ since }) => since),
    impact: pick(({ impact }) => impact),
  };
}

/** Returns a policy in the state with its `value` and its outputs. */
export function recordedPolicy(record: PolicyRecord) {
  const policy = fillDescription(record);
  return { ...policy, value: toBody(policy).value, loggingSince: record.since, impact: record.impact };
}

/**
 * Returns all policies in a zone as the state of an imported set. The key of a policy is its description, or its id if the
 * description is blank, not unique, `__proto__`, which JavaScript loses as a key, or the engine's mark of special objects.
 */
export function importedPolicies(policies: readonly Policy[]): PolicyRecord[] {
  return policies.map(({ description, policyId }) => {
    const isAlone = policies.filter((other) => other.description === description).length === 1;
    const isKey = isAlone && description.trim() !== "" && !["__proto__", wrapperField].includes(description);
    return isKey
      ? { key: description, policyId, policy: {} }
      : { key: policyId, policyId, policy: { description } };
  });
}
