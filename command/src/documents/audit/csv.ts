import { asRecord } from "../../shared/values";
import { forCsv } from "../escape";
import type { AuditPolicy, AuditReport, AuditZone } from "./report-data";

/** Maximum number of characters in a cell. Common spreadsheet programs accept only slightly more. */
const longest = 32_000;

/**
 * Columns, each given by the path of its field. A column is named after the last part of the path, in snake case, unless `name=`
 * precedes the path.
 */
const ofZone = "zone=zone.name zone_id=zone.id";
const scripts = `${ofZone} script=url urls host status firstSeen lastSeen sha256=hashes score
  obfuscation_score=scores.obfuscation dataflow_score=scores.dataflow magecart_score=scores.magecart
  cryptomining_score=scores.cryptomining malware_score=scores.malware malicious pages onPaymentPages
  served_in_between=served.hash allowed_by=allowing entry.match entry.purpose entry.justification entry.owner
  entry.scope entry.integrity approved_by=entry.approved.by approved_on=entry.approved.on
  approval_reference=entry.approved.reference approved_changes=entry.changes.hash commit=entry.commit.id
  commit_on=entry.commit.on commit_on_default_branch=entry.commit.isOnDefault entry.reviewBy inventory needs=needs.code threshold`;
const policies = `${ofZone} policy=description policy_id=id action enabled expression value declaredBy loggingSince
  impact.examined blocked malicious_kept_out=keptOut malicious_let_in=impact.letsIn lint=lint.rule`;
const cookies = `${ofZone} name type host domain path sameSite secure=isSecure http_only=isHttpOnly firstSeen lastSeen page`;

/** Returns the CSV files by name. A list is one cell, with spaces between items; URLs, hosts and hashes contain no spaces. */
export function csv({ data: { zones }, head: { threshold } }: AuditReport): Readonly<Record<string, string>> {
  const sum = (counts: NonNullable<AuditPolicy["impact"]>["breaks"] | undefined) =>
    counts && counts.scripts + counts.connections;
  const rows = <T extends object>(of: (zone: AuditZone) => readonly T[] | null) =>
    zones.flatMap((zone) => (of(zone) ?? []).map((one) => ({ zone, ...one })));
  const scriptRows = rows((zone) => zone.scripts).map(({ allowedBy, entry, ...one }) => ({
    ...one,
    entry,
    threshold,
    allowing: allowedBy.join("; "),
    inventory: entry && `${entry.file}:${entry.line}`,
  }));
  const policyRows = rows((zone) => zone.policies).map((one) => ({
    ...one,
    blocked: sum(one.impact?.breaks),
    keptOut: sum(one.impact?.keepsOut),
  }));
  const cookieRows = rows((zone) => zone.cookies);
  return {
    "scripts.csv": renderCsv(scripts, scriptRows),
    "policies.csv": renderCsv(policies, policyRows),
    "cookies.csv": renderCsv(cookies, cookieRows),
  };
}

/** Returns a CSV file (RFC 4180): the header first, and CRLF after each record. */
export function renderCsv(columns: string, rows: readonly object[]): string {
  const all = columns.split(/\s+/).map((column) => {
    const [name = "", path = name] = column.split("=");
    const last = name.split(".").at(-1) ?? "";
    return { head: last.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), path: path.split(".") };
  });
  const field = (value: unknown): string =>
    forCsv(Array.isArray(value) ? value.join(" ") : String(value ?? ""), longest);
  const cells = rows.map((row) => all.map(({ path }) => field(path.reduce<unknown>(readField, row))));
  return [all.map(({ head }) => head), ...cells].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Returns the value of a field. For a list, returns the field of each item. */
function readField(value: unknown, name: string): unknown {
  return Array.isArray(value) ? value.map((one) => readField(one, name)) : asRecord(value)[name];
}
