import { hostOf } from "page-guard-csp";
import { groupBy, type Script } from "pulumi-page-guard/tools";
import type { AuditEntry, AuditScript } from "../documents/audit/report-data";
import type { History } from "../inventory/history";
import { type InventoryEntry, type InventoryFile, referenceUrl } from "../inventory/inventory-file";
import { type InventoryFinding, judgeInventory } from "../inventory/judge";
import { matchEntries } from "../inventory/match";
import {
  findLowest,
  groupScripts,
  mergeFacts,
  readSeenScripts,
  type SeenOptions,
  type SeenScript,
  sortDistinct,
} from "../inventory/seen-script";
import { compareTexts, distinct } from "../shared/values";

/** The inventory of a zone, with its path and its history in git. */
export interface ZoneInventory extends InventoryFile {
  readonly file: string;
  readonly history: History;
}

interface ScriptsContext extends Omit<SeenOptions, "pages"> {
  readonly inventory: ZoneInventory | undefined;
  /** The payment pages of each script, by script id. Undefined if no payment pages are named, or they could not be read. */
  readonly seenOn: ReadonlyMap<string, readonly string[]> | undefined;
  /** Time of the previous report. */
  readonly since: string | undefined;
  readonly references?: string | undefined;
  /** Date of the run, such as `2026-11-23`. */
  readonly today: string;
}

/**
 * Returns a row for each pair of a script and an inventory entry that matches it. A script that no entry matches also has a row,
 * and so does an entry that matches no script. The versions of a script share a row. The rows are sorted by `key`, then by URL.
 */
export function auditScripts(items: readonly Script[], context: ScriptsContext): AuditScript[] {
  const { inventory, policies, threshold, today, seenOn, since, onHosts } = context;
  const seen = readSeenScripts(items, { policies, threshold, onHosts });
  const entries = inventory?.entries ?? [];
  const matched = matchEntries(entries, seen);
  const findings = [...judgeInventory(entries, seen, { ...inventory, today, policies })];
  const needsOf = indexNeeds(findings.filter(({ code }) => inventory || code !== "inventory-not-listed"));
  const row = (key: string, scripts: readonly SeenScript[], entry?: InventoryEntry): AuditScript => {
    const payment = scripts.flatMap(({ id }) => seenOn?.get(id) ?? []);
    const { urls, firstSeen = null, lastSeen = null, score = null, pages, ...facts } = mergeFacts(scripts);
    const lowest = (name: keyof Script & `${string}Score`) =>
      findLowest(scripts.map(({ item }) => item[name])) ?? null;
    const statuses = scripts.map(({ item }) => item.status ?? "unknown");
    // The status of the version that is most in use.
    const status = ["active", "infrequent", "inactive", ...statuses].find((one) => statuses.includes(one));
    return {
      key,
      url: urls[0] ?? key,
      urls,
      versions: urls.length,
      firstSeen,
      lastSeen,
      score,
      ...facts,
      host: sortDistinct(urls.map(hostOf)).join(", "),
      status: status ?? "not listed",
      scores: {
        obfuscation: lowest("obfuscationScore"),
        dataflow: lowest("dataflowScore"),
        magecart: lowest("magecartScore"),
        cryptomining: lowest("cryptominingScore"),
        malware: lowest("malwareScore"),
      },
      malicious: scripts.find(({ malice }) => malice !== undefined)?.malice ?? null,
      pages: sortDistinct([...pages, ...payment]),
      onPaymentPages: seenOn === undefined ? null : payment.length > 0,
      served: scripts.flatMap(({ hash, versions }) =>
        versions
          .filter((one) => one.hash !== hash && since !== undefined && (one.on ?? "") >= since.slice(0, 10))
          .map((one) => ({ hash: one.hash, on: one.on ?? null })),
      ),
      entry: entry ? auditEntry(entry, context) : null,
      needs: needsOf(scripts, entry),
    };
  };
  const keyOf = new Map(
    groupScripts(seen).flatMap(({ match, scripts }) => scripts.map((one) => [one, match ?? one.url])),
  );
  const rows = [{ entry: undefined, scripts: matched.unlisted }, ...matched.entries].flatMap(
    ({ entry, scripts }) =>
      entry && scripts.length === 0
        ? [row(entry.match.text, [], entry)]
        : [...groupBy(scripts, (one) => keyOf.get(one) ?? one.url)].map(([key, own]) => row(key, own, entry)),
  );
  return rows.sort((left, right) => compareTexts(left.key, right.key) || compareTexts(left.url, right.url));
}

function auditEntry(entry: InventoryEntry, { inventory, references }: ScriptsContext): AuditEntry {
  const { line, match, scope, approved, change, integrity } = entry;
  const { purpose = null, justification = null, owner = null, reviewBy = null } = entry;
  const approval = (one: NonNullable<typeof approved>) => ({
    ...one,
    reference: referenceUrl(one.reference, references) ?? one.reference,
  });
  return {
    file: inventory?.file ?? "",
    line,
    match: match.text,
    purpose,
    justification,
    owner,
    scope,
    reviewBy,
    integrity: integrity ? integrityText(integrity) : null,
    approved: approved ? approval(approved) : null,
    changes: change.map(({ hash, approved: of }) => ({ hash, ...approval(of) })),
    commit: inventory?.history(entry) ?? null,
  };
}

function integrityText({ hashes, policy, sri, any }: NonNullable<InventoryEntry["integrity"]>): string {
  if (hashes) return `only contents with an approved SHA-256 (${hashes.length} approved)`;
  if (policy) return `weak: policy ${policy} restricts where the script comes from`;
  return sri ? "subresource integrity: declared, not checked" : `none: ${any}`;
}

/** Returns a function that looks up the findings about an entry or, without an entry, about scripts. */
function indexNeeds(findings: readonly InventoryFinding[]) {
  const pairs = findings.flatMap((finding) =>
    (finding.entry ? [finding.entry] : finding.scripts).map((about) => ({ about, finding })),
  );
  const byWhat = groupBy(pairs, ({ about }) => about);
  return (scripts: readonly SeenScript[], entry?: InventoryEntry): AuditScript["needs"] =>
    distinct((entry ? [entry] : scripts).flatMap((one) => byWhat.get(one)?.map(({ finding }) => finding)))
      .filter((one) => one.scripts.length === 0 || one.scripts.some((script) => scripts.includes(script)))
      .map(({ code, severity, text }) => ({ code, severity, text }));
}
