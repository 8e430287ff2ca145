import { isDeepStrictEqual } from "node:util";
import {
  type CST,
  isAlias,
  isMap,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { type InventoryEntry, parseInventory } from "../../inventory/inventory-file";
import { listChunks } from "../../inventory/list-chunks";
import { quoted } from "../../reports/escape";
import { canonical } from "../../text/canonical";

/** The fields of an entry, in the order in which they are written. `null` is written as such. */
export type Fields = Readonly<Record<string, unknown>>;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text without faults, and what it says. */
export interface Inventory {
  readonly text: string;
  readonly entries: readonly InventoryEntry[];
}

/**
 * The text with further entries at the end of its list, and with these fields in entries that it has, by their index, in
 * place of what they had. Nothing else changes: all is put between what is there. Undefined: no such text could be written.
 */
export function withEdits(
  { text, entries }: Inventory,
  added: readonly Fields[],
  fields: ReadonlyMap<number, Fields> = new Map(),
): string | undefined {
  if (fields.size === 0 && added.length === 0) return text;
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const before = text.slice(mark.length);
  const result = applied(before, editsOf(before, entries, added, fields));
  // What was written is read again: YAML has more ways to write a list than an edit knows.
  const { entries: after, faults } = parseInventory(result);
  const isRight =
    faults.length === 0 &&
    entries.every((entry, index) => isSame(after[index], withSet(entry, fields.get(index)))) &&
    isDeepStrictEqual(
      after.slice(entries.length).map(({ match }) => match.text),
      added.map(({ match }) => match),
    );
  return isRight ? `${mark}${result}` : undefined;
}

/** What an entry says with these fields. */
function withSet(entry: InventoryEntry, fields: Fields | undefined): InventoryEntry {
  if (fields === undefined) return entry;
  const [read] = parseInventory(`- ${flow({ match: entry.match.text, ...fields })}`).entries;
  const set = Object.entries(read ?? {}).filter(([name]) => Object.hasOwn(fields, name));
  return { ...entry, ...Object.fromEntries(set) };
}

/** Wherever it is now. */
function isSame(now: InventoryEntry | undefined, { line: _, ...then }: InventoryEntry): boolean {
  const { line: __, ...rest } = now ?? { line: 0 };
  return isDeepStrictEqual(rest, then);
}

function editsOf(
  text: string,
  entries: readonly InventoryEntry[],
  added: readonly Fields[],
  fields: ReadonlyMap<number, Fields>,
): readonly Edit[] {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const chunks = listChunks(text);
  return chunks.flatMap((chunk, at) => {
    const further = at === chunks.length - 1 ? added : [];
    const end = chunks[at + 1]?.line ?? Number.POSITIVE_INFINITY;
    const first = entries.findIndex(({ line }) => line >= chunk.line);
    const touched = [...fields].filter(([index]) => {
      const { line = 0 } = entries[index] ?? {};
      return line >= chunk.line && line < end;
    });
    if (touched.length === 0 && further.length === 0) return [];
    const list: unknown = parseDocument(chunk.text, { keepSourceTokens: true }).contents;
    const inside = touched.flatMap(([index, set]) => {
      const entry = isSeq<Node>(list) ? list.items[index - first] : undefined;
      return isMap<Node, Node>(entry) ? setIn(chunk.text, entry, set, eol) : [];
    });
    const behind = further.length > 0 ? [append(chunk.text, list, further, eol)] : [];
    return [...inside, ...behind].map(({ start, end: to, text: put }) => {
      return { start: start + chunk.offset, end: to + chunk.offset, text: put };
    });
  });
}

/** From the first to the last. */
function applied(text: string, edits: readonly Edit[]): string {
  let from = 0;
  const parts = edits
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, text: put }) => {
      const part = `${text.slice(from, start)}${put}`;
      from = end;
      return part;
    });
  return `${parts.join("")}${text.slice(from)}`;
}

function append(text: string, list: unknown, added: readonly Fields[], eol: string): Edit {
  if (!isSeq<Node>(list))
    return onNewLine(text, text.length, added.map((fields) => blockEntry(fields, "", eol)).join(""), eol);
  const last = list.items.at(-1);
  if (list.flow) {
    const entries = added.map((fields) => flow(fields)).join(", ");
    const [start] = list.range ?? [0];
    return last ? insertion(endOf(last), `, ${entries}`) : insertion(start + 1, entries);
  }
  const indent = " ".repeat(indentOf(list.srcToken));
  const entries = added.map((fields) => blockEntry(fields, indent, eol)).join("");
  return onNewLine(text, last ? endOf(last) : text.length, entries, eol);
}

