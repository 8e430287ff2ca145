import type { PolicyBody } from "../../api/client-types";
import { changedPolicyFields } from "../../model/policies/declared-policy";
import { policyText } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { containsUnknown, isUnknown } from "../../model/unknown";
import { pathOf } from "../../policies/at-key";
import type { Ownership } from "../../policies/ownership";
import { grouped } from "../../text/data";
import { bodyAt, entryOf, type PolicyRecord, recordsOf } from "./entries";
import { entrySchema, type RecordedEntry, type State } from "./state";

/** A declared policy that the set already has in its state. */
export interface Kept {
  readonly key: string;
  readonly wanted: PolicyBody;
  /** Under another key when it was only renamed. */
  readonly record: PolicyRecord;
  readonly isChanged: boolean;
}

/** What an update has to do. */
export interface SetPlan {
  readonly kept: readonly Kept[];
  readonly missing: readonly { readonly key: string; readonly wanted: PolicyBody }[];
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
  const own = new Map<string, PolicyRecord>();
  for (const record of records) if (ownership.claim(record.policyId, urn)) own.set(record.key, record);
  const lost = records.filter(({ key }) => !own.has(key));
  const kept: Kept[] = [];
  const created: { readonly key: string; readonly entry: RecordedEntry }[] = [];
  const partlyUnknown: string[] = [];
  // Nothing is known of any: those in the state may continue, and there may be any others.
  if (isUnknown(policies)) partlyUnknown.push("policies");
  const declared: [string, unknown][] = isUnknown(policies)
    ? [...own.keys()].map((key) => [key, policies])
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
