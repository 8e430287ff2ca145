import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type YAMLMap,
  YAMLSeq,
} from "yaml";
import { forTerminal } from "../reports/escape";
import { CommandError } from "../shared/command-error";
import { parseInventory } from "./inventory-file";

/** The fields of an entry, in the order in which they are written. `null` is written as such. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The text of an inventory without faults, with further entries at the end of its list, and with these fields in the entries
 * of these indices of the list. Comments and all else that people wrote stay, and so do the bytes of entries that do not change.
 *
 * @throws CommandError where it cannot be edited without changing others.
 */
export function withEdits(
  file: string,
  text: string,
  added: readonly Fields[],
  fields: ReadonlyMap<number, Fields> = new Map(),
): string {
  const refusal = new CommandError(
    `Failed to edit ${forTerminal(file)}: it is written in a way that cannot be edited without changing the rest. Nothing was written: write it as a list of entries, each field on a line of its own.`,
  );
  if (fields.size === 0 && added.length === 0) return text;
  const document: Document<Node> = parseDocument(text.replace(/^\ufeff/, ""), { merge: true });
  const list: YAMLSeq = isSeq(document.contents) ? document.contents : new YAMLSeq(document.schema);
  if (list.items.length === 0) list.flow = false;
  if (isScalar(document.contents)) list.comment = document.contents.comment ?? null;
  document.contents = list;
  for (const [at, set] of fields) {
    const entry = list.items[at];
    if (!isMap(entry)) throw refusal;
    setAll(document, entry, set);
  }
  for (const one of added) {
    const entry = document.createNode(one);
    entry.spaceBefore = list.items.length > 0;
    list.items.push(entry);
  }
  // What entries say beside the fields that are set: an entry may be what others refer to, or be merged into.
  const rest = (inventory: string) =>
    parseInventory(inventory).entries.map(({ line: _, ...entry }) =>
      Object.entries(entry).filter(([name]) => !Object.hasOwn(fields.get(entry.at) ?? {}, name)),
    );
  const before = rest(text);
  const isRight = (result: string): boolean => {
    const after = rest(result);
    return isDeepStrictEqual(after.splice(0, before.length), before) && after.length === added.length;
  };
  try {
    const whole = document.toString({ lineWidth: 0 });
    const result = withOldEntries(text.replaceAll("\r\n", "\n"), whole, new Set(fields.keys()));
    const right = [result, whole].find(isRight);
    if (right === undefined) throw refusal;
    return text.includes("\r\n") ? right.replaceAll("\n", "\r\n") : right;
  } catch {
    // An alias whose anchor was replaced.
    throw refusal;
  }
}

/** The new text with the old lines of each entry that was not edited, so that git blames whoever wrote them. */
function withOldEntries(before: string, after: string, edited: ReadonlySet<number>): string {
  const [old, made] = [before, after].map(slicesOf);
  if (!old || !made || old.entries.length === 0) return after;
  const kept = old.entries.map((entry, at) => (edited.has(at) ? (made.entries[at] ?? "") : entry));
  const last = kept.length - 1;
  // What is behind the last entry, and further entries, are those of the new text.
  const end = made.entries[last]?.slice(made.ends[last]) ?? "";
  const tail = [end, ...made.entries.slice(kept.length)].join("");
  const own = edited.has(last) ? kept[last]?.slice(0, made.ends[last]) : kept[last]?.slice(0, old.ends[last]);
  return [old.head, ...kept.slice(0, last), own, tail].join("");
}

/** The lines of each entry, up to those of the next one, with where its own text ends; undefined: two share a line. */
function slicesOf(text: string) {
  const document = parseDocument(text, { merge: true });
  if (!isSeq<Node>(document.contents) || document.contents.flow) return undefined;
  const ranges = document.contents.items.flatMap(({ range }) => (range ? [range] : []));
  const starts = ranges.map(([start]) => text.lastIndexOf("\n", start - 1) + 1);
  if (new Set(starts).size !== starts.length) return undefined;
  const lineEnd = (at: number): number => text.indexOf("\n", at - 1) + 1 || text.length;
  return {
    head: text.slice(0, starts[0]),
    entries: starts.map((start, at) => text.slice(start, starts[at + 1] ?? text.length)),
    ends: ranges.map(([, end], at) => lineEnd(end) - (starts[at] ?? 0)),
  };
}

/** Sets the fields of a mapping: inside of what they have, where that is of the same kind, so that comments stay. */
function setAll(document: Document, map: YAMLMap, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    const old = map.get(name, true);
    const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isMap(old) && isFields && old.items.every(({ key }) => Object.hasOwn(value, String(key))))
      setAll(document, old, { ...value });
    else if (isSeq(old) && Array.isArray(value)) {
      // A list only grows: what it has comes first.
      for (const one of value.slice(old.items.length)) old.add(document.createNode(one));
    } else {
      const node = document.createNode(value, { flow: true });
      const { comment, commentBefore } = isScalar(old) || isCollection(old) ? old : {};
      map.set(name, Object.assign(node, { comment, commentBefore }));
    }
  }
}
