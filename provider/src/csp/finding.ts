import { shown as fit } from "../text/shown";
import type { LintRuleId } from "./lint/lint-rules";
import type { ParsedDirective, ParsedPolicy, Position } from "./syntax/parse";

export type Severity = "high" | "medium" | "low" | "info";

/** What `lint` has to say about one place of a policy's text. */
export interface Finding {
  /** One of the table in `docs/csp-lint-rules.md`: stable, for switching on. */
  readonly ruleId: LintRuleId;
  readonly severity: Severity;
  /** What is wrong and what to write instead. */
  readonly message: string;
  readonly position: Position;
  /** The directive it is about, where it is about one. */
  readonly directive?: string;
  /** The text cannot mean what it seems to say: browsers or the service pass over it or refuse it. */
  readonly syntax: boolean;
}

/** A rule finds; nothing else of it is known. */
export type Rule = (policy: ParsedPolicy) => Iterable<Finding>;

/** The directives that may deserve a word: those that count and those that browsers pass over. */
export function allDirectives(policy: ParsedPolicy): readonly ParsedDirective[] {
  return [...policy.directives, ...policy.ignored];
}

/** Long texts do not belong into a message. Control characters stay to be seen: they are what many findings are about. */
export function shown(text: string): string {
  const clean = text.slice(0, 1000).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0xa0 ? `\\x${code.toString(16).padStart(2, "0")}` : character;
  });
  return fit(clean, { max: 61 });
}
