import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
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

/** The fields of an entry, in the order in which they are written. A `null` is written as `null`. */
export type EntryFields = Readonly<Record<string, unknown>>;

/**
 * Returns the text of an inventory after an edit. The edit appends the entries of `added` to the list, and sets fields of
 * existing entries: `fields` maps the index of an entry to its new fields. The text must have no faults. Comments are kept.
 * Unchanged lines keep their layout, unless that would change the meaning of an entry.
 *
 * @throws CommandError if the edit would change other entries.
 */
export function withEdits(
  file: string,
  text: string,
  added: readonly EntryFields[],
  fields: ReadonlyMap<number, EntryFields> = new Map(),
): string {
  const refusal = new CommandError(
    `Failed to edit ${forTerminal(file)}: the edit would also change other entries. Nothing was written. Rewrite the file as a list of entries, with each field on a line of its own.`,
  );
  if (fields.size === 0 && added.length === 0) return text;
  // Edit a copy with \n line ends. Otherwise, the YAML library leaves a \r at the end of some comments, and then does not write
  // them as comments.
  const unix = text.replaceAll("\r\n", "\n");
  if (unix.replaceAll("\n", "\r\n") === text && unix !== text)
    return withEdits(file, unix, added, fields).replaceAll("\n", "\r\n");
  const old = parsePiece(text.replace(/^\ufeff/, ""));
  const document: Document<Node> = parseDocument(old.text, { merge: true });
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
  const parseEntries = (inventory: string) =>
    parseInventory(inventory).entries.map(({ line: _, ...entry }) => entry);
  // All other fields must stay as they are. An edit could also change an entry that refers to the edited entry by an alias.
  const rest = (inventory: string) =>
    parseEntries(inventory).map((entry) =>
      Object.entries(entry).filter(([name]) => !Object.hasOwn(fields.get(entry.at) ?? {}, name)),
    );
  const before = rest(text);
  try {
    const whole = document.toString({ lineWidth: 0 });
    const made = text.includes("\r\n") ? whole.replaceAll("\n", "\r\n") : whole;
    const after = rest(made);
    if (!isDeepStrictEqual(after.splice(0, before.length), before) || after.length !== added.length)
      throw refusal;
    const restored = withOldLines(old, parsePiece(made));
    const isSame = isDeepStrictEqual(parseEntries(restored), parseEntries(made));
    const edited = isSame ? restored : made;
    return `${text.slice(0, text.length - old.text.length)}${edited}`;
  } catch {
    // An alias whose anchor was replaced makes `toString` throw.
    throw refusal;
  }
}

/** A node and the lines of a text that contain it. `column` is the position of the node's key or dash in the first line. */
type Piece = ReturnType<typeof parsePiece>;

function parsePiece(text: string) {
  const document: Document = parseDocument(text, { merge: true });
  const node: unknown = document.contents;
  return { text, document, node, from: 0, to: text.length, column: 0 };
}

/** Returns the new text with the old lines wherever the content is the same, so that `git blame` still names their authors. */
function withOldLines(old: Piece, made: Piece): string {
  const [own, other] = [old, made].map(({ node, document }) => (isNode(node) ? node.toJS(document) : node));
  if (isDeepStrictEqual(own, other)) return readLines(old);
  const [before, after] = [splitParts(old), splitParts(made)];
  const [first, last] = [before[0], before.at(-1)];
  const [match, ...added] = after.slice(Math.max(before.length - 1, 0));
  if (!first || !last || !match) return readLines(made, old.column);
  const kept = before.map((part, at) => {
    const rest = old.text.slice(part.to, before[at + 1]?.from ?? part.to);
    return `${withOldLines(part, after[at] ?? part)}${rest}`;
  });
  const [begin, end] = [old.text.slice(old.from, first.from), old.text.slice(last.to, old.to)];
  const [next] = added;
  if (next === undefined) return [begin, ...kept, end].join("");
  // Indented comments at the end belong to the last part.
  const [comments = ""] = /^(?:\s* #.*(?:\n|$))*/.exec(end) ?? [];
  const head = [begin, ...kept, comments].join("");
  const eol = made.text.includes("\r\n") ? "\r\n" : "\n";
  const isSpaced = /^\r?\n/m.test(made.text.slice(match.to, next.from));
  const news = readLines({ ...next, to: added.at(-1)?.to ?? next.to }, last.column);
  return [head, head.endsWith("\n") ? "" : eol, isSpaced ? eol : "", news, end.slice(comments.length)].join(
    "",
  );
}

function readLines({ text, from, to, column }: Piece, at = column): string {
  const most = Math.max(column - at, 0);
  return text.slice(from, to).replace(new RegExp(`^ {0,${most}}(?=.)`, "gm"), " ".repeat(most + at - column));
}

/** Returns the items or fields of a piece, each with its lines. Empty for flow style, and if two parts share a line. */
function splitParts({ text, document, node }: Piece): readonly Piece[] {
  if (!isCollection(node) || node.flow) return [];
  const parts = node.items.flatMap((item): Piece[] => {
    const [begin, value] = isPair(item) ? [item.key, item.value] : [item, item];
    if (!isNode(begin) || !begin.range) return [];
    const [start, keyEnd] = begin.range;
    const from = text.lastIndexOf("\n", start - 1) + 1;
    // The range of a collection that ends with a comment includes the indentation of the next line.
    const end = from + text.slice(from, (isNode(value) && value.range?.[1]) || keyEnd).trimEnd().length;
    const column = isPair(item) ? start - from : (/^ */.exec(text.slice(from))?.[0].length ?? 0);
    return [{ text, document, node: value, from, to: text.indexOf("\n", end) + 1 || text.length, column }];
  });
  return new Set(parts.map(({ from }) => from)).size < node.items.length ? [] : parts;
}

/** Sets fields of a mapping. Where possible, edits the old value in place, so that its comments are kept. */
function setAll(document: Document, map: YAMLMap, fields: EntryFields): void {
  for (const [name, value] of Object.entries(fields)) {
    const old = map.get(name, true);
    const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isMap(old) && isFields && old.items.every(({ key }) => Object.hasOwn(value, String(key))))
      setAll(document, old, { ...value });
    else if (isSeq(old) && Array.isArray(value)) {
      // Lists only grow: the new list begins with the items of the old list.
      for (const one of value.slice(old.items.length)) old.add(document.createNode(one));
    } else {
      const node = document.createNode(value, { flow: true });
      const { comment, commentBefore } = isScalar(old) || isCollection(old) ? old : {};
      map.set(name, Object.assign(node, { comment, commentBefore }));
    }
  }
}
