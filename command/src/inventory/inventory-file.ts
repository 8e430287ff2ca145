import { clean, parseUrl } from "pulumi-page-guard/tools";
import * as z from "zod";
import { type ListFault, readYamlList } from "../shared/yaml-list";
import { spellPage } from "../suggest/selection";
import { type MatchPattern, readPattern } from "./match";

/** One script of an inventory, with the fields that people wrote and the facts that `page-guard inventory update` added. */
export interface InventoryEntry extends z.output<typeof entrySchema> {
  /** The line of the item's first character, from 1. */
  readonly line: number;
  /** The position of the item in the list, from 0. */
  readonly at: number;
}

export interface InventoryFile {
  readonly entries: readonly InventoryEntry[];
  /** URLs of the pages that the inventory is about, each with an optional `*` at its end; empty for all pages of the zone. */
  readonly pages: readonly string[];
  /** Faults in the file. If there are any, some entries or approvals may be missing from `entries`. */
  readonly faults: readonly ListFault[];
}

interface ApprovalRules {
  /** The current date, such as `2026-11-23`. No approval may have a later date. */
  readonly today: string;
  readonly references: string | undefined;
}

/** Parses the content of an inventory. Without `rules`, approvals are not checked. Never throws. */
export function parseInventory(content: string | Buffer, rules?: ApprovalRules): InventoryFile {
  const { items, faults } = readYamlList<{ pages: readonly string[] } | z.output<typeof entrySchema>>(
    content,
    {
      expected: "a YAML list of entries, each with `match`",
      docs: "docs/commands/inventory.md",
      schemaOf: (item) => (Object.keys(Object(item)).join() === "pages" ? pagesSchema : entrySchema),
    },
  );
  const entries = items.flatMap(({ value, line, at }): InventoryEntry[] => {
    if (!("match" in value)) return [];
    const isRight = (one: Approval | undefined): boolean => {
      const message = one && rules && approvalFault(one, rules);
      if (message !== undefined) faults.push({ line, message });
      return message === undefined;
    };
    const approved = isRight(value.approved) ? value.approved : undefined;
    return [{ ...value, line, at, approved, change: value.change.filter((one) => isRight(one.approved)) }];
  });
  return { entries, pages: items.flatMap(({ value }) => ("match" in value ? [] : value.pages)), faults };
}

function approvalFault({ on, reference }: Approval, { today, references }: ApprovalRules) {
  if (on > today) return `approved.on: ${on} is in the future.`;
  if (referenceUrl(reference, references) !== undefined) return undefined;
  return `approved.reference: expected a URL, or #123 with --references; got ${clean(reference)}.`;
}

/** Returns the URL at which an approval was decided; undefined if `reference` is not a URL and cannot be made into a URL. */
export function referenceUrl(reference: string, references: string | undefined): string | undefined {
  const text = /^[#!]\d+$/.test(reference) && references ? `${references}${reference.slice(1)}` : reference;
  return /^https?:$/.test(parseUrl(text)?.protocol ?? "") ? text : undefined;
}

const expected = (what: string) => ({ error: `expected ${what}` });
const text = z.string(expected("a string; put it in quotes if YAML reads it as another type"));
const filled = text.trim().min(1, expected("a string that is not empty"));
const day = text.refine(isDay, expected("a date such as 2026-11-23"));
const hash = text.refine(isHash, expected("a SHA-256 of 64 hexadecimal characters")).toLowerCase();

/** Makes a field optional. YAML reads a field without a value as `null`, so `null` counts as absent, too. */
const orAbsent = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);
const orBlank = text.nullish().transform((value) => value?.trim() || undefined);
const list = (schema: z.ZodType<string>) =>
  z
    .union([schema, z.array(schema)], expected("a string or a list of strings"))
    .nullish()
    .transform((value): readonly string[] => (typeof value === "string" ? [value] : (value ?? [])));

const methods = 'one of { hashes: [SHA-256, …] }, { policy: NAME }, { sri: true } or { any: "the reason" }';
const integrity = z
  .strictObject(
    {
      /** SHA-256 hashes of the script's contents, in lower case. The approval covers only contents with these hashes. */
      hashes: z.array(hash).min(1),
      /** The enforced policy, named by its `description`, that restricts where the script may come from. */
      policy: filled,
      /** The web page contains the digest of the script, in the attribute `integrity`. */
      sri: z.literal(true),
      /** Reason why unchecked contents are accepted. */
      any: filled,
    },
    expected(methods),
  )
  .partial()
  .refine((one) => Object.keys(one).length === 1, expected(methods));
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

/** Schema of a list item without `match`: the pages that the whole file is about. */
const pagesSchema = z.strictObject({
  pages: list(
    text
      .transform((written) => spellPage(written) ?? "")
      .pipe(z.string().min(1, expected("the URL of a page, without #, and with * only at its end"))),
  ),
});

const entrySchema = z.strictObject(
  {
    match: pattern,
    /** An empty string counts as absent, as in `justification` and `owner`. */
    purpose: orBlank,
    justification: orBlank,
    owner: orBlank,
    pages: list(text),
    /** `processor` for a script in the payment processor's own frame; `merchant` for all other scripts. */
    scope: z
      .enum(["merchant", "processor"], expected("merchant or processor"))
      .nullish()
      .transform((value) => value ?? "merchant"),
    integrity: orAbsent(integrity),
    /** Absent if nobody has approved the script. */
    approved: orAbsent(approved),
    /** Contents that were approved later, each with an approval of its own. */
    change: z
      .union([change, z.array(change)], expected("{ hash, approved } or a list of these"))
      .nullish()
      .transform((value) => [value ?? []].flat()),
    /** The date by which the approval has to be reviewed again. */
    reviewBy: orAbsent(day),
    /** Dates on which the script had first and last been seen when the entry was added. Absent if a person added the entry. */
    firstSeen: orAbsent(day),
    lastSeen: orAbsent(day),
    /** Hosts on whose pages the script was seen. */
    host: list(text),
    /** Hashes of the script's contents when the entry was added. */
    hash: list(hash),
    /** The lowest integrity score of the script when the entry was added. */
    score: orAbsent(z.number(expected("a number"))),
    /** Enforced policies that allowed the script when the entry was added. */
    allowedBy: list(text),
    /** The date on which `update` found that the script was gone. */
    gone: orAbsent(day),
  },
  expected("an entry: a mapping with `match`"),
);

/** Whether a string is a SHA-256 in hexadecimal characters. */
export function isHash(written: string): boolean {
  return /^[0-9a-f]{64}$/i.test(written);
}

/** Whether a string is a valid date in the form `2026-11-23`. */
export function isDay(written: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(written)) return false;
  const time = Date.parse(`${written}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(written);
}
