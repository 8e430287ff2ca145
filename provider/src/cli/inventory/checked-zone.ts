import type { InventoryFinding } from "../../inventory/judge";
import { plural } from "../../text/plural";
import type { ZoneRef } from "../zones";

/** A finding as it is reported. */
export interface CheckFinding
  extends Pick<InventoryFinding, "code" | "severity" | "text" | "subject" | "line"> {
  /** The same in the next run, wherever its line has moved to. */
  readonly fingerprint: string;
  /** Whether the run of `--since` had it; undefined: not asked. */
  readonly isNew: boolean | undefined;
  /** URLs. */
  readonly scripts: readonly string[];
}

/** One zone and its file. */
export interface CheckedZone {
  readonly zone: ZoneRef;
  readonly file: string;
  readonly entries: number;
  readonly scripts: number;
  /** Whether all of it was compared. */
  readonly isComplete: boolean;
  readonly findings: readonly CheckFinding[];
}

/** `2 errors (1 new), 1 warning` */
export function countsOf(findings: readonly CheckFinding[]): string {
  const counts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const some = findings.filter((finding) => finding.severity === severity);
    if (some.length === 0) return [];
    const fresh = some.filter(({ isNew }) => isNew === true).length;
    const name = severity === "info" ? "note" : severity;
    return [`${plural(some.length, name)}${fresh === 0 ? "" : ` (${fresh} new)`}`];
  });
  return counts.length === 0 ? "nothing to report" : counts.join(", ");
}
