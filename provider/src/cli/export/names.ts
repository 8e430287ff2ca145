import { createHash } from "node:crypto";
import { hostsOf } from "../../csp";
import type { Properties } from "../../lifecycle/kind";

/** Long enough to tell policies apart, short enough for a line. */
const longestName = 48;

/** Lower case, letters, digits and single dashes; empty when nothing of the text is left. */
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

/** The same id has the same one for ever, whatever else the zone has. */
export function shortHash(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 6);
}

/** What a policy is called before ties are looked at: by its description, else by the host that it is for. */
export function wishedName({ description, expression, action }: Properties): string {
  const described = kebabCase(String(description ?? ""));
  if (described !== "") return described;
  return (
    [hostOf(String(expression ?? "")), String(action ?? "")]
      .map(kebabCase)
      .filter((part) => part !== "")
      .join("-") || "policy"
  );
}

function hostOf(expression: string): string {
  const hosts = hostsOf(expression);
  const named = /"((?:[a-z0-9-]+\.)+[a-z]{2,})"/i.exec(expression)?.[1];
  return hosts.decided && named !== undefined ? named : "";
}

/**
 * A name for each id. What is locked stays; of the others each has its wish, unless somebody else wishes or has the
 * same: then all of them carry a hash of their id, so that no name depends on the order of a list.
 */
export function namesFor(
  wishes: ReadonlyMap<string, string>,
  locked: ReadonlyMap<string, string>,
  isTaken: (name: string) => boolean = () => false,
): Map<string, string> {
  const names = new Map([...locked].filter(([id]) => wishes.has(id)));
  const used = new Set(locked.values());
  const open = [...wishes].filter(([id]) => !names.has(id));
  const count = new Map<string, number>();
  for (const [, wish] of open) count.set(wish, (count.get(wish) ?? 0) + 1);
  for (const [id, wish] of open) {
    const isTied = (count.get(wish) ?? 0) > 1 || used.has(wish) || isTaken(wish);
    names.set(id, isTied ? untied(wish, id, (name) => used.has(name) || isTaken(name)) : wish);
  }
  return names;
}

function untied(wish: string, id: string, isUsed: (name: string) => boolean): string {
  const short = `${wish}-${shortHash(id)}`;
  return isUsed(short) ? `${wish}-${createHash("sha256").update(id).digest("hex").slice(0, 32)}` : short;
}
