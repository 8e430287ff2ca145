/** How much a finding asks for: `error` is what the reader wanted to be stopped by, `note` is for who reads all. */
export type ReportSeverity = "error" | "warning" | "note";

/** One thing that was found, as every format shows it. Texts may hold what others wrote: each format escapes. */
export interface ReportFinding {
  /** Stable, kebab case: `never-declared`. Becomes the rule of SARIF and the type of a JUnit failure. */
  readonly code: string;
  readonly severity: ReportSeverity;
  readonly message: string;
  /** The zone's name. */
  readonly zone?: string | undefined;
  /** What it is about: the name of a resource, a file, a check. */
  readonly subject?: string | undefined;
  /** Where a person would change it, relative to the project. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** What a command found. The formats of `reports/` take this and nothing else. */
export interface Report {
  /** Name of the command: `page-guard drift`. */
  readonly title: string;
  readonly version: string;
  readonly findings: readonly ReportFinding[];
  /** What was looked at, whether something was found there or not: zones, files, checks. */
  readonly examined: readonly string[];
  /** One sentence for each rule, by code. */
  readonly rules?: Readonly<Record<string, string>> | undefined;
}
