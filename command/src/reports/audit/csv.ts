import { forCsv } from "../escape";
import type { OfZone } from "./head";
import type { AuditCookie, AuditData, AuditPolicy, AuditScript, AuditZone } from "./report-data";

/** A cell of the usual programs takes no more. */
const longest = 32_000;

type Cell = string | number | boolean | null | readonly string[];

/** The columns of a file, each with its cell of a row. */
export type Columns<T> = Readonly<Record<string, (row: T) => Cell | undefined>>;

const ofZone: Columns<OfZone<unknown>> = { zone: ({ zone }) => zone.name, zone_id: ({ zone }) => zone.id };

const scripts: Columns<OfZone<AuditScript>> = {
  ...ofZone,
  script: ({ url }) => url,
  urls: ({ urls }) => urls,
  host: ({ host }) => host,
  status: ({ status }) => status,
  first_seen: ({ firstSeen }) => firstSeen,
  last_seen: ({ lastSeen }) => lastSeen,
  sha256: ({ hashes }) => hashes,
  score: ({ score }) => score,
  obfuscation_score: ({ scores }) => scores.obfuscation,
  dataflow_score: ({ scores }) => scores.dataflow,
  magecart_score: ({ scores }) => scores.magecart,
  cryptomining_score: ({ scores }) => scores.cryptomining,
  malware_score: ({ scores }) => scores.malware,
  malicious: ({ malicious }) => malicious,
  pages: ({ pages }) => pages,
  on_payment_pages: ({ onPaymentPages }) => onPaymentPages,
  served_in_between: ({ served }) => served.map(({ hash }) => hash),
  allowed_by: ({ allowedBy }) => allowedBy.join("; "),
  match: ({ entry }) => entry?.match,
  purpose: ({ entry }) => entry?.purpose,
  justification: ({ entry }) => entry?.justification,
  owner: ({ entry }) => entry?.owner,
  scope: ({ entry }) => entry?.scope,
  integrity: ({ entry }) => entry?.integrity,
  approved_by: ({ entry }) => entry?.approved?.by,
  approved_on: ({ entry }) => entry?.approved?.on,
  approval_reference: ({ entry }) => entry?.approved?.reference,
  approved_changes: ({ entry }) => entry?.changes.map(({ hash }) => hash),
  commit: ({ entry }) => entry?.commit?.id,
  commit_on: ({ entry }) => entry?.commit?.on,
  commit_on_default_branch: ({ entry }) => entry?.commit?.isOnDefault,
  review_by: ({ entry }) => entry?.reviewBy,
  inventory: ({ entry }) => entry && `${entry.file}:${entry.line}`,
  needs: ({ needs }) => needs.map(({ code }) => code),
};

const policies: Columns<OfZone<AuditPolicy>> = {
  ...ofZone,
  policy: ({ description }) => description,
  policy_id: ({ id }) => id,
  action: ({ action }) => action,
  enabled: ({ enabled }) => enabled,
  expression: ({ expression }) => expression,
  value: ({ value }) => value,
  declared_by: ({ declaredBy }) => declaredBy,
  logging_since: ({ loggingSince }) => loggingSince,
  examined: ({ impact }) => impact?.examined,
  blocked: ({ impact }) => impact && impact.breaks.scripts + impact.breaks.connections,
  malicious_kept_out: ({ impact }) => impact && impact.keepsOut.scripts + impact.keepsOut.connections,
  malicious_let_in: ({ impact }) => impact?.letsIn,
  lint: ({ lint }) => lint.map(({ rule }) => rule),
};

const cookies: Columns<OfZone<AuditCookie>> = {
  ...ofZone,
  name: ({ name }) => name,
  type: ({ type }) => type,
  host: ({ host }) => host,
  domain: ({ domain }) => domain,
  path: ({ path }) => path,
  same_site: ({ sameSite }) => sameSite,
  secure: ({ isSecure }) => isSecure,
  http_only: ({ isHttpOnly }) => isHttpOnly,
  first_seen: ({ firstSeen }) => firstSeen,
  last_seen: ({ lastSeen }) => lastSeen,
  page: ({ page }) => page,
};

/** Files by their name. Lists are in one cell, separated by a space; URLs, hosts and hashes have none. */
export function csv({ zones }: AuditData): Readonly<Record<string, string>> {
  const ofAll = <T>(columns: Columns<OfZone<T>>, rowsOf: (zone: AuditZone) => readonly T[] | null): string =>
    csvOf(
      columns,
      zones.flatMap((zone) => (rowsOf(zone) ?? []).map((row) => ({ ...row, zone }))),
    );
  return {
    "scripts.csv": ofAll(scripts, (zone) => zone.scripts),
    "policies.csv": ofAll(policies, (zone) => zone.policies),
    "cookies.csv": ofAll(cookies, (zone) => zone.cookies),
  };
}

/** RFC 4180: CRLF after each record, the header first. */
export function csvOf<T>(columns: Columns<T>, rows: readonly T[]): string {
  const field = (cell: Cell): string =>
    forCsv(cell !== null && typeof cell === "object" ? cell.join(" ") : String(cell ?? ""), longest);
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => field(cellOf(row) ?? null)));
  return [Object.keys(columns), ...cells].map((row) => `${row.join(",")}\r\n`).join("");
}
