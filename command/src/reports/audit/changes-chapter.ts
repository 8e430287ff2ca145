import { type Chapter, type Column, entry, linesCell, openChapter, tableOf } from "../blocks/document";
import { dayAndTime } from "./head";
import type { AuditChange, AuditReport } from "./report-data";

const order: readonly AuditChange["change"][] = ["malicious", "new", "changed", "gone"];

/** What is new, gone, changed or malicious: all that the runs of the period have found, and this one. */
export function changesChapter({ changes, head: { since } }: AuditReport): Chapter {
  const base = { ...openChapter("Changes in the period", "changes"), id: "changes" };
  if (changes === null) {
    const text =
      "Neither an earlier report (--since) nor the runs of the period (--runs) were given, so nothing could be compared.";
    return { ...base, entries: [entry(text)] };
  }
  const sorted = order.flatMap((kind) => changes.filter(({ change }) => change === kind));
  const found =
    changes.length === 0
      ? "Nothing has changed."
      : "A script that is gone may merely not have been seen for some days.";
  const last =
    since === null
      ? []
      : [
          `The last ones are those since the report of ${dayAndTime(since.madeAt)} (digest `,
          { code: since.digest.slice(0, 16) },
          "). ",
        ];
  return {
    ...base,
    count: changes.length,
    entries: [entry(...last, found)],
    ...(sorted.length > 0 && { table: tableOf(sorted, columns, "changes") }),
  };
}

const columns: readonly Column<AuditChange>[] = [
  { name: "found on", width: "narrow", cell: ({ on }) => on.slice(0, 10) },
  { name: "change", width: "narrow", cell: ({ change: is }) => (is === "malicious" ? { strong: is } : is) },
  { name: "zone", width: "narrow", cell: ({ zone }) => ({ code: zone }) },
  { name: "what", width: "narrow", cell: ({ kind }) => kind },
  { name: "which", cell: ({ subject }) => ({ code: subject, isWhole: true }) },
  { name: "details", cell: ({ details }) => linesCell(details.map(detailText)) },
];

function detailText({ field, before, after }: AuditChange["details"][number]): string {
  // The whole of a hash is in the JSON.
  const side = (text: string | null): string =>
    field === "hash" || field === "served in between"
      ? (text ?? "(none)").replace(/(\w{16})\w+/g, "$1…")
      : (text ?? "(none)");
  return `${field}: ${side(before)} → ${side(after)}`;
}
