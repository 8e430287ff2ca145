import type { CodeOf } from "../errors/findings";
import { withCode } from "../text/message";

type Severity = "error" | "warning" | "info";

/** A message about a declaration: a problem, something to check or, with severity `info`, something that will happen. */
export type Finding = {
  [One in Severity]: {
    readonly severity: One;
    /** Stable name of the finding, such as `csp-adopted`. `errors/findings.ts` gives the severity of most codes. */
    readonly code: CodeOf<One>;
    /** Path of the input, such as `rules[0].expression`; empty if the finding is about the resource as a whole. */
    readonly property: string;
    /** Place in the value, such as `character 12`. Never quotes the value. */
    readonly place?: string;
    /** The problem and how to fix it, in one or two sentences. */
    readonly message: string;
    /** Parts of the message for programs, such as hosts, rules and ids. Strings from outside are not escaped here. */
    readonly data?: Readonly<Record<string, unknown>>;
  };
}[Severity];

type Data = Finding["data"];

/** Creates a finding that prevents the change. */
export function makeError(property: string, code: CodeOf<"error">, message: string, data?: Data): Finding {
  return { severity: "error", code, property, message, ...(data && { data }) };
}

export function makeWarning(
  property: string,
  code: CodeOf<"warning">,
  message: string,
  data?: Data,
): Finding {
  return { severity: "warning", code, property, message, ...(data && { data }) };
}

export function makeInfo(property: string, code: CodeOf<"info">, message: string, data?: Data): Finding {
  return { severity: "info", code, property, message, ...(data && { data }) };
}

/** Returns the message of a finding as the engine shows it: after the property path, with the code at its end. */
export function findingText({ code, property, message }: Finding): string {
  return withCode(property === "" ? message : `${property}: ${message}`, code);
}

export function selectErrors(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.severity === "error");
}

export function selectWarnings(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.severity === "warning");
}
