import {
  contentOf,
  type Declaration,
  type Declarations,
  type PolicyContent,
  type PolicyDeclaration,
  type SetDeclaration,
  type Zone,
} from "./declarations";

/** New content of a declaration, which keeps its name and its zone. */
export interface ChangedDeclaration {
  readonly change: Declaration;
  readonly place: number;
}

/** An edit of an existing declaration. The number picks one of the declarations that allow this edit. */
export type Change =
  | ChangedDeclaration
  /** A declaration gets another name, without an alias. */
  | { readonly rename: number }
  /** Two policies swap their contents, or rules swap their places. */
  | { readonly swap: number }
  /** A policy of a set gets another key. */
  | { readonly rekey: number }
  /** A policy moves from a set to another set or to a resource of its own, or from a resource of its own into a set. */
  | { readonly move: number }
  /** Only `onDestroy` changes: to `keep`, or back to the default. */
  | { readonly turn: number };

export type Edit = Declaration | Change | { readonly remove: string };

/**
 * Returns the program after some edits. The last edit removes declarations that every preview would refuse beside it: second
 * settings or a second entry point of a zone, and anything beside an exact set. A finished migration is never undone.
 */
export function edited(before: Declarations, edits: readonly Edit[]): Declarations {
  let program = new Map(before);
  for (const edit of edits) {
    if ("remove" in edit) {
      if (program.get(edit.remove)?.kind !== "migration") program.delete(edit.remove);
    } else if ("rename" in edit) program = renamed(program, edit.rename);
    else if ("swap" in edit) for (const one of swapped(program, edit.swap)) program.set(one.name, one);
    else if ("rekey" in edit) for (const one of rekeyed(program, edit.rekey)) program.set(one.name, one);
    else if ("move" in edit) program = moved(program, edit.move);
    else if ("turn" in edit) for (const one of turned(program, edit.turn)) program.set(one.name, one);
    else if ("change" in edit) {
      const old = placed(declared(program, edit.change.kind), edit.place);
      if (old) declare(program, { ...edit.change, name: old.name, zone: old.zone } as Declaration);
    } else declare(program, edit);
  }
  return program;
}

function declare(program: Map<string, Declaration>, edit: Declaration): void {
  for (const [name, other] of program) if (name !== edit.name && excludes(edit, other)) program.delete(name);
  const old = program.get(edit.name);
  const isOver = old?.kind === "migration" && old.stage === "finished";
  const isBackwards = isOver && edit.kind === "migration" && edit.stage === "validation";
  if (!isBackwards) program.set(edit.name, edit);
}

/** Keys of the policies of a set. */
export const keys = ["k1", "k2", "k3"] as const;

/** Names for each kind. A migration keeps its name and is never removed, so it has none here. */
export const names: Readonly<Record<Declaration["kind"], readonly string[]>> = {
  settings: ["s1", "s2"],
  policy: ["p1", "p2", "p3"],
  set: ["t1", "t2"],
  entry: ["e1", "e2"],
  migration: [],
};

function renamed(program: Declarations, place: number): Map<string, Declaration> {
  const freeName = (one: Declaration) => names[one.kind].find((name) => !program.has(name));
  const chosen = placed(
    [...program.values()].filter((one) => freeName(one) !== undefined),
    place,
  );
  const all = [...program.values()];
  const after = all.map((one) => (one === chosen ? { ...one, name: freeName(one) ?? one.name } : one));
  return new Map(after.map((one) => [one.name, one]));
}

/** Returns the declarations that a swap changes. */
function swapped(program: Declarations, place: number): Declaration[] {
  const policies = declared(program, "policy");
  const partnerOf = (one: PolicyDeclaration) =>
    policies.find((other) => other !== one && other.zone === one.zone);
  const choices = [...program.values()].flatMap((one): (readonly Declaration[])[] => {
    if (one.kind === "policy") {
      const other = partnerOf(one);
      if (!other) return [];
      return [
        [
          { ...one, content: other.content },
          { ...other, content: one.content },
        ],
      ];
    }
    if (one.kind === "entry") return [[{ ...one, rules: [...one.rules].reverse() }]];
    if (one.kind !== "set") return [];
    const [[first, left] = [], [second, right] = []] = Object.entries(one.policies);
    if (first === undefined || second === undefined || !left || !right) return [];
    return [[{ ...one, policies: { ...one.policies, [first]: right, [second]: left } }]];
  });
  return [...(placed(choices, place) ?? [])];
}

