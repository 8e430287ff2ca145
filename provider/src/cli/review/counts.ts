import { counted, plural } from "../../text/plural";
import type { PreviewRead } from "./preview-read";
import type { Fate, ObjectChange } from "./zone-objects";

const nouns: Readonly<Record<ObjectChange["kind"], (count: number) => string>> = {
  policy: (count) => plural(count, "policy", "policies"),
  rule: (count) => plural(count, "WAF rule"),
  settings: (count) => `the settings of ${plural(count, "zone")}`,
};

const kinds = ["policy", "rule", "settings"] as const;

/** In the order of the sentence. */
const words: readonly (readonly [fate: Fate, todo: string, done: string])[] = [
  ["create", "to create", "created"],
  ["update", "to change", "changed"],
  ["move", "to move to another resource unchanged", "moved"],
  ["leave", "to leave in the zone, unmanaged", "left unmanaged"],
  ["delete", "to delete", "deleted"],
  ["restore", "to restore as found", "restored as found"],
];

/** What happens to objects of zones: `2 policies and 1 WAF rule to create, 1 policy to delete`. */
export function objectCounts(changes: readonly ObjectChange[], tense: "todo" | "done"): string {
  const texts = words.flatMap(([fate, todo, done]) => {
    const objects = kinds.flatMap((kind) => {
      const count = changes.filter((change) => change.fate === fate && change.kind === kind).length;
      return count === 0 ? [] : [nouns[kind](count)];
    });
    return objects.length === 0 ? [] : [`${objects.join(" and ")} ${tense === "todo" ? todo : done}`];
  });
  return texts.join(", ");
}

/** As Pulumi counts: resources, of this package and of others. */
export function resourceCounts({ steps }: PreviewRead): string {
  const count = (...ops: readonly string[]): number => steps.filter(({ op }) => ops.includes(op)).length;
  const texts = counted(
    [count("create", "import"), "to create", "to create"],
    [count("update"), "to update", "to update"],
    [count("replace"), "to replace", "to replace"],
    [count("delete"), "to delete", "to delete"],
    [count("same"), "unchanged", "unchanged"],
  );
  return texts.length === 0 ? "" : `Resources, as Pulumi counts them: ${texts.join(", ")}.`;
}
