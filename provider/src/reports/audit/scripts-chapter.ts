import { type Chapter, entry, type Inline, linesCell, type Table } from "../blocks/document";
import { unreadEntry } from "./head";
import type { AuditData, AuditScript, AuditZone } from "./report-data";

/** 6.4.3: each script, who approved it and why, and what keeps it as it is. */
export function scriptsChapter(data: AuditData): Chapter {
  const all = data.zones.flatMap((zone) => (zone.scripts ?? []).map((script) => ({ zone, script })));
  const rows = urgency.flatMap((wanted) => all.filter(({ script }) => urgencyOf(script) === wanted));
  const withoutInventory = data.zones.filter(({ inventory }) => inventory === null).map(({ name }) => name);
  const faulty = data.zones.filter(({ inventory }) => (inventory?.faults.length ?? 0) > 0);
  return {
    id: "requirement-643",
    title: "Requirement 6.4.3: scripts of payment pages",
    count: rows.length,
    look: "open",
    what: "scripts",
    entries: [
      entry(
        "Each script, those that need a person first, with its written justification, its approval, and the method that assures its integrity. The approval is the merged change of the inventory in Git; the reference leads to it.",
      ),
      ...(withoutInventory.length > 0
        ? [
            entry(
              { strong: "No inventory was given" },
              " for ",
              { names: withoutInventory },
              ": purpose, justification and approval of their scripts are not known here.",
            ),
          ]
        : []),
      ...unreadEntry(data.zones, "scripts", "scripts"),
      ...faulty.map(({ name, inventory }) =>
        entry(
          { strong: "Faults in the inventory" },
          " of ",
          { code: name },
          ": ",
          ...linesCell((inventory?.faults ?? []).map((fault) => `line ${fault.line}: ${fault.message}`)),
        ),
      ),
    ],
    table: scriptsTable(rows, data.zones.length > 1),
  };
}

const urgency = ["error", "warning", "info"] as const;

/** What a person has to act on comes first. */
function urgencyOf({ needs }: AuditScript): (typeof urgency)[number] {
  return urgency.find((one) => needs.some(({ severity }) => severity === one)) ?? "info";
}

function scriptsTable(
  rows: readonly { readonly zone: AuditZone; readonly script: AuditScript }[],
  hasZones: boolean,
): Table {
  return {
    search: "scripts",
    heads: [
      ...(hasZones ? [{ name: "zone" }] : []),
      { name: "script", width: "wide" },
      { name: "needs", width: "wide" },
      { name: "purpose, justification, owner", width: "wide" },
      { name: "approval" },
      { name: "integrity and policy" },
      { name: "pages" },
      { name: "seen", width: "narrow" },
      { name: "score", isNumber: true },
    ],
    rows: rows.map(({ zone, script }) => [
      ...(hasZones ? [[{ code: zone.name }] as const] : []),
      scriptCell(script),
      needsCell(script),
      purposeCell(script),
      approvalCell(script),
      integrityCell(script),
      script.pages.length === 0 ? [] : [{ names: script.pages, isCode: true }],
      seenCell(script),
      script.score === null ? [] : [String(script.score)],
    ]),
  };
}

function scriptCell({ key, url, urls, entry, malicious }: AuditScript): Inline[] {
  const match = entry?.match ?? key;
  return [
    ...(malicious === null ? [] : [{ strong: "MALICIOUS" }, " "]),
    { code: url, isWhole: true },
    ...(match === url ? [] : [" matched by ", { code: match, isWhole: true }]),
    ...(urls.length > 1 ? [`, ${urls.length} versions`] : []),
  ];
}

/** What asks for nothing is said where it belongs: a weak method, an unknown hash. */
function needsCell({ needs }: AuditScript): Inline[] {
  return linesCell(needs.filter(({ severity }) => severity !== "info").map(({ text }) => text));
}

function purposeCell({ entry }: AuditScript): Inline[] {
  if (!entry) return [];
  const { purpose, justification, scope, owner } = entry;
  const whose = [scope, owner].filter((part) => part !== null).join(", ");
  return [
    ...(purpose === null ? [] : [{ strong: purpose }, ": "]),
    justification ?? "no justification",
    ` (${whose})`,
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
  const seen: Inline[] =
    hashes.length === 0 ? ["hash unknown"] : ["SHA-256 ", { names: hashes.map(shortHash), isCode: true }];
  return [
    ...(entry?.integrity ? [entry.integrity, "; "] : []),
    ...seen,
    ...(allowedBy.length === 0
      ? ["; allowed by no enforced policy"]
      : ["; allowed by ", { names: allowedBy }]),
  ];
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
