import { parseUrl, shown, z } from "pulumi-page-guard/tools";
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { type MatchPattern, readPattern } from "./match";

/** One script of an inventory: what people wrote about it, and what `page-guard inventory update` saw. */
export interface InventoryEntry extends z.output<typeof entrySchema> {
  /** Of its first character in the file, from 1. */
  readonly line: number;
  /** Of the item in the list, from 0. */
  readonly at: number;
}

/** What is wrong in the file. */
export interface InventoryFault {
  readonly line: number;
  /** What is wrong and what is expected; ends with a full stop. Safe to show. */
  readonly message: string;
}

export interface InventoryFile {
  readonly entries: readonly InventoryEntry[];
  /** The pages that the inventory is about: URLs, `*` at their ends. None: all pages of the zone. */
  readonly pages: readonly string[];
  /** With any of these the entries are not all that the file says. */
  readonly faults: readonly InventoryFault[];
}

/** What approvals are checked by. */
interface ApprovalRules {
  /** `2026-11-23`: none is of a later day. */
  readonly today: string;
  /** What a reference such as `#123` continues: a URL. */
  readonly references: string | undefined;
}

/** Reads the text of an inventory: a YAML list of entries. Without `rules` approvals are not checked. Never throws. */
export function parseInventory(text: string, rules?: ApprovalRules): InventoryFile {
  const lines = new LineCounter();
  try {
    // A byte order mark before a list is no part of it.
    const document = parseDocument(text.replace(/^\ufeff/, ""), { lineCounter: lines, merge: true });
    return readList(document, lines, rules);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { entries: [], pages: [], faults: [{ line: 1, message: notYaml(error.message) }] };
  }
}

function readList(
  document: Document.Parsed,
  lines: LineCounter,
  rules: ApprovalRules | undefined,
): InventoryFile {
  const lineOf = (offset = 0) => Math.max(1, lines.linePos(offset).line);
  const [error] = document.errors;
  if (error) {
    const [reason = ""] = error.message.split(/ at line \d/);
    const fault = { line: lineOf(error.pos[0]), message: notYaml(reason) };
    return { entries: [], pages: [], faults: [fault] };
  }
  const list = document.contents;
  if (list === null || (isScalar(list) && list.value === null)) return { entries: [], pages: [], faults: [] };
  if (!isSeq<Node>(list)) {
    const message = "An inventory is a YAML list of entries, each with `match`.";
    return { entries: [], pages: [], faults: [{ line: lineOf(list.range?.[0]), message }] };
  }
  const entries: InventoryEntry[] = [];
  const pages: string[] = [];
  const faults: InventoryFault[] = [];
  for (const [at, node] of list.items.entries()) {
    const line = lineOf(node.range?.[0]);
    let value: unknown;
    try {
      value = node.toJS(document, { maxAliasCount: mostAliases });
    } catch (reason) {
      const why = reason instanceof Error ? reason.message : String(reason);
      faults.push({ line, message: notYaml(why) });
      continue;
    }
    const onFault = ({ issues }: z.ZodError): void => {
      for (const issue of issues)
        faults.push({ line: lineOf(placeOf(node, issue.path).range?.[0]), message: faultText(issue) });
    };
    if (isMap(node) && node.has("pages") && node.items.length === 1) {
      const { data, error } = pagesSchema.safeParse(value);
      pages.push(...(data?.pages ?? []));
      if (error) onFault(error);
      continue;
    }
    const { data, error } = entrySchema.safeParse(value);
    if (error) onFault(error);
    if (!data) continue;
    const isRight = (one: Approval | undefined): boolean => {
      const message = one && rules && approvalFault(one, rules);
      if (message !== undefined) faults.push({ line, message });
      return message === undefined;
    };
    entries.push({
      ...{ line, at, ...data },
      approved: isRight(data.approved) ? data.approved : undefined,
      change: data.change.filter(({ approved }) => isRight(approved)),
    });
  }
  return { entries, pages, faults };
}

function approvalFault(
  { on, reference }: Approval,
  { today, references }: ApprovalRules,
): string | undefined {
  if (on > today) return `approved.on: ${on} is in the future.`;
  if (referenceUrl(reference, references) !== undefined) return undefined;
  return `approved.reference: expected a URL, or #123 with --references; got ${shown(reference)}.`;
}

