import { createHash } from "node:crypto";
import { hostsOf } from "page-guard-csp";
import { engineMarks, groupBy } from "pulumi-page-guard/tools";
import type { Fields } from "../shared/values";
import type { ZoneRef } from "../shared/zones";
import type { Declared, ExportedKind } from "./declared";

export type NamedObject = ReturnType<typeof nameObjects>[number];

/**
 * Names of the resources that occur once per zone, in the order in which programs list them. `policies` is the name of the policy
 * set; a single policy gets a name from `chooseName`.
 */
const fixedNames: Readonly<Record<ExportedKind, string>> = {
  PageGuardSettings: "settings",
  CspPolicy: "policies",
  ManagedWafEntrypoint: "waf",
};
/** Names that no policy gets: the fixed names, and the key by which the engine recognizes special values such as secrets. */
const reserved = new Set([...Object.values(fixedNames), engineMarks.wrapperField]);

/** Returns the prefix for the names of a zone's file and resources. */
export function makeSlug({ name }: Pick<ZoneRef, "name">): string {
  return toKebabCase(name) || name.toLowerCase();
}

/** Names the objects in a zone, and sorts them for a program. `isUsed` says whether a name is already taken. */
export function nameObjects(objects: readonly Declared[], isUsed: (name: string) => boolean = () => false) {
  const wishes = new Map(
    objects.flatMap(({ policyId, args }) => (policyId === undefined ? [] : [[policyId, chooseName(args)]])),
  );
  const names = chooseNames(wishes, (name) => reserved.has(name) || name in {} || isUsed(name));
  const findPlace = ({ kind }: Declared): number => Object.keys(fixedNames).indexOf(kind);
  return objects
    .map((object) => ({ ...object, name: names.get(object.policyId ?? "") ?? fixedNames[object.kind] }))
    .sort((left, right) => findPlace(left) - findPlace(right) || (left.name < right.name ? -1 : 1));
}

/** Converts a string to lower-case letters, digits and single dashes. The result may be empty. */
export function toKebabCase(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  return words.slice(0, 48).replace(/-+$/, "");
}

/** Returns the preferred name of a policy: its description. Without one, it is the host in the expression, then the action. */
export function chooseName({ description = "", expression = "", action = "" }: Fields): string {
  const [, host = ""] = /"((?:[a-z0-9-]+\.)+[a-z]{2,})"/i.exec(String(expression)) ?? [];
  const about = hostsOf(String(expression)).decided ? host : "";
  return toKebabCase(String(description)) || toKebabCase(`${about}-${action}`) || "policy";
}

/**
 * Returns a name for each id: the preferred name. If several ids prefer the same name, or if it is taken, a hash of the id
 * follows the name, so that no name depends on the order of a list.
 */
function chooseNames(wishes: ReadonlyMap<string, string>, isTaken: (name: string) => boolean) {
  const used = new Set<string>();
  const sharing = groupBy([...wishes.values()], (wish) => wish);
  const names = [...wishes].map(([id, wish]) => {
    const hash = createHash("sha256").update(id).digest("hex");
    const tries = [...(sharing.get(wish)?.length === 1 ? [wish] : []), `${wish}-${hash.slice(0, 6)}`];
    const name = tries.find((one) => !used.has(one) && !isTaken(one)) ?? `${wish}-${hash.slice(0, 32)}`;
    used.add(name);
    return [id, name] as const;
  });
  return new Map(names);
}
