import type { FindingCode } from "../errors/finding-code";
import { withCode } from "../text/with-code";

/** One thing that is wrong, or worth a look, in what a resource declares. */
export interface Finding {
  /** `info`: what goes on, or will. */
  readonly severity: "error" | "warning" | "info";
  /** Stable name of what was found, kebab-case: `csp-blocks-in-use`. */
  readonly code: FindingCode;
  /** Path of the input: `rules[0].expression`; empty for the resource as a whole. */
  readonly property: string;
  /** Where in the value, told without its text: `character 12`. */
  readonly place?: string;
  /** What is wrong and what to do, in one or two sentences. */
  readonly message: string;
  /** The same for machines, where it has parts: hosts, rules, ids. What others wrote stands in it as it is. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** As the engine shows it: the code at its end. */
export function findingText({ code, property, message }: Finding): string {
  return withCode(property === "" ? message : `${property}: ${message}`, code);
}

export function errorsOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.severity === "error");
}

export function warningsOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.severity === "warning");
}
