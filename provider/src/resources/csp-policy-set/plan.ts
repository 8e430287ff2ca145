import type { Policy, PolicyBody } from "../../api/client-types";
import { isSameField } from "../../model/compare";
import { bodyOf, type DeclaredPolicy, declaredText } from "../../model/policies/declared-policy";
import { changedPolicyFields, policyFields } from "../../model/policies/equal-policy";
import { policyText } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { containsUnknown, isUnknown } from "../../model/unknown";
import type { Missing } from "../../policies/new-policies";
import type { Ownership } from "../../policies/ownership";
import { grouped } from "../../text/data";
import { entryOf, type PolicyRecord, recordsOf, unknownEntry } from "./entries";
import { type Entry, entrySchema, type RecordedEntry, type State } from "./state";

/** A declared policy that the set already has in its state. */
export interface Kept {
  readonly key: string;
  readonly wanted: PolicyBody;
  /** Under another key when it was only renamed. */
  readonly record: PolicyRecord;
  readonly isChanged: boolean;
}

/** A declared policy that is not in the state, and of which not everything is known before the update. */
interface PartlyUnknown {
  readonly key: string;
  readonly entry: Properties;
}

/** What an update has to do. Keys come in the order of the program, dropped ones in that of the state. */
export interface SetPlan {
  readonly kept: readonly Kept[];
  readonly missing: readonly (Missing & { readonly key: string })[];
  readonly dropped: readonly PolicyRecord[];
  /** In the state, but another resource of this run has them, or this run has deleted them. */
  readonly lost: readonly PolicyRecord[];
  /** In a preview, which may know a part of what is declared. */
  readonly partlyUnknownPolicies: readonly PartlyUnknown[];
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
  const own = new Map<string, PolicyRecord>();
  const lost: PolicyRecord[] = [];
  for (const [key, record] of recordsOf(state)) {
    if (ownership.claim(record.policyId, urn)) own.set(key, record);
    else lost.push(record);
  }
  const kept: Kept[] = [];
  const missing: { key: string; wanted: PolicyBody; isNamed: boolean }[] = [];
  const partlyUnknownPolicies: PartlyUnknown[] = [];
  // Nothing is known of any: those in the state may continue, and there may be any others.
  if (isUnknown(policies)) partlyUnknownPolicies.push({ key: "", entry: unknownEntry(policies) });
  const declared: [string, unknown][] = isUnknown(policies)
    ? [...own.keys()].map((key) => [key, policies])
    : Object.entries(Object(policies ?? {}));
  for (const [key, came] of declared) {
    const record = own.get(key);
    own.delete(key);
    const entry = containsUnknown(came) ? undefined : entrySchema.safeParse(came).data;
    const policy = entry && policyOf(key, entry);
    if (record) {
      const isChanged = !policy || changedPolicyFields(entryOf(key, record.entry), { ...policy }).length > 0;
      kept.push({ key, wanted: policy ? bodyOf(policy) : bodyIn(record.entry, key), record, isChanged });
    } else if (policy)
      missing.push({ key, wanted: bodyOf(policy), isNamed: entry?.description !== undefined });
    else partlyUnknownPolicies.push({ key, entry: entryOf(key, came) });
  }
  // A new key that says what a dropped one said is that one under another name, unless it is released for another resource.
  const left = [...own.values()].filter(({ key }) => !isReleased(release, key));
  const renamed = renamedKeys(left, missing);
  for (const { key, wanted } of missing) {
    const found = renamed.get(key);
    if (found) kept.push({ key, wanted, ...found });
  }
  const continued = new Set([...renamed.values()].map(({ record }) => record));
  const dropped = [...own.values()].filter((record) => !continued.has(record));
  for (const { policyId } of dropped) ownership.giveUp(policyId, urn);
  return {
    kept,
    missing: missing.filter(({ key }) => !renamed.has(key)),
    dropped,
    lost,
    partlyUnknownPolicies,
  };
}

/** The dropped policy that each new key continues, each one only: an equal one, else one that differs by a description that is the key. */
function renamedKeys(
  left: readonly PolicyRecord[],
  missing: readonly { readonly key: string; readonly wanted: PolicyBody; readonly isNamed: boolean }[],
): Map<string, Pick<Kept, "record" | "isChanged">> {
  const renamed = new Map<string, Pick<Kept, "record" | "isChanged">>();
  if (left.length === 0) return renamed;
  const equal = grouped(left, ({ key, entry }) => policyText(bodyIn(entry, key)));
  const unnamed = left.filter(({ entry }) => entry.description === undefined);
  const similar = grouped(unnamed, ({ entry }) => policyText(bodyIn(entry, "")));
  const taken = new Set<PolicyRecord>();
  const take = (key: string, records: readonly PolicyRecord[] = [], isChanged: boolean): void => {
    const record = records.find((one) => !taken.has(one));
    if (!record) return;
    taken.add(record);
    renamed.set(key, { record, isChanged });
  };
  for (const { key, wanted } of missing) take(key, equal.get(policyText(wanted)), false);
  for (const { key, wanted, isNamed } of missing)
    if (!isNamed && !renamed.has(key))
      take(key, similar.get(policyText({ ...wanted, description: "" })), true);
  return renamed;
}

/** Whether a key that leaves the set stays in the zone. */
export function isReleased(release: unknown, key: string): boolean {
  return Array.isArray(release) && release.includes(key);
}

function policyOf(key: string, { policyId: _, ...entry }: Entry): DeclaredPolicy {
  return { ...entry, description: entry.description ?? key };
}

/** What the state says of a policy; `key`: where that is its description. */
function bodyIn(
  { action = "", expression = "", description, ...entry }: RecordedEntry,
  key: string,
): PolicyBody {
  return bodyOf({ ...entry, action, expression, description: description ?? key });
}

/** Whether the policy may turn out to be the declared one. */
export function mayBe({ entry }: PartlyUnknown, policy: Policy): boolean {
  const known: Properties = { ...entry, enabled: entry["enabled"] ?? true, value: declaredText(entry) };
  return policyFields.every(
    (name) =>
      known[name] === undefined ||
      containsUnknown(known[name]) ||
      isSameField("policy", name, known[name], policy[name]),
  );
}
