import type { Declared } from "./declared";
import { fieldDigests, type LockedObject, type LockedZone } from "./lock";

/** What differs between a zone and what the last export has found in it. */
export interface Change {
  readonly what: "new" | "changed" | "gone";
  readonly kind: Declared["kind"];
  /** As in the lock. */
  readonly key: string;
  /** In the program; of a new one, the description. */
  readonly name: string;
  /** Arguments that differ. */
  readonly fields: readonly string[];
  readonly file?: string | undefined;
}

/** In the order: new, changed, gone. */
export function changesOf(objects: readonly Declared[], before: LockedZone | undefined): readonly Change[] {
  const locked = new Map(Object.entries(before?.objects ?? {}));
  const live = new Set(objects.map(({ key }) => key));
  const changed = objects.flatMap((object): Change[] => {
    const known = locked.get(object.key);
    if (!known) return [];
    const fields = differing(object, known);
    const { kind, key } = object;
    return fields.length === 0
      ? []
      : [{ what: "changed", kind, key, name: known.name, fields, file: known.file }];
  });
  return [
    ...objects
      .filter(({ key }) => !locked.has(key))
      .map(
        ({ kind, key, args }): Change => ({
          what: "new",
          kind,
          key,
          name: String(args["description"] ?? key),
          fields: [],
        }),
      ),
    ...changed,
    ...[...locked]
      .filter(([key]) => !live.has(key))
      .map(
        ([key, { name, file }]): Change => ({ what: "gone", kind: kindOf(key), key, name, fields: [], file }),
      ),
  ];
}

function differing({ args }: Declared, { fields: before }: LockedObject): string[] {
  const now = fieldDigests(args);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((field) => before[field] !== now[field])
    .sort();
}

function kindOf(key: string): Declared["kind"] {
  if (key === "settings") return "PageGuardSettings";
  return key === "entrypoint" ? "ManagedWafEntrypoint" : "CspPolicy";
}
