import { type Chapter, type Inline, line, type Table } from "../blocks/document";
import type { AuditData, AuditScript, AuditZone } from "./report-data";

/** 6.4.3: each script, who approved it and why, and what keeps it as it is. */
export function scriptsChapter(data: AuditData): Chapter {
  const rows = data.zones.flatMap((zone) => (zone.scripts ?? []).map((script) => ({ zone, script })));
  const withoutInventory = data.zones.filter(({ inventory }) => inventory === null).map(({ name }) => name);
  const unread = data.zones.filter(({ scripts }) => scripts === null).map(({ name }) => name);
  const faulty = data.zones.filter(({ inventory }) => (inventory?.faults.length ?? 0) > 0);
  return {
    id: "requirement-643",
    title: "Requirement 6.4.3: scripts of payment pages",
    count: rows.length,
    look: "open",
    what: "scripts",
    entries: [
      {
        lines: [
          line(
            "Each script with its written justification, its approval, and the method that assures its integrity. The approval is the merged change of the inventory in Git; the reference leads to it.",
          ),
        ],
      },
      ...(withoutInventory.length > 0
        ? [
            {
              lines: [
                line(
                  { strong: "No inventory was given" },
                  " for ",
                  { names: withoutInventory },
                  ": purpose, justification and approval of their scripts are not known here.",
                ),
              ],
            },
          ]
        : []),
      ...(unread.length > 0
        ? [{ lines: [line({ strong: "Could not be read:" }, " the scripts of ", { names: unread }, ".")] }]
        : []),
      ...faulty.map(({ name, inventory }) => ({
        lines: [
          line({ strong: "Faults in the inventory" }, " of ", { code: name }, ": ", {
            names: (inventory?.faults ?? []).map((fault) => `line ${fault.line}: ${fault.message}`),
            areLines: true,
          }),
        ],
      })),
    ],
    table: scriptsTable(rows, data.zones.length > 1),
  };
}

function scriptsTable(
  rows: readonly { readonly zone: AuditZone; readonly script: AuditScript }[],
  hasZones: boolean,
): Table {
  return {
    search: "scripts",
    heads: [
      ...(hasZones ? [{ name: "zone" }] : []),
      { name: "script" },
      { name: "needs" },
      { name: "purpose and justification" },
      { name: "approval" },
      { name: "integrity" },
      { name: "pages" },
      { name: "seen" },
      { name: "score", isNumber: true },
      { name: "allowed by" },
      { name: "scope and owner" },
    ],
    rows: rows.map(({ zone, script }) => [
      ...(hasZones ? [[{ code: zone.name }] as const] : []),
      scriptCell(script),
      script.needs.length === 0 ? [] : [{ names: script.needs.map(({ text }) => text), areLines: true }],
      purposeCell(script),
      approvalCell(script),
      integrityCell(script),
      script.pages.length === 0 ? [] : [{ names: script.pages, isCode: true }],
      seenCell(script),
      script.score === null ? [] : [String(script.score)],
      script.allowedBy.length === 0 ? [] : [{ names: script.allowedBy }],
      scopeCell(script),
    ]),
  };
}

function scriptCell({ key, url, urls, entry, malicious }: AuditScript): Inline[] {
  const match = entry?.match ?? key;
  return [
    ...(malicious === null ? [] : [{ strong: "MALICIOUS " }]),
    { code: url, isWhole: true },
    ...(match === url ? [] : [" matched by ", { code: match, isWhole: true }]),
    ...(urls.length > 1 ? [`, ${urls.length} versions`] : []),
  ];
}

function purposeCell({ entry }: AuditScript): Inline[] {
  if (!entry) return [];
  return [
    ...(entry.purpose === null ? [] : [{ strong: entry.purpose }]),
    ...(entry.purpose !== null && entry.justification !== null ? [": "] : []),
    ...(entry.justification === null ? [] : [entry.justification]),
  ];
}

function approvalCell({ entry }: AuditScript): Inline[] {
  if (!entry) return [];
  const { approved, reviewBy } = entry;
  return [
    ...(approved === null
      ? [{ strong: "not approved" }]
      : [`${approved.on} by ${approved.by}, `, { link: approved.reference }]),
    ...(reviewBy === null ? [] : [`; review by ${reviewBy}`]),
  ];
}

function integrityCell({ entry, hashes }: AuditScript): Inline[] {
  const seen: Inline[] =
    hashes.length === 0 ? ["hash unknown"] : ["SHA-256 ", { names: hashes.map(shortHash), isCode: true }];
  return [...(entry?.integrity ? [entry.integrity, "; "] : []), ...seen];
}

/** The whole is in JSON and CSV. */
function shortHash(hash: string): string {
  return hash.length > 16 ? `${hash.slice(0, 16)}…` : hash;
}

function seenCell({ firstSeen, lastSeen, status }: AuditScript): Inline[] {
  const days = [firstSeen ?? "?", lastSeen ?? "?"].map((time) => time.slice(0, 10));
  const when = firstSeen === null && lastSeen === null ? "" : `${days.join(" to ")} `;
  return [`${when}(${status})`];
}

function scopeCell({ entry }: AuditScript): Inline[] {
  return entry ? [[entry.scope, entry.owner].filter((part) => part !== null).join(", ")] : [];
}
