/** What a finding is to someone who has to approve a change, the most urgent first. */
export type Concern = "undone" | "fails" | "malicious" | "visitors" | "others" | "beside" | "taken" | "rest";

type Severity = "error" | "warning" | "info" | "warning or error";

interface Row {
  /** Default: `rest`. */
  readonly concern?: Concern;
  /** One sentence. */
  readonly means: string;
  readonly wayOut: string;
}

/** Findings by severity and code. */
export type FindingGroups = { readonly [S in Severity]?: Readonly<Record<string, Row>> };

/** One row of `docs/findings.md`, which `npm run findings` writes. */
export interface FindingMeaning extends Required<Row> {
  readonly severity: Severity;
}
