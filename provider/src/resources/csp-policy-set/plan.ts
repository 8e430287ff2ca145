import type { Policy, PolicyBody } from "../../api/client-types";
import { bodyOf } from "../../policies/declared-policy";
import { changedFields } from "../../policies/equal-policy";
import { PolicyList } from "../../policies/policy-list";
import { atKey } from "./by-key";
import { policyOf, recordedOf } from "./entries";
import type { Entry, RecordedEntry } from "./state";

export interface Recorded {
  readonly policies: Readonly<Record<string, RecordedEntry>>;
  readonly policyIds: Readonly<Record<string, string>>;
}

/** A declared policy that the set already has in its state. */
export interface Kept {
  readonly key: string;
  readonly policyId: string;
  readonly wanted: PolicyBody;
  /** The key that it has in the state: another one when it was only renamed. */
  readonly recordedKey: string;
  readonly isChanged: boolean;
}

interface Missing {
  readonly key: string;
  readonly wanted: PolicyBody;
}

interface Dropped {
  readonly key: string;
  readonly policyId: string;
}

/** What an update has to do, by key. Keys come in the order of the program, dropped ones in that of the record. */
export interface SetPlan {
  readonly kept: readonly Kept[];
  readonly missing: readonly Missing[];
  readonly dropped: readonly Dropped[];
}

/**
 * What is declared against the state. A key that is new and says just what a dropped key said is that one under
 * another name. `isLost`: the id belongs to another resource by now.
 */
export function planOf(
  { policies, policyIds }: Recorded,
  declared: Readonly<Record<string, Entry>>,
  isLost: (policyId: string) => boolean,
): SetPlan {
  const owned = new Map(Object.entries(policyIds).filter(([, policyId]) => !isLost(policyId)));
  const kept: Kept[] = [];
  const missing: Missing[] = [];
  for (const [key, entry] of Object.entries(declared)) {
    const wanted = bodyOf(policyOf(key, entry));
    const policyId = owned.get(key);
    if (policyId === undefined) {
      missing.push({ key, wanted });
      continue;
    }
    owned.delete(key);
    const before = atKey(policies, key);
    const isChanged =
      !before || changedFields(recordedOf(key, before), { ...policyOf(key, entry) }).length > 0;
    kept.push({ key, policyId, wanted, recordedKey: key, isChanged });
  }
  const dropped = [...owned].map(([key, policyId]) => ({ key, policyId }));
  const named = (key: string) => atKey(policies, key)?.description ?? key;
  const renamed = pairs(policies, dropped, named, missing);
  return withPairs({ kept, missing, dropped }, renamed, false);
}

/** What only the zone and the rest of the program can tell of a plan. */
export interface Surroundings {
  /** Whether the zone has a policy that the set could adopt instead. */
  isThere(wanted: PolicyBody): boolean;
  /** Whether another resource declares what the set drops. */
  isWanted(policyId: string): boolean;
}

/**
 * The plan in which a new key also continues a dropped one that differs by no more than a description that is the key.
 * That is a guess, so it is the last resort: a policy that is already there, or that moves to another resource, is no rename.
 */
export function withRenames(
  plan: SetPlan,
  policies: Recorded["policies"],
  declared: Readonly<Record<string, Entry>>,
  { isThere, isWanted }: Surroundings,
): SetPlan {
  const dropped = plan.dropped.filter(
    ({ key, policyId }) => atKey(policies, key)?.description === undefined && !isWanted(policyId),
  );
  const missing = plan.missing
    .filter(({ key, wanted }) => atKey(declared, key)?.description === undefined && !isThere(wanted))
    .map(({ key, wanted }) => ({ key, wanted: { ...wanted, description: "" } }));
  return withPairs(
    plan,
    pairs(policies, dropped, () => "", missing),
    true,
  );
}

/** New keys to the dropped ones that say the same, where these are `named` so; each is one only. */
function pairs(
  policies: Recorded["policies"],
  dropped: readonly Dropped[],
  named: (key: string) => string,
  missing: readonly Missing[],
): Map<string, Dropped> {
  const found = new Map<string, Dropped>();
  if (dropped.length === 0) return found;
  const left = new Map(dropped.map((one) => [one.key, one]));
  const list = new PolicyList(
    dropped.map(({ key }) => recordedPolicy(key, atKey(policies, key), named(key))),
  );
  for (const { key, wanted } of missing) {
    const from = list.equalTo(wanted).find(({ policyId }) => left.has(policyId));
    const old = from && left.get(from.policyId);
    if (!old) continue;
    left.delete(old.key);
    found.set(key, old);
  }
  return found;
}

function withPairs(plan: SetPlan, found: ReadonlyMap<string, Dropped>, isChanged: boolean): SetPlan {
  const continued = new Set([...found.values()].map(({ key }) => key));
  const kept = plan.missing.flatMap(({ key, wanted }) => {
    const old = found.get(key);
    return old ? [{ key, policyId: old.policyId, wanted, recordedKey: old.key, isChanged }] : [];
  });
  return {
    kept: [...plan.kept, ...kept],
    missing: plan.missing.filter(({ key }) => !found.has(key)),
    dropped: plan.dropped.filter(({ key }) => !continued.has(key)),
  };
}

/** For the list's index, in which the key is the id. */
export function recordedPolicy(key: string, entry: RecordedEntry | undefined, description: string): Policy {
  const { action = "", expression = "", enabled, value, directives } = entry ?? {};
  return {
    ...bodyOf({ description, action, expression, enabled, value, directives }),
    policyId: key,
  };
}
