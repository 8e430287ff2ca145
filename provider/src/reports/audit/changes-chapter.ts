import { type Chapter, type Inline, line } from "../blocks/document";
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
    return {
      ...base,
      entries: [
        {
          lines: [
            line(
              "No earlier report was given (--since): keep the JSON of each report to compare the next one with it.",
            ),
          ],
        },
      ],
    };
  }
  const since = `Compared with the report of ${head.since.madeAt.slice(0, 16).replace("T", " ")} UTC`;
  const sorted = order.flatMap((kind) => changes.filter(({ change }) => change === kind));
  return {
    ...base,
    count: changes.length,
    entries: [
      {
        lines: [
          line(
            since,
            " (digest ",
            { code: head.since.digest.slice(0, 16) },
            "). ",
            changes.length === 0
              ? "Nothing has changed."
              : "A script that is gone may merely not have been seen for some days.",
          ),
        ],
      },
    ],
    ...(sorted.length > 0 && {
      table: {
        search: "changes",
        heads: ["change", "zone", "what", "which", "details"].map((name) => ({ name })),
        rows: sorted.map(({ change, zone, kind, subject, details }): Inline[][] => [
          change === "malicious" ? [{ strong: "malicious" }] : [change],
          [{ code: zone }],
          [kind],
          [{ code: subject, isWhole: true }],
          details.length === 0
            ? []
            : [
                {
                  names: details.map(
                    ({ field, before, after }) => `${field}: ${before ?? "(none)"} → ${after ?? "(none)"}`,
                  ),
                  areLines: true,
                },
              ],
        ]),
      },
    }),
  };
}