/** What sets these fields in a mapping: those that it has get the value, the others follow its last one. */
function setIn(text: string, map: YAMLMap<Node, Node>, fields: Fields, eol: string): readonly Edit[] {
  const missing: [string, unknown][] = [];
  const edits = Object.entries(fields).flatMap(([name, value]) => {
    const pair = map.items.find(({ key }) => String(key) === name);
    if (pair) return set(text, pair, value, eol);
    missing.push([name, value]);
    return [];
  });
  const last = map.items.at(-1);
  if (missing.length === 0 || last === undefined) return edits;
  const end = endOfPair(last);
  if (map.flow)
    return [...edits, insertion(end, missing.map(([name, value]) => `, ${name}: ${flow(value)}`).join(""))];
  const indent = " ".repeat(indentOf(map.srcToken));
  const lines = missing.map(([name, value]) => `${indent}${name}: ${flow(value)}${eol}`).join("");
  return [...edits, onNewLine(text, end, lines, eol)];
}

function set(text: string, pair: Pair<Node, Node | null>, value: unknown, eol: string): readonly Edit[] {
  const { value: now } = pair;
  if (isFields(value) && isMap<Node, Node>(now) && now.items.length > 0 && sameKeys(now, value))
    return setIn(text, now, value, eol);
  if (Array.isArray(value) && isSeq<Node>(now)) {
    const more = beyond(now, value);
    if (more) return more.length === 0 ? [] : [intoList(text, now, more, eol)];
  }
  const colon = pair.srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  if (now?.range === undefined || now?.range === null || now.range[0] === now.range[1]) {
    const at = colon === undefined ? endOf(pair.key) : colon.offset + 1;
    return [insertion(at, colon === undefined ? `: ${flow(value)}` : ` ${flow(value)}`)];
  }
  const end = endOf(now);
  // A block ends with the end of its last line.
  const after = text.slice(now.range[0], end).endsWith("\n") ? eol : "";
  return [{ start: now.range[0], end, text: `${flow(value)}${after}` }];
}

/** What a list gets besides what it has; undefined where it has something else. */
function beyond(list: YAMLSeq<Node>, wanted: readonly unknown[]): readonly unknown[] | undefined {
  const has: unknown = list.toJSON();
  const isPrefix = canonical(has) === canonical(wanted.slice(0, list.items.length));
  return isPrefix && list.items.length > 0 ? wanted.slice(list.items.length) : undefined;
}

function intoList(text: string, list: YAMLSeq<Node>, more: readonly unknown[], eol: string): Edit {
  const end = endOf(list.items.at(-1) ?? list);
  if (list.flow) return insertion(end, more.map((one) => `, ${flow(one)}`).join(""));
  const indent = " ".repeat(indentOf(list.srcToken));
  return onNewLine(text, end, more.map((one) => `${indent}- ${flow(one)}${eol}`).join(""), eol);
}

function sameKeys(map: YAMLMap<Node, Node>, fields: Fields): boolean {
  return map.items.every(({ key }) => Object.hasOwn(fields, String(key)));
}

/** Where the last character of what it says is, without comments below. */
function endOf(node: Node): number {
  if ((isMap<Node, Node>(node) || isSeq<Node>(node)) && !node.flow) {
    const last = node.items.at(-1);
    if (last === undefined) return node.range?.[1] ?? 0;
    return isMap<Node, Node>(node) ? endOfPair(last as Pair<Node, Node | null>) : endOf(last as Node);
  }
  return node.range?.[1] ?? 0;
}

function endOfPair({ key, value, srcToken }: Pair<Node, Node | null>): number {
  if (value?.range && (value.range[0] !== value.range[1] || isAlias(value))) return endOf(value);
  const colon = srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  return colon === undefined ? endOf(key) : colon.offset + 1;
}

/** Behind the line of a place; that line gets its end where it has none. */
function onNewLine(text: string, end: number, lines: string, eol: string): Edit {
  if (end === 0 || text[end - 1] === "\n") return insertion(end, lines);
  const newline = text.indexOf("\n", end);
  if (newline !== -1) return insertion(newline + 1, lines);
  // The last line of the file stays without an end if it was without.
  return insertion(text.length, `${eol}${lines.slice(0, lines.length - eol.length)}`);
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

function indentOf(token: CST.Token | undefined): number {
  return token !== undefined && "indent" in token ? Math.max(0, token.indent) : 0;
}

function blockEntry(fields: Fields, indent: string, eol: string): string {
  const lines = Object.entries(fields).map(([name, value], index) => {
    const start = index === 0 ? "- " : "  ";
    if (!Array.isArray(value) || value.length < 2) return `${indent}${start}${name}: ${flow(value)}`;
    return [`${indent}${start}${name}:`, ...value.map((one) => `${indent}    - ${flow(one)}`)].join(eol);
  });
  return `${eol}${lines.join(eol)}${eol}`;
}

/** On one line. Texts are quoted, but for days. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (isFields(value)) {
    const members = Object.entries(value).map(([name, one]) => `${name}: ${flow(one)}`);
    return `{ ${members.join(", ")} }`;
  }
  return typeof value === "string" && !/^\d{4}-\d\d-\d\d$/.test(value) ? quoted(value) : String(value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
