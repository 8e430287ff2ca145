import { isDeepStrictEqual } from "node:util";
import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isSeq,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { parseInventory } from "./inventory-file";

/** The fields of an entry, in the order in which they are written. Also writes fields whose value is `null`. */
export type EntryFields = Readonly<Record<string, unknown>>;

/** New text for the characters between two offsets. */
type Splice = readonly [from: number, to: number, by: string];

/**
 * Edits an inventory that has no faults, and returns its new text. Appends the entries of `added` to the list, and sets fields of
 * existing entries: `fields` maps the index of an entry to its new fields. All other characters stay the same, so that
 * `git blame` still names the people who wrote them. @throws CommandError if the edit would change other entries.
 */
export function withEdits(
  file: string,
  text: string,
  added: readonly EntryFields[],
  fields: ReadonlyMap<number, EntryFields> = new Map(),
): string {
  if (fields.size === 0 && added.length === 0) return text;
  // All other fields must stay as they are. An edit could also change an entry that refers to the edited entry by an alias.
  const readRest = (inventory: string) => {
    const { entries, faults } = parseInventory(inventory);
    const rest = entries.map(({ line: _, ...entry }) =>
      Object.entries(entry).filter(([name]) => !Object.hasOwn(fields.get(entry.at) ?? {}, name)),
    );
    return { rest, faults };
  };
  const { rest: before } = readRest(text);
  const result = edit(text, added, fields);
  const { rest: after, faults } = readRest(result);
  const isWhole = faults.length === 0 && after.length === before.length + added.length;
  if (isWhole && isDeepStrictEqual(after.slice(0, before.length), before)) return result;
  throw new CommandError(
    `Failed to edit ${forTerminal(file)}: the edit would also change other entries. Nothing was written. Rewrite the file as a list of entries, with each field on a line of its own.`,
  );
}

/** Applies an edit without checking its effects. Returns an empty text if an edited entry is not a mapping. */
function edit(text: string, added: readonly EntryFields[], fields: ReadonlyMap<number, EntryFields>): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [mark = ""] = /^\ufeff/.exec(text) ?? [];
  const missing = /(?:^|\n)$/.test(text) ? "" : eol;
  const whole = `${text.slice(mark.length)}${missing}`;
  const { contents } = parseDocument(whole, { merge: true });
  const list = isSeq(contents) ? contents : undefined;
  const splices: Splice[] = [];
  for (const [at, set] of fields) {
    const entry = list?.items[at];
    if (!isMap(entry)) return "";
    splices.push(...setFields(whole, entry, set));
  }
  if (added.length > 0) splices.push(...appendEntries(whole, list, added));
  let result = mark;
  let done = 0;
  for (const [from, to, by] of splices.sort(([left], [right]) => left - right)) {
    result += whole.slice(done, from) + by.replaceAll("\n", eol);
    done = to;
  }
  return result + (done === whole.length ? "" : whole.slice(done, whole.length - missing.length));
}

/** Sets fields of a mapping. Where possible, replaces only parts of the old values. New fields come last. */
function setFields(text: string, map: YAMLMap, fields: EntryFields): Splice[] {
  const pairs = new Map(map.items.map((pair) => [String(pair.key), pair]));
  const splices = Object.entries(fields).flatMap(([name, value]) => {
    const pair = pairs.get(name);
    return pair ? setValue(text, pair, value, map.flow) : [];
  });
  for (const [name, value] of Object.entries(fields))
    if (!pairs.has(name)) splices.push(append(text, map, `${name}: ${render(value, map.flow)}`));
  return splices;
}

function setValue(text: string, { key, value: old }: Pair, value: unknown, isInFlow?: boolean): Splice[] {
  const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isMap(old) && isFields && old.items.every((pair) => Object.hasOwn(value, String(pair.key))))
    return setFields(text, old, { ...value });
  // Lists only grow: the new list begins with the items of the old list.
  if (isSeq(old) && Array.isArray(value)) {
    const dash = old.flow ? "" : "- ";
    return value.slice(old.items.length).map((one) => append(text, old, `${dash}${render(one, old.flow)}`));
  }
  const [from = 0] = (isNode(old) && old.range) || [];
  const written = text.slice(from, findEnd(old)).trimEnd();
  if (written !== "") return [[from, from + written.length, render(value, isInFlow)]];
  const afterColon = text.indexOf(":", findEnd(key)) + 1;
  return [[afterColon, afterColon, ` ${render(value, isInFlow)}`]];
}

/** Appends an item to a list, or a field to a mapping. */
function append(text: string, { range, flow, items }: YAMLMap | YAMLSeq, item: string): Splice {
  const [begin = 0] = range ?? [];
  const last = items.length === 0 ? begin + 1 : findEnd(items.at(-1));
  if (flow) return [last, last, items.length === 0 ? item : `, ${item}`];
  const at = findNextLine(text, last);
  return [at, at, `${indentAt(text, begin)}${item}\n`];
}

function appendEntries(text: string, list: YAMLSeq | undefined, added: readonly EntryFields[]): Splice[] {
  const entries = added.map((one) => stringify([one], { lineWidth: 0 })).join("\n");
  const [from = text.length, to = from] = list?.range ?? [];
  if (list === undefined || list.items.length === 0) {
    const at = findNextLine(text, to);
    return [
      [from, to, ""],
      [at, at, entries],
    ];
  }
  if (list.flow) return [append(text, list, added.map((one) => render(one, true)).join(", "))];
  const end = findNextLine(text, findEnd(list));
  // Indented comments at the end belong to the last entry.
  const [comments = ""] = /^(?:\s* #.*\n)*/.exec(text.slice(end)) ?? [];
  const at = end + comments.length;
  return [[at, at, `\n${entries.replace(/^(?=.)/gm, indentAt(text, from))}`]];
}

/** Returns a value as YAML on one line. With `isInFlow`, the result is also valid inside brackets. */
function render(value: unknown, isInFlow = false): string {
  const options = { collectionStyle: "flow", lineWidth: 0, aliasDuplicateObjects: false } as const;
  const shown = isInFlow ? stringify([value], options).slice(2, -3) : stringify(value, options).trimEnd();
  return shown.includes("\n") ? JSON.stringify(value) : shown;
}

/** Returns the offset at which the text of a node ends, not counting comments after it; 0 for a missing value. */
function findEnd(node: unknown): number {
  if (isPair(node)) return Math.max(findEnd(node.key), findEnd(node.value));
  if (isCollection(node) && !node.flow) return Math.max(...node.items.map(findEnd));
  const [from = 0, to = 0] = (isNode(node) && node.range) || [];
  return to > from ? to : 0;
}

/** Returns the offset of the line after a node. If the node is a block scalar, its `end` is already after the line break. */
function findNextLine(text: string, end: number): number {
  return text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1;
}

/** Returns as many spaces as there are characters before an offset in its line. */
function indentAt(text: string, offset: number): string {
  return " ".repeat(offset - text.lastIndexOf("\n", offset - 1) - 1);
}
