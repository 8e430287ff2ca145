import type { Policy } from "../../api/client-types";
import { bodyOf } from "../../model/policies/declared-policy";
import { changedPolicyFields, policyInRecordedWords } from "../../model/policies/equal-policy";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import type { Properties } from "../../model/properties";
import { isUnknown } from "../../model/unknown";
import type { RecordedEntry, State } from "./state";

/** Entries of `policies` by key, whatever came, without what the service has made; undefined where it is not known. */
export function entriesOf({ policies }: Properties): Map<string, Properties> | undefined {
  if (isUnknown(policies)) return undefined;
  const entries = typeof policies === "object" && policies !== null ? Object.entries(policies) : [];
  return new Map(entries.map(([key, entry]): [string, Properties] => [key, entryOf(key, entry)]));
}

/** One policy with the description that its key stands for. One that is not known has nothing that is known. */
export function entryOf(key: string, entry: unknown): Properties {
  if (isUnknown(entry)) return unknownEntry(entry);
  const { policyId: _, ...rest } = Object(entry) as Properties;
  return { ...rest, description: rest["description"] ?? key };
}

export function unknownEntry(entry: unknown): Properties {
  return { description: entry, action: entry, expression: entry, enabled: entry, value: entry };
}

/** Keys whose policies differ in meaning, with what differs; a key that one side lacks has nothing else to say. */
export function changedKeys(recorded: Properties, declared: Properties): Map<string, readonly string[]> {
  const before = entriesOf(recorded);
  const now = entriesOf(declared);
  const changed = new Map<string, readonly string[]>();
  if (!before || !now) return changed.set("", []);
  for (const key of before.keys()) if (!now.has(key)) changed.set(key, []);
  for (const [key, entry] of now) {
    const old = before.get(key);
    const fields = old ? changedPolicyFields(old, entry) : [];
    if (!old || fields.length > 0) changed.set(key, fields);
  }
  return changed;
}

/** What is declared, in the words of the record wherever they mean the same: so a preview shows just what differs. */
export function inRecordedWords(recorded: Properties | undefined, declared: Properties): Properties {
  const now = declared["policies"];
  if (isUnknown(now) || typeof now !== "object" || now === null) return declared;
  const before = new Map(Object.entries(Object(recorded?.["policies"] ?? {})));
  const policies = Object.fromEntries(
    Object.entries(now).map(([key, entry]) => [key, entryInWords(before.get(key), entry)]),
  );
  return { ...declared, policies };
}

function entryInWords(before: unknown, entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null) return entry;
  const { policyId: _, ...now } = Object(entry) as Properties;
  if (typeof before !== "object" || before === null) return now;
  const { enabled: was }: Properties = { ...before };
  const { enabled, ...words } = policyInRecordedWords({ ...before }, now);
  const said = (was ?? true) === (enabled ?? true) ? was : enabled;
  return said === undefined ? words : { ...words, enabled: said };
}

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

/**
 * What a set that is imported declares: all policies of the zone, each under its description, or under its id where that does
 * not tell it from the others, or is lost as a key of JavaScript.
 */
export function importedPolicies(policies: readonly Policy[]): Pick<State, "policies" | "policyIds"> {
  const keyed = policies.map(({ description, policyId }) => {
    const isUsable = description.trim() !== "" && description !== "__proto__";
    const isAlone = policies.filter((other) => other.description === description).length === 1;
    return { key: isUsable && isAlone ? description : policyId, description, policyId };
  });
  return {
    policies: Object.fromEntries(
      keyed.map(({ key, description }) => [key, key === description ? {} : { description }]),
    ),
    policyIds: Object.fromEntries(keyed.map(({ key, policyId }) => [key, policyId])),
  };
}
