import {
  type FindingGroups,
  type FindingMeaning,
  inventoryFindings,
  policyFindings,
  runFindings,
} from "./findings";
import { wafFindings } from "./waf-findings";

const tables = [inventoryFindings, policyFindings, runFindings, wafFindings] as const;

/** Every finding by its code: `docs/findings.md` is generated from it. Only reports load it; everything else needs its types only. */
export const findingTable = Object.fromEntries(
  tables.flatMap((groups: FindingGroups) =>
    Object.entries(groups).flatMap(([severity, rows]) =>
      Object.entries(rows).map(([code, row]) => [code, { severity, concern: "rest", ...row }]),
    ),
  ),
) as Readonly<Record<NamedFinding, FindingMeaning>>;

/** The codes that a table has with this severity. */
type CodesIn<Groups, Severity> = Groups extends unknown
  ? { [S in keyof Groups & Severity]: keyof Groups[S] & string }[keyof Groups & Severity]
  : never;

type Table = (typeof tables)[number];

export type NamedFinding = CodesIn<Table, string>;

/** No row of the table: each lint rule and each error has a code of its own. */
type LentCode = `csp-lint-${string}` | `PG_${string}`;

/** The stable name of each message about a resource. An error is shown with its own code. */
export type FindingCode = NamedFinding | LentCode;

/** The codes that a finding of this severity may have. */
export type CodeOf<Severity extends string> =
  | CodesIn<Table, Severity | (Severity extends "warning" | "error" ? "warning or error" : never)>
  | LentCode;
