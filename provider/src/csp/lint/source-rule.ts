import type { Finding } from "../finding";
import type { nearest } from "../match/nearest";
import type { ParsedDirective } from "../syntax/parse";
import type { Source } from "../syntax/source";
import type { LintRuleId } from "./lint-rules";

/** What a rule says of one source. */
export type Verdict = Pick<Finding, "ruleId" | "severity" | "message" | "syntax">;

/** One source of a directive, read. */
export interface Subject {
  readonly value: string;
  readonly lower: string;
  readonly source: Source;
  readonly directive: ParsedDirective;
  /** It decides which scripts are loaded. */
  readonly isForScripts: boolean;
  readonly nearest: typeof nearest;
}

export type SourceRule = (subject: Subject) => Verdict | undefined;

/** A source that cannot mean what it seems to say. */
export function fault(ruleId: LintRuleId, message: string): Verdict {
  return { ruleId, severity: "high", message, syntax: true };
}
