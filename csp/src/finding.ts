import type { LintRuleId, Severity, Unplaced } from "./lint/lint-rules";
import type { ParsedDirective, ParsedPolicy, Position } from "./syntax/parse";
import { shown } from "./texts";

/** What `lint` reports about one place in a policy's text. */
export interface Finding {
  /** One of the table in `docs/csp-lint-rules.md`: stable, for switching on. */
  readonly ruleId: LintRuleId;
  readonly severity: Severity;
  /** What is wrong and what to write instead. */
  readonly message: string;
  readonly position: Position;
  /** The directive it is about, where it is about one. */
  readonly directive?: string;
  /** The text cannot mean what it seems to say: browsers or the service ignore or refuse it. */
  readonly syntax: boolean;
}

/** At one of the directive's values, or at the whole directive. */
export function inDirective(directive: ParsedDirective, verdict: Unplaced, valueIndex = -1): Finding {
  const { ruleId, severity, message, syntax } = verdict;
  const position = directive.valuePositions[valueIndex] ?? directive.position;
  // Spread, each of many thousand would take several times as long.
  return { ruleId, severity, message, position, directive: directive.name, syntax };
}

export function inPolicy({ text }: ParsedPolicy, verdict: Unplaced): Finding {
  return { ...verdict, position: { offset: 0, length: text.length } };
}

export function allDirectives(policy: ParsedPolicy): readonly ParsedDirective[] {
  return [...policy.directives, ...policy.ignored];
}

/** Part of a policy's text for a message. Control characters become visible: many findings are about them. */
export function visible(text: string): string {
  const clean = text.slice(0, 1000).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0xa0 ? `\\x${code.toString(16).padStart(2, "0")}` : character;
  });
  // The end of a host says whose it is.
  return shown(clean.length > mostVisible ? `${clean.slice(0, 30)}…${clean.slice(-30)}` : clean, mostVisible);
}

const mostVisible = 61;
