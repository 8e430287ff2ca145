import {
  type Chapter,
  type Column,
  entry,
  type Inline,
  linesCell,
  openChapter,
  tableOf,
} from "../blocks/document";
import { severities } from "./attention";
import { type OfZone, unreadEntry, withZoneColumn } from "./head";
import type { AuditData, AuditScript } from "./report-data";

/** 6.4.3: each script, who approved it and why, and what keeps it as it is. */
export function scriptsChapter({ zones }: AuditData): Chapter {
  const all = zones.flatMap((zone) => (zone.scripts ?? []).map((script) => ({ ...script, zone })));
  const rows = severities.flatMap((wanted) => all.filter((script) => urgencyOf(script) === wanted));
  const withoutInventory = zones.filter(({ inventory }) => inventory === null).map(({ name }) => name);
  return {
    ...openChapter("Requirement 6.4.3: scripts of payment pages", "scripts"),
    ...{ id: "requirement-643", count: rows.length },
    entries: [
      entry(
        "Each script, those that need a person first, with its written justification, its approval, and the method that assures its integrity. The approval is the merged change of the inventory in Git; the reference leads to it.",
      ),
      ...(withoutInventory.length > 0
        ? [
            entry(
              ...[{ strong: "No inventory was given" }, " for ", { names: withoutInventory }],
              ": purpose, justification and approval of their scripts are not known here.",
            ),
          ]
        : []),
      ...unreadEntry(zones, "scripts", "scripts"),
      ...zones.flatMap(({ name, inventory }) => {
        const faults = inventory?.faults.map(({ line, message }) => `line ${line}: ${message}`) ?? [];
        const heading = [{ strong: "Faults in the inventory" }, " of ", { code: name }, ": "];
        return faults.length === 0 ? [] : [entry(...heading, ...linesCell(faults))];
      }),
    ],
    table: tableOf(rows, withZoneColumn(zones, columns), "scripts"),
  };
}

/** What a person has to act on comes first. */
function urgencyOf({ needs }: AuditScript): (typeof severities)[number] {
  return severities.find((one) => needs.some(({ severity }) => severity === one)) ?? "info";
}

const columns: readonly Column<OfZone<AuditScript>>[] = [
  { name: "script", width: "wide", cell: scriptCell },
  {
    ...{ name: "needs", width: "wide" },
    // What asks for nothing is said where it belongs: a weak method, an unknown hash.
    cell: ({ needs }) =>
      linesCell(needs.filter(({ severity }) => severity !== "info").map(({ text }) => text)),
  },
  { name: "purpose, justification, owner", width: "wide", cell: purposeCell },
  { name: "approval", cell: approvalCell },
  { name: "integrity and policy", cell: integrityCell },
  { name: "pages", cell: ({ pages }) => (pages.length === 0 ? null : { names: pages, isCode: true }) },
  { name: "seen", width: "narrow", cell: seenCell },
  { name: "score", isNumber: true, cell: ({ score }) => score },
];

function scriptCell({ key, url, urls, entry, malicious }: AuditScript): Inline[] {
  const match = entry?.match ?? key;
  return [
    ...(malicious === null ? [] : [{ strong: "MALICIOUS" }, " "]),
    { code: url, isWhole: true },
    ...(match === url ? [] : [" matched by ", { code: match, isWhole: true }]),
    ...(urls.length > 1 ? [`, ${urls.length} versions`] : []),
  ];
}

function purposeCell({ entry }: AuditScript): Inline[] {
  if (!entry) return [];
  const { purpose, justification, scope, owner } = entry;
  const whose = [scope, owner].filter((part) => part !== null).join(", ");
  return [
    ...(purpose === null ? [] : [{ strong: purpose }, ": "]),
    ...[justification ?? "no justification", ` (${whose})`],
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

function integrityCell({ entry, hashes, allowedBy }: AuditScript): Inline[] {
  return [
    ...(entry?.integrity ? [entry.integrity, "; "] : []),
    ...(hashes.length === 0
      ? ["hash unknown"]
      : // The whole is in JSON and CSV.
        ["SHA-256 ", { names: hashes.map((hash) => hash.replace(/^(.{16}).+$/s, "$1…")), isCode: true }]),
    ...(allowedBy.length === 0
      ? ["; allowed by no enforced policy"]
      : ["; allowed by ", { names: allowedBy }]),
  ];
}

function seenCell({ firstSeen, lastSeen, status }: AuditScript): string {
  if (firstSeen === null && lastSeen === null) return `(${status})`;
  return `${(firstSeen ?? "?").slice(0, 10)} to ${(lastSeen ?? "?").slice(0, 10)} (${status})`;
}