/** Where an approval was decided. Undefined: it leads nowhere. */
export function referenceUrl(reference: string, references: string | undefined): string | undefined {
  const text = /^[#!]\d+$/.test(reference) && references ? `${references}${reference.slice(1)}` : reference;
  return /^https?:$/.test(parseUrl(text)?.protocol ?? "") ? text : undefined;
}

function notYaml(reason: string): string {
  if (reason.startsWith("Maximum call stack")) return "This is nested too deep to be read.";
  return `This is not YAML: ${shown(reason)}.`;
}

/** More than any person writes; a few that stand for each other would fill the memory. */
const mostAliases = 100;

const expected = (what: string) => ({ error: `expected ${what}` });
const text = z.string(expected("text; quote what YAML reads as something else"));
const filled = text.trim().min(1, expected("text that is not empty"));
const day = text.refine(isDay, expected("a day such as 2026-11-23"));
const hash = text.regex(/^[0-9a-f]{64}$/i, expected("a SHA-256 of 64 hexadecimal characters")).toLowerCase();

/** `null` is what the field is without a value. */
const orAbsent = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);
const orBlank = text.nullish().transform((value) => value?.trim() || undefined);
const listOf = (schema: z.ZodType<string>) =>
  z
    .union([schema, z.array(schema)], expected("a text or a list of texts"))
    .nullish()
    .transform((value): readonly string[] => (typeof value === "string" ? [value] : (value ?? [])));

/** How the integrity of a script is assured. */
const integrity = z.union(
  [
    /** SHA-256 of its contents, in lower case: an approval holds for these alone. */
    z.strictObject({ hashes: z.array(hash).min(1) }),
    /** An enforced policy restricts where it comes from, by the name of its resource. */
    z.strictObject({ policy: filled }),
    /** The page names its digest (`integrity=`). */
    z.strictObject({ sri: z.literal(true) }),
    /** Nothing checks its contents, and why that is accepted. */
    z.strictObject({ any: filled }),
  ],
  expected('one of { hashes: [SHA-256, …] }, { policy: NAME }, { sri: true } and { any: "the reason" }'),
);
const approved = z.strictObject(
  { by: filled, reference: filled, on: day },
  expected("{ by, reference, on } or null"),
);

const change = z.strictObject({ hash, approved, why: orBlank });

type Approval = z.output<typeof approved>;

const pattern = text.transform((written, context): MatchPattern => {
  const read = readPattern(written);
  if (!("fault" in read)) return read;
  context.issues.push({ code: "custom", message: read.fault, input: written });
  return z.NEVER;
});

/** An item of its own: the pages that the whole file is about. */
const pagesSchema = z.strictObject({
  pages: listOf(
    text.regex(/^https?:\/\/[^\s,*"\\]+\*?$/, expected("the URL of a page, with * only at its end")),
  ),
});

const entrySchema = z.strictObject(
  {
    match: pattern,
    /** Empty texts are absent. */
    purpose: orBlank,
    justification: orBlank,
    owner: orBlank,
    pages: listOf(text),
    /** Whose it is: the payment processor's scripts run in the processor's frame. */
    scope: z
      .enum(["merchant", "processor"], expected("merchant or processor"))
      .nullish()
      .transform((value) => value ?? "merchant"),
    integrity: orAbsent(integrity),
    /** Absent: nobody has approved it. */
    approved: orAbsent(approved),
    /** Contents since then, each with its own approval. */
    change: z
      .union([change, z.array(change)], expected("{ hash, approved } or a list of these"))
      .nullish()
      .transform((value) => [value ?? []].flat()),
    /** The last day before the approval has to be reviewed. */
    reviewBy: orAbsent(day),
    /** Days on which it was first and last seen when it was added. Absent: a person added it. */
    firstSeen: orAbsent(day),
    lastSeen: orAbsent(day),
    /** Hosts on whose pages it was seen. */
    host: listOf(text),
    /** Of its contents, and its lowest integrity score, when it was added. */
    hash: listOf(hash),
    score: orAbsent(z.number(expected("a number"))),
    /** Enforced policies that allowed it, when it was added. */
    allowedBy: listOf(text),
    /** The day on which `update` no longer saw it. */
    gone: orAbsent(day),
  },
  expected("an entry: a mapping with `match`"),
);

/** A day as it is written: `2026-11-23`. */
export function isDay(written: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(written)) return false;
  const time = Date.parse(`${written}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(written);
}

/** The closest node to a path that is there: of a field that is missing, the entry. */
function placeOf(node: Node, path: readonly PropertyKey[]): Node {
  if (!isMap<Node, Node>(node)) return node;
  const [name] = path;
  const pair = node.items.find(({ key }) => String(key) === name);
  return pair?.key ?? node;
}

function faultText(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join(".");
  const place = path === "" ? "" : `${shown(path)}: `;
  if (issue.code !== "unrecognized_keys") return `${place}${issue.message}.`;
  const names = issue.keys.map((name) => shown(name, { max: 40 })).join(", ");
  return `${place}there is no field ${names}; docs/inventory.md lists them.`;
}
