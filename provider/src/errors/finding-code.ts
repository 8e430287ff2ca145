import { inventoryFindings } from "./findings/inventory-findings";
import { policyFindings } from "./findings/policy-findings";
import { runFindings } from "./findings/run-findings";
import { wafFindings } from "./findings/waf-findings";

/** Every finding by its code: `docs/findings.md` is written from it. Only reports load it; all else needs its types. */
export const findingTable = { ...inventoryFindings, ...policyFindings, ...runFindings, ...wafFindings };

export type NamedFinding = keyof typeof findingTable;

/** The stable name of everything that this package says about a resource. An error is shown with its own code. */
export type FindingCode = NamedFinding | `csp-lint-${string}` | `PG_${string}`;

/** The codes that the table has with one severity, and those that it has no row for. */
export type CodeOf<Severity extends string> = Exclude<
  FindingCode,
  {
    [Code in NamedFinding]: Severity extends Named<(typeof findingTable)[Code]["severity"]> ? never : Code;
  }[NamedFinding]
>;

type Named<Listed extends string> = Listed extends `${infer First} or ${infer Second}`
  ? First | Second
  : Listed;
