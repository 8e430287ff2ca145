import { COMPARISONS, type Token, tokenize } from "./expression-tokens";

/** What no reading of an expression can make sense of. */
export interface ExpressionFault {
  /** Ends a sentence: `… because the ( at character 1 is never closed`. */
  readonly reason: string;
  /** Offset in the text. */
  readonly at: number;
}

const LOGICAL: ReadonlySet<string> = new Set(["and", "or", "xor", "&&", "||", "^^"]);
const NEGATIONS: ReadonlySet<string> = new Set(["not", "!"]);
const CLOSED_BY: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["{", "}"],
  ["[", "]"],
]);
const CLOSING: ReadonlySet<string> = new Set(CLOSED_BY.values());

/** What comes next: a field or a test, what follows a field, the value of a comparison, or what follows that. */
type Place = "test" | "after field" | "value" | "after value";

/**
 * The first thing in a filter expression that is surely wrong: a quote or a bracket without its partner, `=` for a
 * comparison, single quotes, an end in the middle of a test. Fields, functions and operators that nobody here knows are
 * no faults, nor are values without quotes. Never throws.
 *
 * @example
 * ```ts
 * expressionFault("http.host = x"); // { at: 10, reason: "= at character 11 is no comparison: write eq or ==" }
 * expressionFault("http.host eq x"); // undefined
 * ```
 */
export function expressionFault(expression: string): ExpressionFault | undefined {
  const open: Token[] = [];
  let place: Place = "test";
  let before: Token | undefined;
  for (const token of tokenize(expression)) {
    const fault = faultOf(token, place, open.at(-1));
    if (fault !== undefined) return { reason: fault, at: token.at };
    if (CLOSED_BY.has(token.text)) open.push(token);
    else if (CLOSING.has(token.text)) open.pop();
    place = placeAfter(token, place, before, open.at(-1));
    before = token;
  }
  const left = open.at(-1);
  if (left) return { reason: `the ${left.text} at ${character(left)} is never closed`, at: left.at };
  return before && endingIn(before, place);
}

function faultOf(token: Token, place: Place, opened: Token | undefined): string | undefined {
  const { text, isOpen } = token;
  if (isOpen) return `the quote at ${character(token)} is never closed`;
  if (CLOSING.has(text)) {
    if (opened === undefined) return `the ${text} at ${character(token)} closes nothing`;
    return CLOSED_BY.get(opened.text) === text
      ? undefined
      : `the ${text} at ${character(token)} stands where the ${opened.text} at ${character(opened)} has to be closed first`;
  }
  if (text === "=" && place === "after field") {
    return `= at ${character(token)} is no comparison: write eq or ==`;
  }
  if (token.kind === "word" && text.startsWith("'") && (place === "value" || opened?.text === "{")) {
    return `the quotes at ${character(token)} are single ones: a text stands in double quotes`;
  }
  return undefined;
}

function placeAfter(
  { kind, text, value }: Token,
  place: Place,
  before: Token | undefined,
  opened: Token | undefined,
): Place {
  if (text === "}") return "after value";
  if (text === ")" || text === "]") return "after field";
  // What stands in lists and indexes is not looked at.
  if (opened?.text === "{" || opened?.text === "[") return place;
  if (text === "(" || text === ",") return "test";
  const word = kind === "string" ? "" : value.toLowerCase();
  if (place === "value") return word === "wildcard" && isStrict(before) ? "value" : "after value";
  if (LOGICAL.has(word)) return "test";
  if (place === "test") return NEGATIONS.has(word) ? "test" : "after field";
  if (place === "after field" && COMPARISONS.has(word)) return "value";
  return place;
}

/** `strict wildcard` is one operator. */
function isStrict(token: Token | undefined): boolean {
  return token?.kind === "word" && token.value.toLowerCase() === "strict";
}

function endingIn(last: Token, place: Place): ExpressionFault | undefined {
  if (place === "value") return { reason: `it ends after ${last.text}, where a value belongs`, at: last.at };
  if (place === "test") return { reason: `it ends after ${last.text}, where a test belongs`, at: last.at };
  return undefined;
}

function character({ at }: Token): string {
  return `character ${at + 1}`;
}
