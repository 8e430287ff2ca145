import { createHash } from "node:crypto";

/** `error`: what is to stop the reader; `note`: for those who read everything. */
export type ReportSeverity = "error" | "warning" | "note";

/** Findings have `info` for what reports call a note. */
export function reportSeverity(severity: "error" | "warning" | "info"): ReportSeverity {
  return severity === "info" ? "note" : severity;
}

/** One thing that was found, as every format shows it. Texts may come from outside: each format escapes. */
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
  /** What was checked, with or without findings: zones, files, checks. */
  readonly examined: readonly string[];
  /** One sentence for each rule, by code. */
  readonly rules?: Readonly<Record<string, string>> | undefined;
}

/** A finding in one sentence, with where it is. */
export function sentenceOf({ zone, subject, message }: ReportFinding): string {
  return [zone, subject, message].filter((part) => part !== undefined && part !== "").join(": ");
}

/** The same for the same finding of the next run, wherever its line has moved to. */
export function fingerprintOf({ code, zone, subject, message }: ReportFinding, ...format: string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([...format, code, zone, subject, message]))
    .digest("hex")
    .slice(0, 32);
}
