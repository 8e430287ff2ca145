import { hostOf } from "page-guard-csp";
import { compareTexts, grouped, type Policy, type Script } from "pulumi-page-guard/tools";
import type { InventoryEntry, InventoryFile } from "../inventory/inventory-file";
import { type InventoryFinding, judgeInventory, matchEntries } from "../inventory/judge";
import { groupsOf, isEnforced, type SeenScript, seenScripts } from "../inventory/seen-script";
import type { AuditEntry, AuditScript } from "../reports/audit/report-data";

/** The inventory of a zone, and where it is. */
export interface ZoneInventory extends InventoryFile {
  readonly file: string;
  readonly isMissing: boolean;
}

export interface ScriptsContext {
  /** All policies of the zone; undefined: they could not be read. */
  readonly policies: readonly Policy[] | undefined;
  readonly inventory: ZoneInventory | undefined;
  readonly threshold: number;
  /** The pages that were asked for, and by the id of a script those of them that it was seen on. */
  readonly seenOn?:
    | { readonly asked: readonly string[]; readonly pages: ReadonlyMap<string, readonly string[]> }
    | undefined;
  /** `2026-11-23` */
  readonly today: string;
}

/**
 * A row for each entry of the inventory, whether its script is seen or not, and one for each script without an entry; the
 * versions of one script share a row. In an order that depends on the scripts alone.
 */
export function auditScripts(items: readonly Script[], context: ScriptsContext): AuditScript[] {
  const { inventory, policies, threshold, today, seenOn } = context;
  const seen = seenScripts(items, { policies, threshold });
  const statuses = new Map(items.map(({ id, status }) => [id, status ?? "unknown"]));
  const entries = inventory?.entries ?? [];
  const matched = matchEntries(entries, seen);
  const needsOf = needsIn(
    judgeInventory(entries, seen, { today, enforces: policies?.some(isEnforced) }).filter(
      ({ code }) => inventory !== undefined || code !== "inventory-not-listed",
    ),
  );
  const row = (key: string, scripts: readonly SeenScript[], entry?: InventoryEntry): AuditScript => ({
    ...factsOf(key, scripts, statuses),
    pages: distinct([
      ...scripts.flatMap(({ id, pages }) => [...pages, ...(seenOn?.pages.get(id) ?? [])]),
      // Where it was not seen on a page that was asked for, the entry alone does not make it so.
      ...(entry?.pages.filter((page) => scripts.length === 0 || !seenOn?.asked.includes(page)) ?? []),
    ]),
    entry: entry ? entryOf(entry, inventory?.file ?? "") : null,
    needs: needsOf(entry ? [entry] : scripts),
  });
  const rows = [
    ...matched.entries.map(({ entry, scripts }) => row(entry.match.text, scripts, entry)),
    ...groupsOf(matched.unlisted, seen).map(({ match, scripts }) =>
      row(match ?? scripts[0]?.url ?? "", scripts),
    ),
  ];
  return rows.sort((left, right) => compareTexts(left.key, right.key) || compareTexts(left.url, right.url));
}

function factsOf(
  key: string,
  scripts: readonly SeenScript[],
  statuses: ReadonlyMap<string, string>,
): Omit<AuditScript, "pages" | "entry" | "needs"> {
  const urls = distinct(scripts.map(({ url }) => url));
  const scores = scripts.flatMap(({ score }) => score ?? []);
  const firstSeen = scripts.flatMap((script) => script.firstSeen ?? []).sort();
  const lastSeen = scripts.flatMap((script) => script.lastSeen ?? []).sort();
  const malicious = scripts.find(({ malice }) => malice !== undefined);
  return {
    key,
    url: urls[0] ?? key,
    urls,
    versions: urls.length,
    host: distinct(urls.map(hostOf)).join(", "),
    status: statusOf(scripts.map(({ id }) => statuses.get(id) ?? "unknown")),
    firstSeen: firstSeen[0] ?? null,
    lastSeen: lastSeen.at(-1) ?? null,
    hashes: distinct(scripts.flatMap(({ hash }) => hash ?? [])),
    score: scores.length === 0 ? null : Math.min(...scores),
    malicious: malicious?.malice ?? null,
    allowedBy: distinct(scripts.flatMap(({ allowedBy = [] }) => allowedBy)),
  };
}

/** Of several versions the one that is most in use. */
function statusOf(statuses: readonly string[]): string {
  const known = ["active", "infrequent", "inactive"].find((status) => statuses.includes(status));
  return known ?? statuses[0] ?? "not listed";
}

function entryOf(entry: InventoryEntry, file: string): AuditEntry {
  const { line, match, purpose, justification, owner, scope, approved, reviewBy } = entry;
  return {
    file,
    line,
    match: match.text,
    purpose: purpose ?? null,
    justification: justification ?? null,
    owner: owner ?? null,
    scope,
    integrity: integrityOf(entry),
    approved: approved ? { by: approved.by, reference: approved.reference, on: approved.on } : null,
    reviewBy: reviewBy ?? null,
  };
}

function integrityOf({ integrity }: InventoryEntry): string | null {
  if (integrity === undefined) return null;
  if ("hashes" in integrity)
    return `approved contents: ${integrity.hashes.length} SHA-256 ${integrity.hashes.length === 1 ? "hash" : "hashes"}`;
  if ("policy" in integrity) return `weak: policy ${integrity.policy} restricts where it comes from`;
  return "sri" in integrity ? "subresource integrity: declared, not checked" : `none: ${integrity.any}`;
}

/** Findings by what they are about: the entry that is to blame, else their scripts. */
function needsIn(findings: readonly InventoryFinding[]) {
  const pairs = findings.flatMap((finding) =>
    (finding.entry ? [finding.entry] : finding.scripts).map((about) => ({ about, finding })),
  );
  const byWhat = grouped(pairs, ({ about }) => about);
  return (all: readonly (InventoryEntry | SeenScript)[]): AuditScript["needs"] => {
    const found = all.flatMap((one) => byWhat.get(one) ?? []);
    const once = new Set(found.map(({ finding }) => finding));
    return [...once].map(({ code, severity, text }) => ({ code, severity, text }));
  };
}

/** Each once, in an order of their own. */
export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compareTexts);
}