function rekeyed(program: Declarations, place: number): Declaration[] {
  const choices = declared(program, "set").flatMap((one) => {
    const all = Object.entries(one.policies);
    const free = keys.find((key) => !Object.hasOwn(one.policies, key));
    if (free === undefined) return [];
    return all.map(([old]) => ({
      ...one,
      policies: Object.fromEntries(all.map(([key, content]) => [key === old ? free : key, content])),
    }));
  });
  const chosen = placed(choices, place);
  return chosen ? [chosen] : [];
}

function moved(program: Declarations, place: number): Map<string, Declaration> {
  const sets = declared(program, "set").filter(({ others }) => others === "keep");
  const freeName = names.policy.find((name) => !program.has(name));
  const freeKey = (set: SetDeclaration, wish: string) =>
    [wish, ...keys].find((key) => isKey(key) && !Object.hasOwn(set.policies, key));
  const withEntry = (set: SetDeclaration, key: string, content: PolicyContent): SetDeclaration => {
    const entry = content.description === key ? { ...content, description: undefined } : content;
    return { ...set, policies: { ...set.policies, [key]: entry } };
  };
  const intoSets = (content: PolicyContent, zone: Zone, but?: SetDeclaration) =>
    sets.flatMap((set) => {
      const key = freeKey(set, content.description);
      return set === but || set.zone !== zone || key === undefined ? [] : [withEntry(set, key, content)];
    });
  const outOfSets = sets.flatMap((set) =>
    Object.entries(set.policies).flatMap((entry) => {
      const { [entry[0]]: _gone, ...policies } = set.policies;
      const content = contentOf(entry);
      const alone = { kind: "policy", name: freeName ?? "", zone: set.zone, content } as const;
      const takers = [...intoSets(content, set.zone, set), ...(freeName === undefined ? [] : [alone])];
      return takers.map((taker) => ({ gone: "", changed: [{ ...set, policies }, taker] }));
    }),
  );
  const intoThem = declared(program, "policy").flatMap(({ name, content, zone }) =>
    intoSets(content, zone).map((set) => ({ gone: name, changed: [set] })),
  );
  const { gone = "", changed = [] } = placed([...outOfSets, ...intoThem], place) ?? {};
  const after = new Map<string, Declaration>([...program].filter(([name]) => name !== gone));
  for (const one of changed) after.set(one.name, one);
  return after;
}

function isKey(key: string): boolean {
  return (keys as readonly string[]).includes(key);
}

function turned(program: Declarations, place: number): Declaration[] {
  const choices = [...program.values()].flatMap((one): Declaration[] => {
    if (one.kind === "migration") return [];
    return [{ ...one, onDestroy: one.onDestroy === "keep" ? undefined : "keep" }];
  });
  const chosen = placed(choices, place);
  return chosen ? [chosen] : [];
}

function declared<K extends Declaration["kind"]>(program: Declarations, kind: K) {
  return [...program.values()].filter((one): one is Extract<Declaration, { kind: K }> => one.kind === kind);
}

function placed<T>(choices: readonly T[], place: number): T | undefined {
  return choices[place % Math.max(choices.length, 1)];
}

function excludes(edit: Declaration, other: Declaration): boolean {
  if (edit.zone !== other.zone) return false;
  if (edit.kind === other.kind && (edit.kind === "settings" || edit.kind === "entry")) return true;
  const isExact = (one: Declaration): boolean => one.kind === "set" && one.others !== "keep";
  const hasPolicies = (one: Declaration): boolean => one.kind === "set" || one.kind === "policy";
  return hasPolicies(edit) && hasPolicies(other) && (isExact(edit) || isExact(other));
}
