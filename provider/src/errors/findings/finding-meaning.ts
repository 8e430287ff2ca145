/** What a finding is to someone who has to approve a change, the most urgent first. */
export type Concern = "undone" | "fails" | "malicious" | "visitors" | "others" | "taken" | "rest";

/** One row of `docs/findings.md`, which `npm run findings` writes. */
export interface FindingMeaning {
  readonly severity: "error" | "warning" | "info" | "warning or error";
  readonly concern: Concern;
  /** One sentence. */
  readonly means: string;
  readonly wayOut: string;
}

export type FindingTable = Readonly<Record<string, FindingMeaning>>;
