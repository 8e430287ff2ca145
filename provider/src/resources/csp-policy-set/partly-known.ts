import type { Policy } from "../../api/client-types";
import { equalPolicies } from "../../csp/syntax/equal";
import type { Properties } from "../../lifecycle/kind";
import { containsUnknown, isUnknown } from "../../lifecycle/unknown";
import { declaredText } from "../../policies/declared-policy";
import { sameDescription, sameExpression } from "../../policies/equal-policy";
import type { PolicyClaims } from "../../policies/policy-claims";
import { atKey } from "./by-key";
import { entryOf, unknownEntry } from "./entries";
import { type Kept, planOf, recordedPolicy, type SetPlan } from "./plan";
import { type Entry, entrySchema, type State } from "./state";

/** A declared policy that is not in the state, and of which not everything is known before the update. */
export interface Unclear {
  readonly key: string;
  readonly entry: Properties;
}

/** The plan of a preview, which may know a part of what is declared. */
export interface PartialPlan extends SetPlan {
  readonly unclear: readonly Unclear[];
  /** What is declared, as far as all of it is known. */
  readonly declared: Readonly<Record<string, Entry>>;
}

/**
 * As `planOf`, as far as it is known: a policy with an unknown value continues under its key; one that is new is neither
 * missing nor there.
 */
export function planFor(
  claims: PolicyClaims,
  urn: string,
  { policies = {}, policyIds = {} }: State,
  declared: Properties,
): PartialPlan {
  const isLost = (policyId: string): boolean => claims.takenFrom(policyId, urn) !== undefined;
  const all = declared["policies"];
  // Nothing is known of any: those in the state may continue, and there may be any others.
  const entries = isUnknown(all) ? Object.keys(policies).map((key) => [key, all] as const) : entriesIn(all);
  const unclear: Unclear[] = isUnknown(all) ? [{ key: "", entry: unknownEntry(all) }] : [];
  const known: [string, Entry][] = [];
  const kept: Kept[] = [];
  const left = { ...policyIds };
  for (const [key, entry] of entries) {
    const whole = entrySchema.safeParse(entry);
    if (whole.success && !containsUnknown(entry)) {
      known.push([key, whole.data]);
      continue;
    }
    const policyId = atKey(policyIds, key);
    delete left[key];
    if (policyId === undefined || isLost(policyId)) unclear.push({ key, entry: entryOf(key, entry) });
    else {
      const wanted = recordedPolicy(key, atKey(policies, key), key);
      kept.push({ key, policyId, wanted, recordedKey: key, isChanged: true });
    }
  }
  const whole = Object.fromEntries(known);
  const plan = planOf({ policies, policyIds: left }, whole, isLost);
  return { ...plan, kept: [...plan.kept, ...kept], unclear, declared: whole };
}

function entriesIn(policies: unknown): [string, unknown][] {
  return Object.entries(Object(policies ?? {}));
}

/** Whether the policy may turn out to be the declared one. */
export function mayBe({ entry }: Unclear, policy: Policy): boolean {
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
