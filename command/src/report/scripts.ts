import { hostOf } from "page-guard-csp";
import { compareTexts, grouped, type Policy, type Script } from "pulumi-page-guard/tools";
import { type InventoryEntry, type InventoryFile, referenceUrl } from "../inventory/inventory-file";
import { type InventoryFinding, judgeInventory, matchEntries } from "../inventory/judge";
import { groupsOf, isEnforced, type SeenScript, seenScripts } from "../inventory/seen-script";
import type { AuditEntry, AuditScript } from "../reports/audit/report-data";
import { distinct } from "../values";
import type { History } from "./history";

/** The inventory of a zone, where it is, and what git says of it. */
export interface ZoneInventory extends InventoryFile {
  readonly file: string;
  readonly history: History;
}

interface ScriptsContext {
  /** All policies of the zone; undefined: they could not be read. */
  readonly policies: readonly Policy[] | undefined;
  readonly inventory: ZoneInventory | undefined;
  readonly threshold: number;
  /** By the id of a script the payment pages that it was seen on; undefined: none are named, or they could not be read. */
  readonly seenOn: ReadonlyMap<string, readonly string[]> | undefined;
  /** When the report before was made. */
  readonly since: string | undefined;
  /** What a reference such as `#123` continues. */
  readonly references: string | undefined;
  /** `2026-11-23` */
  readonly today: string;
}

/**
 * A row for each entry of the inventory, whether its script is seen or not, and one for each script without an entry; the
 * versions of one script share a row. In an order that depends on the scripts alone.
 */
export function auditScripts(items: readonly Script[], context: ScriptsContext): AuditScript[] {
  const { inventory, policies, threshold, today, seenOn, since } = context;
  const seen = seenScripts(items, { policies, threshold });
  const itemOf = new Map(items.map((item) => [item.id, item]));
  const entries = inventory?.entries ?? [];
  const matched = matchEntries(entries, seen);
  const needsOf = needsIn(
    judgeInventory(entries, seen, { today, enforces: policies?.some(isEnforced) }).filter(
      ({ code }) => inventory !== undefined || code !== "inventory-not-listed",
    ),
  );
  const lines = [...entries.map(({ line }) => line), Number.POSITIVE_INFINITY].sort((a, b) => a - b);
  const row = (key: string, scripts: readonly SeenScript[], entry?: InventoryEntry): AuditScript => {
    const own = scripts.flatMap(({ id }) => itemOf.get(id) ?? []);
    const payment = scripts.flatMap(({ id }) => seenOn?.get(id) ?? []);
    const commit = entry && inventory?.history(entry.line, lines.find((line) => line > entry.line) ?? 0);
    return {
      ...factsOf(key, scripts, own),
      pages: sortedOnce([...scripts.flatMap(({ pages }) => pages), ...payment, ...(entry?.pages ?? [])]),
      onPaymentPages: seenOn === undefined ? null : payment.length > 0,
      served: scripts.flatMap(({ hash, versions }) =>
        versions.flatMap((one) =>
          one.hash !== hash && since !== undefined && (one.on ?? "") >= since.slice(0, 10)
            ? [{ hash: one.hash, on: one.on ?? null }]
            : [],
        ),
      ),
      entry: entry ? { ...entryOf(entry, context), commit: commit ?? null } : null,
      needs: needsOf(entry ? [entry] : scripts),
    };
  };
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
  items: readonly Script[],
): Omit<AuditScript, "pages" | "onPaymentPages" | "served" | "entry" | "needs"> {
  const urls = sortedOnce(scripts.map(({ url }) => url));
  const lowest = (scores: readonly number[]) => (scores.length === 0 ? null : Math.min(...scores));
  const scoreOf = (of: (item: Script) => number | undefined) =>
    lowest(items.flatMap((item) => of(item) ?? []));
  const firstSeen = scripts.flatMap((script) => script.firstSeen ?? []).sort();
  const lastSeen = scripts.flatMap((script) => script.lastSeen ?? []).sort();
  const malicious = scripts.find(({ malice }) => malice !== undefined);
  return {
    key,
    url: urls[0] ?? key,
    urls,
    versions: urls.length,
    host: sortedOnce(urls.map(hostOf)).join(", "),
    status: statusOf(items.map(({ status }) => status ?? "unknown")),
    firstSeen: firstSeen[0] ?? null,
    lastSeen: lastSeen.at(-1) ?? null,
    hashes: sortedOnce(scripts.flatMap(({ hash }) => hash ?? [])),
    score: lowest(scripts.flatMap(({ score }) => score ?? [])),
    scores: {
      obfuscation: scoreOf(({ obfuscationScore }) => obfuscationScore),
      dataflow: scoreOf(({ dataflowScore }) => dataflowScore),
      magecart: scoreOf(({ magecartScore }) => magecartScore),
      cryptomining: scoreOf(({ cryptominingScore }) => cryptominingScore),
      malware: scoreOf(({ malwareScore }) => malwareScore),
    },
    malicious: malicious?.malice ?? null,
    allowedBy: sortedOnce(scripts.flatMap(({ allowedBy = [] }) => allowedBy)),
  };
}

/** Of several versions the one that is most in use. */
function statusOf(statuses: readonly string[]): string {
  const known = ["active", "infrequent", "inactive"].find((status) => statuses.includes(status));
  return known ?? statuses[0] ?? "not listed";
}

function entryOf(
  entry: InventoryEntry,
  { inventory, references }: ScriptsContext,
): Omit<AuditEntry, "commit"> {
  const { line, match, purpose, justification, owner, scope, approved, change, reviewBy } = entry;
  const approval = (one: NonNullable<typeof approved>) => ({
    ...one,
    reference: referenceUrl(one.reference, references) ?? one.reference,
  });
  return {
    file: inventory?.file ?? "",
    line,
    match: match.text,
    purpose: purpose ?? null,
    justification: justification ?? null,
    owner: owner ?? null,
    scope,
    integrity: integrityOf(entry),
    approved: approved ? approval(approved) : null,
    changes: change.map(({ hash, approved: of }) => ({ hash, ...approval(of) })),
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
export function sortedOnce(texts: readonly string[]): string[] {
  return distinct(texts).sort(compareTexts);
}
