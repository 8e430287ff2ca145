import { type Chapter, entry, type Inline, linesCell } from "../blocks/document";
import { dayAndTime } from "./head";
import type { AuditChange, AuditReport } from "./report-data";

const order: readonly AuditChange["change"][] = ["malicious", "new", "changed", "gone"];

/** What is new, gone, changed or malicious since the earlier report. */
export function changesChapter({ changes, head }: AuditReport): Chapter {
  const base = {
    id: "changes",
    title: "Changes since the earlier report",
    look: "open",
    what: "changes",
  } as const;
  if (changes === null || head.since === null) {
    const text =
      "No earlier report was given (--since): keep the JSON of each report to compare the next one with it.";
    return { ...base, entries: [entry(text)] };
  }
  const sorted = order.flatMap((kind) => changes.filter(({ change }) => change === kind));
  return {
    ...base,
    count: changes.length,
    entries: [
      entry(
        `Compared with the report of ${dayAndTime(head.since.madeAt)} (digest `,
        { code: head.since.digest.slice(0, 16) },
        "). ",
        changes.length === 0
          ? "Nothing has changed."
          : "A script that is gone may merely not have been seen for some days.",
      ),
    ],
    ...(sorted.length > 0 && {
      table: {
        search: "changes",
        heads: [
          { name: "change", width: "narrow" },
          { name: "zone", width: "narrow" },
          { name: "what", width: "narrow" },
          { name: "which" },
          { name: "details" },
        ],
        rows: sorted.map(({ change, zone, kind, subject, details }): Inline[][] => [
          change === "malicious" ? [{ strong: "malicious" }] : [change],
          [{ code: zone }],
          [kind],
          [{ code: subject, isWhole: true }],
          linesCell(details.map(detailText)),
        ]),
      },
    }),
  };
}

function detailText({ field, before, after }: AuditChange["details"][number]): string {
  const side = (text: string | null): string => {
    if (text === null) return "(none)";
    // The whole of a hash is in the JSON.
    return field === "hash" ? text.replace(/(\w{16})\w+/g, "$1…") : text;
  };
  return `${field}: ${side(before)} → ${side(after)}`;
}
