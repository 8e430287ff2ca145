import { toAsciiLowerCase } from "../texts";

/** A range of a policy's text, in UTF-16 code units. */
export interface Position {
  readonly offset: number;
  readonly length: number;
}

export interface ParsedDirective {
  /** Name in lower case. */
  readonly name: string;
  readonly values: readonly string[];
  /** Range from the first letter of the name to the end of the last value. */
  readonly position: Position;
  /** Ranges of the `values`, in the same order. */
  readonly valuePositions: readonly Position[];
}

/**
 * Reason why browsers ignore a directive. `duplicate`: an earlier directive has the same name; `bad-name`: the name does not
 * consist of letters, digits and dashes; `bad-character`: a value has a control character or one outside ASCII.
 */
export type IgnoredReason = "duplicate" | "bad-name" | "bad-character";

export interface IgnoredDirective extends ParsedDirective {
  readonly reason: IgnoredReason;
}

export interface ParsedPolicy {
  /** The text that was parsed, unchanged. */
  readonly text: string;
  /** Directives that browsers use, in the order of the text; each name once. */
  readonly directives: readonly ParsedDirective[];
  /** Directives that browsers ignore, in the order of the text. */
  readonly ignored: readonly IgnoredDirective[];
}

/**
 * Reads one policy the way browsers do (CSP Level 3, 2.2.1). Never throws; takes linear time. Does not split the text at
 * commas, although in a header a comma ends the policy: `lint` reports commas, and `matches` splits at them.
 *
 * @example
 * ```ts
 * parse("script-src 'self'; img-src *").directives[0]; // { name: "script-src", values: ["'self'"], … }
 * ```
 */
export function parse(text: string): ParsedPolicy {
  const directives: ParsedDirective[] = [];
  const ignored: IgnoredDirective[] = [];
  const names = new Set<string>();
  for (const directive of readDirectives(text)) {
    const reason = reasonToIgnore(directive, names);
    if (reason === undefined) directives.push(directive);
    else ignored.push({ ...directive, reason });
    // Chromium ignores a directive with a bad character, but a later directive of the same name is still a duplicate.
    names.add(directive.name);
  }
  return { text, directives, ignored };
}

/** Returns a plain object of the directives that browsers use. Safe for any name, even `__proto__`. */
export function toDirectives(policy: ParsedPolicy): Record<string, string[]> {
  return Object.fromEntries(policy.directives.map(({ name, values }) => [name, [...values]]));
}

function reasonToIgnore(directive: ParsedDirective, before: ReadonlySet<string>): IgnoredReason | undefined {
  if (!/^[a-z0-9-]+$/.test(directive.name)) return "bad-name";
  if (before.has(directive.name)) return "duplicate";
  // Only printable ASCII characters are allowed.
  return directive.values.every((value) => /^[ -~]*$/.test(value)) ? undefined : "bad-character";
}

/** Reads all directives of the text in order, valid or not. */
function readDirectives(text: string): readonly ParsedDirective[] {
  const directives: ParsedDirective[] = [];
  let current:
    | { values: string[]; position: { offset: number; length: number }; valuePositions: Position[] }
    | undefined;
  for (const { 0: word, index: offset } of text.matchAll(/[^;\t\n\f\r ]+|;/g)) {
    if (word === ";") {
      current = undefined;
    } else if (current) {
      current.values.push(word);
      current.valuePositions.push({ offset, length: word.length });
      current.position.length = offset + word.length - current.position.offset;
    } else {
      const name = toAsciiLowerCase(word);
      current = { values: [], position: { offset, length: word.length }, valuePositions: [] };
      directives.push({ name, ...current });
    }
  }
  return directives;
}
