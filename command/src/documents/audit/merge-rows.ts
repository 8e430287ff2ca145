import { groupBy } from "pulumi-page-guard/tools";
import { sortDistinct } from "../../inventory/seen-script";
import type { AuditScript } from "./report-data";

/** A script with the facts of all its rows. `urls` is empty if the service does not list the script. */
export type MergedScript = ReturnType<typeof mergeRows>[number];

/** Merges the rows of each script. A script has a row for each entry that matches it; an entry without scripts has its own row. */
export function mergeRows(scripts: readonly AuditScript[]) {
  return [...groupBy(scripts, ({ key }) => key).values()].map((rows) => {
    const [{ key, url }] = rows;
    const approvals = rows.flatMap(({ entry }) => entry?.approved ?? []);
    return {
      key,
      url,
      rows,
      urls: sortDistinct(rows.flatMap((row) => row.urls)),
      hashes: sortDistinct(rows.flatMap((row) => row.hashes)),
      served: sortDistinct(rows.flatMap((row) => row.served.map(({ hash }) => hash))),
      approvedBy: sortDistinct(approvals.map(({ by }) => by)),
      approvedOn: sortDistinct(approvals.map(({ on }) => on)),
      malicious: rows.find(({ malicious }) => malicious !== null)?.malicious ?? null,
      needs: rows.flatMap((row) => row.needs),
    };
  });
}
