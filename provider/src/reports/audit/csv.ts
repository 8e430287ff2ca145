import { forCsv } from "../escape";
import type { AuditData } from "./report-data";

/** A cell of the usual programs takes no more. */
const longest = 32_000;

type Cell = string | number | boolean | null | readonly string[];

/** Files by their name. Lists are in one cell, separated by a space; URLs, hosts and hashes have none. */
export function csv({ zones }: AuditData): Readonly<Record<string, string>> {
  return {
    "scripts.csv": document(
      [
        ...[
          "zone",
          "zone_id",
          "script",
          "urls",
          "host",
          "status",
          "first_seen",
          "last_seen",
          "sha256",
          "score",
        ],
        ...["malicious", "pages", "allowed_by", "match", "purpose", "justification", "owner", "scope"],
        ...[
          "integrity",
          "approved_by",
          "approved_on",
          "approval_reference",
          "review_by",
          "inventory",
          "needs",
        ],
      ],
      zones.flatMap((zone) =>
        (zone.scripts ?? []).map((script) => [
          ...[zone.name, zone.id, script.url, script.urls, script.host, script.status],
          ...[script.firstSeen, script.lastSeen, script.hashes, script.score, script.malicious],
          ...[script.pages, script.allowedBy.join("; "), script.entry?.match ?? null],
          ...[script.entry?.purpose ?? null, script.entry?.justification ?? null],
          ...[script.entry?.owner ?? null, script.entry?.scope ?? null, script.entry?.integrity ?? null],
          ...[script.entry?.approved?.by ?? null, script.entry?.approved?.on ?? null],
          ...[script.entry?.approved?.reference ?? null, script.entry?.reviewBy ?? null],
          script.entry ? `${script.entry.file}:${script.entry.line}` : null,
          script.needs.map(({ code }) => code),
        ]),
      ),
    ),
    "policies.csv": document(
      [
        ...[
          "zone",
          "zone_id",
          "policy",
          "policy_id",
          "action",
          "enabled",
          "expression",
          "value",
          "declared_by",
        ],
        ...[
          "logging_since",
          "examined",
          "blocked",
          "malicious_kept_out",
          "malicious_let_in",
          "lint",
          "ready",
          "reasons",
        ],
      ],
      zones.flatMap((zone) =>
        (zone.policies ?? []).map((policy) => [
          ...[zone.name, zone.id, policy.description, policy.id, policy.action, policy.enabled],
          ...[policy.expression, policy.value, policy.declaredBy, policy.loggingSince],
          policy.impact?.examined ?? null,
          policy.impact ? policy.impact.breaks.scripts + policy.impact.breaks.connections : null,
          policy.impact ? policy.impact.keepsOut.scripts + policy.impact.keepsOut.connections : null,
          policy.impact?.letsIn ?? null,
          policy.lint.map(({ rule }) => rule),
          ...[policy.ready?.answer ?? null, policy.ready?.reasons.join(" ") ?? null],
        ]),
      ),
    ),
    "waf.csv": document(
      [
        ...[
          "zone",
          "zone_id",
          "position",
          "migration_state",
          "previous_waf",
          "new_waf",
          "may_begin",
          "reasons",
        ],
        ...["uri_overrides", "rules_to_move", "runs_owasp", "rules"],
      ],
      zones.map(({ name, id, waf }) => [
        ...[name, id, waf?.position ?? "not read", waf?.migrationState ?? null, waf?.previous ?? null],
        ...[waf?.next ?? null, waf?.mayBegin ?? null, waf?.reasons.join(" ") ?? null],
        waf?.uriOverrides.map((one) => one.description ?? one.id).join("; ") ?? null,
        ...[waf?.rulesToMove ?? null, waf?.runsOwasp ?? null, waf?.rules.length ?? null],
      ]),
    ),
  };
}

/** RFC 4180: CRLF after each record, the header first. */
function document(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [heads, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function field(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "object" ? forCsv(cell.join(" "), longest) : forCsv(String(cell), longest);
}
