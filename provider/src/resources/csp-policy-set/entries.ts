import type { Properties } from "../../lifecycle/kind";
import { isUnknown } from "../../lifecycle/unknown";
import type { DeclaredPolicy } from "../../policies/declared-policy";
import { changedPolicyFields, policyInRecordedWords } from "../../policies/equal-policy";
import type { Entry } from "./state";

export function policyOf(key: string, { description, policyId: _, ...entry }: Entry): DeclaredPolicy {
  return { description: description ?? key, ...entry };
}

/** Entries of `policies` by key, whatever came; undefined where it is not known. */
export function entriesOf({ policies }: Properties): Map<string, Properties> | undefined {
  if (isUnknown(policies)) return undefined;
  if (typeof policies !== "object" || policies === null) return new Map();
  return new Map(
    Object.entries(policies).map(([key, entry]): [string, Properties] => [key, entryOf(key, entry)]),
  );
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

/**
 * What is declared, in the words of the record wherever they mean the same: so a preview shows just the keys and
 * fields that differ. Without what the service has made.
 */
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
  const isSame = (was ?? true) === (enabled ?? true);
  const said = isSame ? was : enabled;
  return said === undefined ? words : { ...words, enabled: said };
}

export function entryOf(key: string, entry: unknown): Properties {
  if (isUnknown(entry)) return unknownEntry(entry);
  const { policyId: _, ...rest } = Object(entry) as Properties;
  return { ...rest, description: rest["description"] ?? key };
}

export function unknownEntry(entry: unknown): Properties {
  return { description: entry, action: entry, expression: entry, enabled: entry, value: entry };
}
