import { paired } from "../../zone/compare";
import type { Declared } from "./declared";
import { fieldDigests, type LockedZone } from "./lock";
import { kindOf, type Standing, type Standings } from "./standing";

/** One difference between a zone and the files. */
export interface ExportChange {
  /** `undeclared`: it was declared in a file before, and is in none now. */
  readonly what: "new" | "changed" | "gone" | "undeclared";
  readonly kind: Declared["kind"];
  /** As in the lock. */
  readonly key: string;
  /** In the program; for a new object its description. */
  readonly name: string;
  readonly fields: readonly string[];
  /** Labels of rules of an entry point that no file declares. */
  readonly missingRules?: readonly string[];
  readonly file?: string | undefined;
  /** Place in the program that cannot be read without running it. */
  readonly unread?: string;
}

export function changesOf(
  objects: readonly Declared[],
  standings: Standings,
  locked: LockedZone | undefined,
): readonly ExportChange[] {
  const nameOf = (key: string): string | undefined => locked?.objects[key]?.name ?? standings.get(key)?.name;
  const where = ({ file, unread }: Standing) => ({ file, ...(unread !== undefined && { unread }) });
  const pairs = paired(
    objects,
    ({ key }) => key,
    [...standings],
    ([key]) => key,
  );
  const changes = pairs.flatMap(({ left: object, right: entry }): ExportChange | [] => {
    if (!object) {
      const [key, standing] = entry;
      const name = nameOf(key) ?? key;
      return { what: "gone", kind: kindOf(key), key, name, fields: [], ...where(standing) };
    }
    const { kind, key, args } = object;
    if (!entry) {
      const before = locked?.objects[key];
      return before
        ? { what: "undeclared", kind, key, name: before.name, fields: [], file: before.file }
        : { what: "new", kind, key, name: String(args["description"] ?? key), fields: [] };
    }
    const [, standing] = entry;
    const { missing = [] } = standing.rules ?? {};
    const fields = differing(object, standing);
    const more = { ...(missing.length > 0 && { missingRules: missing }), ...where(standing) };
    return fields.length === 0
      ? []
      : { what: "changed", kind, key, name: nameOf(key) ?? key, fields, ...more };
  });
  return changes.sort((left, right) => ranks[left.what] - ranks[right.what]);
}

const ranks: Readonly<Record<ExportChange["what"], number>> = { new: 0, undeclared: 0, changed: 1, gone: 2 };

function differing({ args }: Declared, { fields: before }: Standing): string[] {
  const now = fieldDigests(args);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((field) => before[field] !== now[field])
    .sort();
}
