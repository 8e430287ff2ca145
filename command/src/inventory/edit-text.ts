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
import { CommandError } from "../command-error";
import { forTerminal } from "../reports/escape";
import { parseInventory } from "./inventory-file";

/** The fields of an entry, in the order in which they are written. `null` is written as such. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The text of an inventory without faults, with further entries at the end of its list, and with these fields in the entries
 * of these indices of the list. Comments and all else that people wrote stay; spaces may change.
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
  try {
    const result = document.toString({ lineWidth: 0 });
    const [before, after] = [rest(text), rest(result)];
    const isRight =
      isDeepStrictEqual(after.splice(0, before.length), before) && after.length === added.length;
    if (!isRight) throw refusal;
    return text.includes("\r\n") ? result.replaceAll("\n", "\r\n") : result;
  } catch {
    // An alias whose anchor was replaced.
    throw refusal;
  }
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
