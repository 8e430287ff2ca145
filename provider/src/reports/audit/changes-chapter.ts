import { type Chapter, type Column, entry, linesCell, openChapter, tableOf } from "../blocks/document";
import { dayAndTime } from "./head";
import type { AuditChange, AuditReport } from "./report-data";

const order: readonly AuditChange["change"][] = ["malicious", "new", "changed", "gone"];

/** What is new, gone, changed or malicious since the earlier report. */
export function changesChapter({ changes, head: { since } }: AuditReport): Chapter {
  const base = { ...openChapter("Changes since the earlier report", "changes"), id: "changes" };
  if (changes === null || since === null) {
    const text =
      "No earlier report was given (--since): keep the JSON of each report to compare the next one with it.";
    return { ...base, entries: [entry(text)] };
  }
  const sorted = order.flatMap((kind) => changes.filter(({ change }) => change === kind));
  const found =
    changes.length === 0
      ? "Nothing has changed."
      : "A script that is gone may merely not have been seen for some days.";
  const compared = `Compared with the report of ${dayAndTime(since.madeAt)} (digest `;
  return {
    ...base,
    count: changes.length,
    entries: [entry(compared, { code: since.digest.slice(0, 16) }, "). ", found)],
    ...(sorted.length > 0 && { table: tableOf(sorted, columns, "changes") }),
  };
}

const columns: readonly Column<AuditChange>[] = [
  { name: "change", width: "narrow", cell: ({ change: is }) => (is === "malicious" ? { strong: is } : is) },
  { name: "zone", width: "narrow", cell: ({ zone }) => ({ code: zone }) },
  { name: "what", width: "narrow", cell: ({ kind }) => kind },
  { name: "which", cell: ({ subject }) => ({ code: subject, isWhole: true }) },
  { name: "details", cell: ({ details }) => linesCell(details.map(detailText)) },
];

function detailText({ field, before, after }: AuditChange["details"][number]): string {
  // The whole of a hash is in the JSON.
  const side = (text: string | null): string =>
    field === "hash" ? (text ?? "(none)").replace(/(\w{16})\w+/g, "$1…") : (text ?? "(none)");
  return `${field}: ${side(before)} → ${side(after)}`;
}
