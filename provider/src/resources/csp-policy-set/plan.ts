import type { Policy, PolicyBody } from "../../api/client-types";
import { bodyOf, changedPolicyFields, inRecordedWords } from "../../model/policies/declared-policy";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import { policyText } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { containsUnknown, isUnknown } from "../../model/unknown";
import { grouped } from "../../text/data";
import type { Changed } from "../csp-policy/impact";
import type { Ownership } from "../csp-policy/ownership";
import { pathOf } from "../csp-policy/zone-findings";
import { entrySchema, type RecordedEntry, type State } from "./state";

/** Entries of `policies` by key, whatever came, without what the service has made; none where all of it is unknown. */
export function entriesOf({ policies }: Properties): Map<string, Properties> {
  const entries = typeof policies === "object" && policies !== null ? Object.entries(policies) : [];
  return new Map(entries.map(([key, entry]): [string, Properties] => [key, entryOf(key, entry)]));
}

/** One policy with the description that its key stands for. One that is not known has nothing that is known. */
function entryOf(key: string, entry: unknown): Properties {
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
  if (typeof declared["policies"] !== "object") return declared;
  const before = new Map(Object.entries(Object(recorded?.["policies"])));
  const policies = Object.entries(Object(declared["policies"])).map(([key, entry]): [string, unknown] => {
    if (typeof entry !== "object" || entry === null) return [key, entry];
    const { policyId: _, ...policy } = Object(entry) as Properties;
    return [key, inRecordedWords(Object(before.get(key)), policy)];
  });
  return { ...declared, policies: Object.fromEntries(policies) };
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

/** A policy that is declared and not in the state yet. */
export interface Wanted {
  readonly key: string;
  readonly wanted: PolicyBody;
}

/** One that the set has in its state: under another key when it was only renamed. */
export interface Kept extends Wanted {
  readonly record: PolicyRecord;
  readonly isChanged: boolean;
}

/** What an update has to do. */
export interface SetPlan {
  readonly kept: readonly Kept[];
  readonly missing: readonly Wanted[];
  readonly dropped: readonly PolicyRecord[];
  /** In the state, but another resource of this run has them, or this run has deleted them. */
  readonly lost: readonly PolicyRecord[];
  /** Places of what is not in the state, and of which a preview does not know everything. */
  readonly partlyUnknown: readonly string[];
}

/**
 * What is declared against the state. The set's policies are its own in this run from now on, but for those that it drops:
 * the first resource that declares the same adopts them, unless the set's update deletes them before. A policy with an unknown
 * value continues under its key; one that is new is neither missing nor there.
 */
export function planFor(
  ownership: Ownership,
  urn: string,
  state: State,
  { policies, release }: Properties,
): SetPlan {
  const records = recordsOf(state);
  const mine = records.filter(({ policyId }) => ownership.claim(policyId, urn));
  const own = new Map(mine.map((record) => [record.key, record]));
  const lost = records.filter(({ key }) => !own.has(key));
  const kept: Kept[] = [];
  const created: { readonly key: string; readonly entry: RecordedEntry }[] = [];
  // Nothing is known of any: those in the state may continue, and there may be any others.
  const isDark = isUnknown(policies);
  const partlyUnknown = isDark ? ["policies"] : [];
  const declared = isDark
    ? [...own.keys()].map((key) => [key, policies] as const)
    : Object.entries(Object(policies));
  const keep = (key: string, entry: RecordedEntry | undefined, record: PolicyRecord) => {
    own.delete(record.key);
    const before = entryOf(record.key, record.entry);
    const isChanged = !entry || changedPolicyFields(before, entryOf(key, entry)).length > 0;
    kept.push({ key, wanted: bodyAt(key, entry ?? record.entry), record, isChanged });
  };
  for (const [key, came] of declared) {
    const record = own.get(key);
    const entry = containsUnknown(came) ? undefined : entrySchema.safeParse(came).data;
    if (record) keep(key, entry, record);
    else if (entry) created.push({ key, entry });
    else partlyUnknown.push(pathOf(key));
  }
  // A new key that says what a dropped one said is that one under another name, unless it is released for another resource.
  // An equal one, else one that differs by a description that is the key.
  const textsOf = ({ key, entry }: Pick<PolicyRecord, "key" | "entry">) =>
    (entry.description === undefined ? [key, ""] : [key]).map((name) => policyText(bodyAt(name, entry)));
  const left = [...own.values()].filter(({ key }) => !isReleased(release, key));
  const byText = grouped(
    left.flatMap((record) => textsOf(record).map((text) => ({ text, record }))),
    ({ text }) => text,
  );
  const missing = created.filter((one) => {
    const alike = left.length > 0 ? textsOf(one).flatMap((text) => byText.get(text) ?? []) : [];
    const found = alike.find(({ record }) => own.has(record.key));
    if (found) keep(one.key, one.entry, found.record);
    return !found;
  });
  for (const { policyId } of own.values()) ownership.giveUp(policyId, urn);
  return {
    kept,
    missing: missing.map(({ key, entry }) => ({ key, wanted: bodyAt(key, entry) })),
    dropped: [...own.values()],
    lost,
    partlyUnknown,
  };
}

/** Whether a key that leaves the set stays in the zone. */
export function isReleased(release: unknown, key: string): boolean {
  return Array.isArray(release) && release.includes(key);
}
