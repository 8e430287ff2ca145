import type { Declared } from "./declared";
import { fieldDigests, type LockedZone } from "./lock";
import { kindOf, type Standing, type Standings } from "./standing";

/** What differs between a zone and what the files declare of it. */
export interface Change {
  /** `undeclared`: a file declared it once, and no file does so now. */
  readonly what: "new" | "changed" | "gone" | "undeclared";
  readonly kind: Declared["kind"];
  /** As in the lock. */
  readonly key: string;
  /** In the program; of a new one, the description. */
  readonly name: string;
  /** Arguments that differ. */
  readonly fields: readonly string[];
  /** Of an entry point: labels of rules that the zone has and the file does not declare. */
  readonly missingRules?: readonly string[];
  readonly file?: string | undefined;
  /** Where only running the program would tell what is declared. */
  readonly unread?: string;
}

/** In the order: new, changed, gone. */
export function changesOf(
  objects: readonly Declared[],
  standings: Standings,
  locked: LockedZone | undefined,
): readonly Change[] {
  const live = new Set(objects.map(({ key }) => key));
  const nameOf = (key: string): string | undefined => locked?.objects[key]?.name ?? standings.get(key)?.name;
  const where = ({ file, unread }: Standing) => ({ file, ...(unread !== undefined && { unread }) });
  const missing = objects.filter(({ key }) => !standings.has(key));
  return [
    ...missing.map(({ kind, key, args }): Change => {
      const before = locked?.objects[key];
      return before
        ? { what: "undeclared", kind, key, name: before.name, fields: [], file: before.file }
        : { what: "new", kind, key, name: String(args["description"] ?? key), fields: [] };
    }),
    ...objects.flatMap((object): Change[] => {
      const standing = standings.get(object.key);
      const fields = standing ? differing(object, standing) : [];
      if (!standing || fields.length === 0) return [];
      const { kind, key } = object;
      const missingRules = standing.rules?.missing ?? [];
      return [
        {
          what: "changed",
          kind,
          key,
          name: nameOf(key) ?? key,
          fields,
          ...(missingRules.length > 0 && { missingRules }),
          ...where(standing),
        },
      ];
    }),
    ...[...standings]
      .filter(([key]) => !live.has(key))
      .map(
        ([key, standing]): Change => ({
          what: "gone",
          kind: kindOf(key),
          key,
          name: nameOf(key) ?? key,
          fields: [],
          ...where(standing),
        }),
      ),
  ];
}

function differing({ args }: Declared, { fields: before }: Standing): string[] {
  const now = fieldDigests(args);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((field) => before[field] !== now[field])
    .sort();
}
