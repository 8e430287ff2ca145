import { distinct } from "../../values";
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
import type { AuditData, AuditScript, AuditZone } from "./report-data";

/** 6.4.3: each script, who approved it and why, and what keeps it as it is; those of payment pages first. */
export function scriptsChapter({ zones }: AuditData): Chapter {
  const all = zones.flatMap((zone) => (zone.scripts ?? []).map((script) => ({ ...script, zone })));
  const rows = severities.flatMap((wanted) => all.filter((script) => urgencyOf(script) === wanted));
  const elsewhere = rows.filter(({ onPaymentPages }) => onPaymentPages === false);
  const shown = rows.filter((row) => !elsewhere.includes(row));
  const names = (some: readonly AuditZone[]): Inline => ({ names: some.map(({ name }) => name) });
  const withoutInventory = zones.filter(({ inventory }) => inventory === null);
  const withoutPages = zones.filter(({ paymentPages }) => paymentPages.length === 0);
  const patterns = distinct(zones.flatMap(({ paymentPages }) => paymentPages));
  const table = (some: typeof rows, what: string) => tableOf(some, withZoneColumn(zones, columns), what);
  return {
    ...openChapter("Requirement 6.4.3: scripts of payment pages", "scripts"),
    ...{ id: "requirement-643", count: shown.length },
    entries: [
      entry(
        "Each script, those that need a person first, with its written justification, its approval, and the method that assures its integrity. The approval is the merged change of the inventory in Git; the reference leads to it.",
      ),
      ...(patterns.length > 0
        ? [entry("Payment pages: ", { names: patterns, isCode: true }, ". Other scripts are below.")]
        : []),
      ...(withoutPages.length > 0
        ? [
            entry(
              { strong: "No payment pages are named" },
              " for ",
              names(withoutPages),
              ", so all scripts are here: name them in the inventory (`- pages: […]`) or with --page.",
            ),
          ]
        : []),
      ...(withoutInventory.length > 0
        ? [
            entry(
              ...[{ strong: "No inventory was given" }, " for ", names(withoutInventory)],
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
    table: table(shown, "scripts"),
    ...(elsewhere.length > 0 && {
      details: [
        {
          ...openChapter("Scripts elsewhere", "scripts"),
          ...{ count: elsewhere.length, table: table(elsewhere, "scripts elsewhere") },
        },
      ],
    }),
  };
}

/** What a person has to act on comes first. */
function urgencyOf({ needs }: AuditScript): (typeof severities)[number] {
  return severities.find((one) => needs.some(({ severity }) => severity === one)) ?? "info";
}

const columns: readonly Column<OfZone<AuditScript>>[] = [
  { name: "script", width: "wide", cell: scriptCell },
  { name: "why", cell: whyCell },
  { name: "who", cell: whoCell },
  { name: "integrity", cell: ({ entry }) => entry?.integrity ?? null },
  {
    ...{ name: "needs", width: "wide" },
    // What asks for nothing is said where it belongs: a weak method, an unknown hash.
    cell: ({ needs }) =>
      linesCell(needs.filter(({ severity }) => severity !== "info").map(({ text }) => text)),
  },
  { name: "seen", isBelow: true, cell: seenCell },
  { name: "pages", isBelow: true, cell: ({ pages }) => namesCell(pages, true) },
  // The whole is in JSON and CSV.
  {
    ...{ name: "SHA-256", isBelow: true },
    cell: ({ hashes }) => (hashes.length === 0 ? ["unknown"] : namesCell(hashes.map(shortHash), true)),
  },
  {
    ...{ name: "served in between", isBelow: true },
    cell: ({ served }) => namesCell(served.map(({ hash, on }) => `${shortHash(hash)} ${on ?? ""}`.trim())),
  },
  {
    ...{ name: "allowed by", isBelow: true },
    cell: ({ allowedBy }) => (allowedBy.length === 0 ? ["no enforced policy"] : namesCell(allowedBy)),
  },
  { name: "score", isBelow: true, cell: ({ score }) => score },
  {
    ...{ name: "approval", isBelow: true },
    cell: ({ entry }) => (entry?.approved ? [{ link: entry.approved.reference }] : []),
  },
  { name: "approved changes", isBelow: true, cell: changesCell },
  { name: "commit", isBelow: true, cell: commitCell },
];

function namesCell(names: readonly string[], isCode = false): Inline[] {
  return names.length === 0 ? [] : [{ names, isCode }];
}

const shortHash = (hash: string): string => hash.replace(/^(.{12}).+$/s, "$1…");

function scriptCell({ key, url, urls, entry, malicious }: AuditScript): Inline[] {
  const match = entry?.match ?? key;
  return [
    ...(malicious === null ? [] : [{ strong: "MALICIOUS" }, " "]),
    { code: url, isWhole: true },
    ...(match === url ? [] : [" matched by ", { code: match, isWhole: true }]),
    ...(urls.length > 1 ? [`, ${urls.length} versions`] : []),
  ];
}

function whyCell({ entry }: AuditScript): Inline[] {
  if (!entry) return [];
  const { purpose, justification } = entry;
  return [...(purpose === null ? [] : [{ strong: purpose }, ": "]), justification ?? "no justification"];
}

function whoCell({ entry }: AuditScript): Inline[] {
  if (!entry) return [];
  const { approved, reviewBy, scope, owner } = entry;
  return [
    approved === null ? { strong: "not approved" } : `${approved.by}, ${approved.on}`,
    ...(reviewBy === null ? [] : [`; review by ${reviewBy}`]),
    ...(owner === null ? [] : [`; owner ${owner}`]),
    ...(scope === "merchant" || scope === null ? [] : [`; ${scope}`]),
  ];
}

function changesCell({ entry }: AuditScript): Inline[] {
  return (entry?.changes ?? []).flatMap(({ hash, by, on, reference }, index) => [
    `${index > 0 ? "; " : ""}${shortHash(hash)} ${on} by ${by}, `,
    { link: reference },
  ]);
}

function commitCell({ entry }: AuditScript): Inline[] {
  if (!entry) return [];
  const { commit } = entry;
  if (commit === null) return ["git cannot tell"];
  const { id, on, isOnDefault } = commit;
  if (id === null) return [{ strong: "not committed" }];
  const where =
    isOnDefault === null
      ? ["default branch not known"]
      : isOnDefault
        ? ["on the default branch"]
        : [{ strong: "not on the default branch" }];
  return [{ code: id.slice(0, 12) }, ` ${on.slice(0, 10)}, `, ...where];
}

function seenCell({ firstSeen, lastSeen, status }: AuditScript): string {
  if (firstSeen === null && lastSeen === null) return `(${status})`;
  return `${(firstSeen ?? "?").slice(0, 10)} to ${(lastSeen ?? "?").slice(0, 10)} (${status})`;
}
