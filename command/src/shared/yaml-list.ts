import { isUtf8 } from "node:buffer";
import { clean, readMessage } from "pulumi-page-guard/tools";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLParseError } from "yaml";
import type * as z from "zod";

export interface ListFault {
  readonly line: number;
  /** Names the fault or the expected value, and ends with a full stop. Safe to show. */
  readonly message: string;
}

/** Maximum number of YAML aliases, many more than people write. Without a limit, aliases of aliases could fill the memory. */
const mostAliases = 100;

/**
 * Reads a YAML list in UTF-8, item by item. An empty text is an empty list. Never throws, but returns each fault with its line.
 * Returns each valid item with the line where it begins, counted from 1, and with its position in the list, counted from 0.
 *
 * @param expected Noun for the list: `a YAML list of entries`.
 * @param schemaOf Returns the schema for an item.
 * @param docs Documentation page that lists the fields, for messages about unknown fields.
 */
export function readYamlList<T>(
  content: string | Buffer,
  { expected, schemaOf, docs }: { expected: string; schemaOf: (item: unknown) => z.ZodType<T>; docs: string },
) {
  const lines = new LineCounter();
  const items: { readonly value: T; readonly line: number; readonly at: number }[] = [];
  const faults: ListFault[] = [];
  const findLine = (offset = 0): number => Math.max(1, lines.linePos(offset).line);
  const fault = (offset: number | undefined, message: string) =>
    void faults.push({ line: findLine(offset), message: `${message}.` });
  const attempt = (offset: number | undefined, work: () => void): void => {
    try {
      work();
    } catch (error) {
      fault(offset, notYaml(readMessage(error)));
    }
  };
  attempt(0, () => {
    // The parser would read a byte order mark, which some editors write, as part of the list.
    const document = parseDocument(content.toString().replace(/^\ufeff/, ""), {
      lineCounter: lines,
      merge: true,
    });
    const list = document.contents;
    const unreadable = findUnreadable(content, document.errors);
    if (unreadable) return fault(...unreadable);
    if (list === null || (isScalar(list) && list.value === null)) return;
    if (!isSeq<Node>(list)) return fault(list.range?.[0], `expected ${expected}`);
    for (const [at, node] of list.items.entries())
      attempt(node.range?.[0], () => {
        const item: unknown = node.toJS(document, { maxAliasCount: mostAliases });
        const read = schemaOf(item).safeParse(item);
        for (const issue of read.error?.issues ?? []) {
          const [name] = issue.code === "unrecognized_keys" ? issue.keys : issue.path;
          fault(findNode(node, name).range?.[0], issueText(issue, docs));
        }
        if (read.success) items.push({ value: read.data, line: findLine(node.range?.[0]), at });
      });
  });
  return { items, faults };
}

/** Returns the offset of the first fault that prevents reading the list, and its message. */
function findUnreadable(content: string | Buffer, [error]: readonly YAMLParseError[]) {
  // Other encodings are refused, because an edit would destroy the characters that could not be read.
  if (typeof content !== "string" && !isUtf8(content))
    return [content.toString().indexOf("\ufffd"), "This is not UTF-8. Save the file as UTF-8"] as const;
  if (!error) return undefined;
  const message =
    error.code === "MULTIPLE_DOCS"
      ? "expected one list, got several YAML documents; remove this `---`"
      : notYaml(error.message.split(/ at line \d/)[0] ?? "");
  return [error.pos[0], message] as const;
}

function notYaml(reason: string): string {
  if (reason.startsWith("Maximum call stack")) return "This is nested too deeply to be read";
  return `This is not YAML: ${clean(reason)}`;
}

/** Returns the node of a field, or of the whole item if the field is missing. */
function findNode(node: Node, name: PropertyKey | undefined): Node {
  const pair = isMap<Node, Node>(node) ? node.items.find(({ key }) => String(key) === name) : undefined;
  return pair?.key ?? node;
}

function issueText(issue: z.core.$ZodIssue, docs: string): string {
  const path = issue.path.map(String).join(".");
  const place = path === "" ? "" : `${clean(path)}: `;
  if (issue.code !== "unrecognized_keys") return `${place}${issue.message}`;
  const names = issue.keys.map((name) => clean(name, { max: 40 })).join(", ");
  return `${place}there is no field ${names}; the documentation of page-guard, ${docs}, lists all fields`;
}
