import { createHash } from "node:crypto";
import { hostsOf } from "page-guard-csp";
import type { Properties } from "pulumi-page-guard/tools";
import type { ZoneRef } from "../zones";
import type { Declared, DeclaredKind } from "./declared";

/** An object with its name in the program. */
export interface Named extends Declared {
  readonly name: string;
}

const fixed: Readonly<Record<string, string>> = { settings: "settings", entrypoint: "waf" };
/** No policy has such a name; `policies` is the set. */
const reserved = new Set(["settings", "waf", "policies"]);

const kinds: readonly DeclaredKind[] = ["PageGuardSettings", "CspPolicy", "ManagedWafEntrypoint"];

/** Begins the name of a zone's file and the names of its resources. */
export function slugOf({ name }: Pick<ZoneRef, "name">): string {
  return kebabCase(name) || name.toLowerCase();
}

/** The objects of a zone with their names, in the order of a program. `isUsed`: a resource has the name already. */
export function named(
  objects: readonly Declared[],
  isUsed: (name: string) => boolean = () => false,
): readonly Named[] {
  const policies = objects.filter(({ kind }) => kind === "CspPolicy");
  const wishes = new Map(policies.map(({ key, args }) => [key, wishedName(args)]));
  const isTaken = (name: string): boolean => reserved.has(name) || name in {} || isUsed(name);
  const names = namesFor(wishes, isTaken);
  const nameOf = (key: string): string => names.get(key) ?? fixed[key] ?? key;
  return objects
    .map((object) => ({ ...object, name: nameOf(object.key) }))
    .sort(
      (left, right) =>
        kinds.indexOf(left.kind) - kinds.indexOf(right.kind) || (left.name < right.name ? -1 : 1),
    );
}

const longestName = 48;

/** Lower case letters, digits and single dashes; may be empty. */
export function kebabCase(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, longestName)
    .replace(/-+$/, "");
}

/** The name of a policy unless it is taken: from its description, else from the host that it is for. */
export function wishedName({ description, expression, action }: Properties): string {
  const described = kebabCase(String(description ?? ""));
  if (described !== "") return described;
  const parts = [hostOf(String(expression ?? "")), String(action ?? "")].map(kebabCase);
  return parts.filter((part) => part !== "").join("-") || "policy";
}

function hostOf(expression: string): string {
  const hosts = hostsOf(expression);
  const named = /"((?:[a-z0-9-]+\.)+[a-z]{2,})"/i.exec(expression)?.[1];
  return hosts.decided && named !== undefined ? named : "";
}

/**
 * A name for each id: its wish, or, if several have the same wish, a hash of the id behind it, so that no name depends on the
 * order of a list.
 */
export function namesFor(
  wishes: ReadonlyMap<string, string>,
  isTaken: (name: string) => boolean = () => false,
): Map<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>();
  const count = new Map<string, number>();
  for (const wish of wishes.values()) count.set(wish, (count.get(wish) ?? 0) + 1);
  for (const [id, wish] of wishes) {
    const isTied = (count.get(wish) ?? 0) > 1 || isTaken(wish);
    const name = isTied ? untied(wish, id, (one) => used.has(one) || isTaken(one)) : wish;
    names.set(id, name);
    used.add(name);
  }
  return names;
}

function untied(wish: string, id: string, isUsed: (name: string) => boolean): string {
  const hash = createHash("sha256").update(id).digest("hex");
  const short = `${wish}-${hash.slice(0, 6)}`;
  return isUsed(short) ? `${wish}-${hash.slice(0, 32)}` : short;
}
