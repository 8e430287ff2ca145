import { equalPolicies } from "page-guard-csp";
import type { Policy, PolicyBody } from "../../api/client-types";
import { bodyOf, declaredText } from "../../model/policies/declared-policy";
import { changedPolicyFields, sameDescription, sameExpression } from "../../model/policies/equal-policy";
import { PolicyList } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { containsUnknown, isUnknown } from "../../model/unknown";
import type { Ownership } from "../../policies/ownership";
import { entryOf, type PolicyRecord, policyOf, recordsOf, unknownEntry } from "./entries";
import { type Entry, entrySchema, type RecordedEntry, type State } from "./state";

/** A declared policy that the set already has in its state. */
export interface Kept {
  readonly key: string;
  readonly wanted: PolicyBody;
  /** Under another key when it was only renamed. */
  readonly record: PolicyRecord;
  readonly isChanged: boolean;
}

interface Missing {
  readonly key: string;
  readonly wanted: PolicyBody;
  readonly entry: Entry;
}

/** A declared policy that is not in the state, and of which not everything is known before the update. */
export interface PartlyUnknown {
  readonly key: string;
  readonly entry: Properties;
}

/** What an update has to do. Keys come in the order of the program, dropped ones in that of the state. */
export interface SetPlan {
  readonly kept: readonly Kept[];
  readonly missing: readonly Missing[];
  readonly dropped: readonly PolicyRecord[];
  /** In the state, but another resource of this run has them, or this run has deleted them. */
  readonly lost: readonly PolicyRecord[];
  /** In a preview, which may know a part of what is declared. */
  readonly partlyUnknownPolicies: readonly PartlyUnknown[];
}

/**
 * What is declared against the state. The set's policies are its own in this run from now on, but for those that it drops:
 * the first resource that declares the same adopts them, unless the set's update deletes them before. A key that is new and
 * says just what a dropped key said is that one under another name. A policy with an unknown value continues under its key;
 * one that is new is neither missing nor there.
 */
export function planFor(ownership: Ownership, urn: string, state: State, declared: Properties): SetPlan {
  const own = new Map<string, PolicyRecord>();
  const lost: PolicyRecord[] = [];
  for (const [key, record] of recordsOf(state)) {
    if (ownership.claim(record.policyId, urn)) own.set(key, record);
    else lost.push(record);
  }
  const plan = { ...compared(own, declared), lost };
  for (const { policyId } of plan.dropped) ownership.giveUp(policyId, urn);
  return plan;
}

function compared(left: Map<string, PolicyRecord>, { policies, release }: Properties): Omit<SetPlan, "lost"> {
  // Nothing is known of any: those in the state may continue, and there may be any others.
  const declared: [string, unknown][] = isUnknown(policies)
    ? [...left.keys()].map((key) => [key, policies])
    : Object.entries(Object(policies ?? {}));
  const [kept, late]: [Kept[], Kept[]] = [[], []];
  const missing: Missing[] = [];
  const partlyUnknownPolicies: PartlyUnknown[] = isUnknown(policies)
    ? [{ key: "", entry: unknownEntry(policies) }]
    : [];
  for (const [key, came] of declared) {
    const record = left.get(key);
    left.delete(key);
    const entry = containsUnknown(came) ? undefined : entrySchema.safeParse(came).data;
    const policy = entry && policyOf(key, entry);
    if (policy && record) {
      const isChanged = changedPolicyFields(entryOf(key, record.entry), { ...policy }).length > 0;
      kept.push({ key, wanted: bodyOf(policy), record, isChanged });
    } else if (policy) missing.push({ key, wanted: bodyOf(policy), entry });
    else if (record) late.push({ key, wanted: bodyIn(record, key), record, isChanged: true });
    else partlyUnknownPolicies.push({ key, entry: entryOf(key, came) });
  }
  const plan = { kept, missing, dropped: [...left.values()], partlyUnknownPolicies };
  const renamed = continuing(plan, release, ({ entry, key }) => entry.description ?? key, false);
  // The last resort is a guess: what differs by no more than a description that is the key is the same under another key.
  const named = ({ entry }: Named) => (entry.description === undefined ? "" : undefined);
  const guessed = continuing(renamed, release, named, true);
  return { ...guessed, kept: [...guessed.kept, ...late] };
}

/** Whether a key that leaves the set stays in the zone. */
export function isReleased(release: unknown, key: string): boolean {
  return Array.isArray(release) && release.includes(key);
}

interface Named {
  readonly entry: RecordedEntry;
  readonly key: string;
}

/**
 * The plan in which new keys continue dropped ones that say the same under the description that `named` gives, each one
 * only. One that is released stays as it is, for another resource.
 */
function continuing<Plan extends Omit<SetPlan, "lost">>(
  plan: Plan,
  release: unknown,
  named: (one: Named) => string | undefined,
  isChanged: boolean,
): Plan {
  const left = new Map(
    plan.dropped.flatMap((record) =>
      named(record) === undefined || isReleased(release, record.key) ? [] : [[record.key, record]],
    ),
  );
  if (left.size === 0) return plan;
  const list = new PolicyList(
    [...left.values()].map((record) => ({ ...bodyIn(record, named(record) ?? ""), policyId: record.key })),
  );
  const found = new Map<string, PolicyRecord>();
  for (const one of plan.missing) {
    const description = named(one);
    if (description === undefined) continue;
    const from = list.equalTo({ ...one.wanted, description }).find(({ policyId }) => left.has(policyId));
    const record = from && left.get(from.policyId);
    if (!record) continue;
    left.delete(record.key);
    found.set(one.key, record);
  }
  const continued = new Set(found.values());
  const kept = plan.missing.flatMap(({ key, wanted }) => {
    const record = found.get(key);
    return record ? [{ key, wanted, record, isChanged }] : [];
  });
  return {
    ...plan,
    kept: [...plan.kept, ...kept],
    missing: plan.missing.filter(({ key }) => !found.has(key)),
    dropped: plan.dropped.filter((record) => !continued.has(record)),
  };
}

/** What the state says of it, under a description. */
export function bodyIn({ entry }: PolicyRecord, description: string): PolicyBody {
  const { action = "", expression = "", enabled, value, directives } = entry;
  return bodyOf({ description, action, expression, enabled, value, directives });
}

/** Whether the policy may turn out to be the declared one. */
export function mayBe({ entry }: PartlyUnknown, policy: Policy): boolean {
  const { description, action, expression, enabled } = entry;
  const fits = (declared: unknown, same: (known: string) => boolean): boolean =>
    declared === undefined || containsUnknown(declared) || same(String(declared));
  return (
    fits(description, (known) => sameDescription(known, policy.description)) &&
    fits(action, (known) => known === policy.action) &&
    fits(enabled ?? true, (known) => known === String(policy.enabled)) &&
    fits(expression, (known) => sameExpression(known, policy.expression)) &&
    fits(declaredText(entry), (known) => equalPolicies(known, policy.value))
  );
}
