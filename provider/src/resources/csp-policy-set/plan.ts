import type { Policy, PolicyBody } from "../../api/client-types";
import { bodyOf } from "../csp-policy/declared-policy";
import { changedFields } from "../csp-policy/equal-policy";
import { PolicyList } from "../csp-policy/policy-list";
import { atKey } from "./by-key";
import { policyOf, recordedOf } from "./entries";
import type { Entry, RecordedEntry } from "./state";

export interface Recorded {
  readonly policies: Readonly<Record<string, RecordedEntry>>;
  readonly policyIds: Readonly<Record<string, string>>;
}

/** A declared policy that the set has on record already. */
export interface Kept {
  readonly key: string;
  readonly policyId: string;
  readonly wanted: PolicyBody;
  /** The key that it has on record: another one when it was only renamed. */
  readonly recordedKey: string;
  readonly isChanged: boolean;
}

/** What an update has to do, by key. Keys come in the order of the program, dropped ones in that of the record. */
export interface Plan {
  readonly kept: readonly Kept[];
  readonly missing: readonly { readonly key: string; readonly wanted: PolicyBody }[];
  readonly dropped: readonly { readonly key: string; readonly policyId: string }[];
}

/**
 * What is declared against what is on record. A key that is new and says what a dropped key said is that one under
 * another name. `isLost` tells of ids that belong to another resource by now.
 */
export function planOf(
  { policies, policyIds }: Recorded,
  declared: Readonly<Record<string, Entry>>,
  isLost: (policyId: string) => boolean,
): Plan {
  const owned = new Map(Object.entries(policyIds).filter(([, policyId]) => !isLost(policyId)));
  const kept = new Map<string, Kept>();
  const fresh: Fresh[] = [];
  for (const [key, entry] of Object.entries(declared)) {
    const wanted = bodyOf(policyOf(key, entry));
    const policyId = owned.get(key);
    if (policyId === undefined) {
      fresh.push({ key, wanted, entry });
      continue;
    }
    owned.delete(key);
    const before = atKey(policies, key);
    const isChanged =
      !before || changedFields(recordedOf(key, before), { ...policyOf(key, entry) }).length > 0;
    kept.set(key, { key, policyId, wanted, recordedKey: key, isChanged });
  }
  const renamed = renames([...owned.keys()], policies, fresh);
  for (const [key, { from, wanted, isChanged }] of renamed) {
    const policyId = owned.get(from);
    if (policyId === undefined) continue;
    owned.delete(from);
    kept.set(key, { key, policyId, wanted, recordedKey: from, isChanged });
  }
  return {
    kept: [...kept.values()],
    missing: fresh.filter(({ key }) => !kept.has(key)).map(({ key, wanted }) => ({ key, wanted })),
    dropped: [...owned].map(([key, policyId]) => ({ key, policyId })),
  };
}

interface Fresh {
  readonly key: string;
  readonly wanted: PolicyBody;
  readonly entry: Entry;
}

interface Renamed {
  readonly from: string;
  readonly wanted: PolicyBody;
  readonly isChanged: boolean;
}

/** New keys to the dropped ones that they continue: the same policy, or the same but for a description that is the key. */
function renames(dropped: readonly string[], policies: Recorded["policies"], fresh: readonly Fresh[]) {
  const found = new Map<string, Renamed>();
  if (dropped.length === 0) return found;
  const left = new Set(dropped);
  const match = (named: (key: string) => string, candidates: readonly Fresh[], isChanged: boolean) => {
    const known = dropped.filter((key) => left.has(key));
    const list = new PolicyList(known.map((key) => recordedPolicy(key, atKey(policies, key), named(key))));
    for (const { key, wanted } of candidates.filter((one) => !found.has(one.key))) {
      const description = isChanged ? "" : wanted.description;
      const from = list
        .equalTo({ ...wanted, description })
        .find(({ policyId }) => left.has(policyId))?.policyId;
      if (from === undefined) continue;
      left.delete(from);
      found.set(key, { from, wanted, isChanged });
    }
  };
  match((key) => atKey(policies, key)?.description ?? key, fresh, false);
  for (const key of left) if (atKey(policies, key)?.description !== undefined) left.delete(key);
  const unnamed = fresh.filter(({ entry }) => entry.description === undefined);
  match(() => "", unnamed, true);
  return found;
}

/** For the list's index, in which the key stands for the id. */
export function recordedPolicy(key: string, entry: RecordedEntry | undefined, description: string): Policy {
  const { action = "", expression = "", enabled, value, directives } = entry ?? {};
  return {
    ...bodyOf({ description, action, expression, enabled, value, directives }),
    policyId: key,
  };
}
