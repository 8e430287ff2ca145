import type { PreviewRead } from "./preview-read";
import type { Fate, ObjectChange } from "./zone-objects";

const nouns: Readonly<Record<ObjectChange["kind"], (count: number) => string>> = {
  policy: (count) => plural(count, "policy", "policies"),
  rule: (count) => plural(count, "WAF rule"),
  settings: (count) => `the settings of ${plural(count, "zone")}`,
};

const words: Readonly<Record<Fate, readonly [todo: string, done: string]>> = {
  create: ["to create", "created"],
  update: ["to change", "changed"],
  move: ["to move to another resource as they are", "moved"],
  leave: ["to leave in the zone, unmanaged", "left unmanaged"],
  delete: ["to delete", "deleted"],
  restore: ["to put back as found", "put back as found"],
};

const fates = ["create", "update", "move", "leave", "delete", "restore"] as const;

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What happens to objects of zones: `2 policies and 1 WAF rule to create, 1 policy to delete`. */
export function objectCounts(changes: readonly ObjectChange[], tense: "todo" | "done"): string {
  const texts = fates.flatMap((fate) => {
    const of = changes.filter((change) => change.fate === fate);
    const kinds = (["policy", "rule", "settings"] as const).flatMap((kind) => {
      const count = of.filter((change) => change.kind === kind).length;
      return count === 0 ? [] : [nouns[kind](count)];
    });
    return kinds.length === 0 ? [] : [`${kinds.join(" and ")} ${words[fate][tense === "todo" ? 0 : 1]}`];
  });
  return texts.join(", ");
}

/** As Pulumi counts: resources, of this package and of others. */
export function resourceCounts({ steps }: PreviewRead): string {
  const count = (...ops: readonly string[]): number => steps.filter(({ op }) => ops.includes(op)).length;
  const told = [
    [count("create", "import"), "to create"],
    [count("update"), "to update"],
    [count("replace"), "to replace"],
    [count("delete"), "to delete"],
    [count("same"), "unchanged"],
  ] as const;
  const texts = told.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
  return texts.length === 0 ? "" : `Resources, as Pulumi counts them: ${texts.join(", ")}.`;
}
