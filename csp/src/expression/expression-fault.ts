import { comparisons, type Token, tokenize } from "./parse-expression";

/** What no reading of an expression can make sense of. */
interface ExpressionFault {
  /** Ends a sentence: `… because the ( at character 1 is never closed`. */
  readonly reason: string;
  /** Offset in the text. */
  readonly at: number;
}

const logicalWords: ReadonlySet<string> = new Set(["and", "or", "xor", "&&", "||", "^^"]);
const closedBy: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };
const closing: ReadonlySet<string> = new Set(Object.values(closedBy));

/** What may begin with a symbol: the rest of them follow something. */
const beginnings: Readonly<Record<"test" | "value", string>> = { test: "({[!", value: "{[" };

/** What comes next: a field or a test, what follows a field, the value of a comparison, or what follows that. */
type Place = "test" | "after field" | "value" | "after value";

/**
 * The first thing in a filter expression that is surely wrong: a quote or a bracket without its partner, `=` for a
 * comparison, single quotes, a list with commas or in `( )`, a test or a value that is missing. Fields, functions and
 * operators that this package does not know are not faults, nor are values without quotes. Never throws.
 *
 * @example
 * ```ts
 * expressionFault("http.host = x"); // { at: 10, reason: "= at character 11 is not a comparison: write eq or ==" }
 * expressionFault("http.host eq x"); // undefined
 * ```
 */
export function expressionFault(expression: string): ExpressionFault | undefined {
  const open: Token[] = [];
  let place: Place = "test";
  let before: Token | undefined;
  for (const token of tokenize(expression)) {
    const reason = faultOf(token, open.at(-1), place, before?.text);
    if (reason !== undefined) return { reason, at: token.at };
    if (Object.hasOwn(closedBy, token.text)) open.push(token);
    else if (closing.has(token.text)) open.pop();
    place = placeAfter(token, place);
    before = token;
  }
  const left = open.at(-1);
  if (left) return { reason: `${called(left)} is never closed`, at: left.at };
  if (before && (place === "value" || place === "test"))
    return { reason: `it ends after ${before.text}, where a ${place} belongs`, at: before.at };
  return undefined;
}

function faultOf(token: Token, opened: Token | undefined, place: Place, before: string | undefined) {
  const { kind, text, isOpen } = token;
  const at = `at character ${token.at + 1}`;
  if (isOpen) return `the quote ${at} is never closed`;
  if (closing.has(text) && opened === undefined) return `${called(token)} closes nothing`;
  if (closing.has(text) && opened !== undefined && closedBy[opened.text] !== text)
    return `${called(token)} comes before ${called(opened)} is closed`;
  if (text === "," && opened?.text !== "(")
    return `${called(token)} separates no arguments: separate the values of a list by spaces`;
  if (text.startsWith("'")) return `the quotes ${at} are single: write text in double quotes`;
  if (opened?.text === "{") return undefined;
  // After a value it may be part of one without quotes.
  if (text === "=" && place !== "after value") return `= ${at} is not a comparison: write eq or ==`;
  const isCallWithoutArguments = text === ")" && before === "(";
  if (isCallWithoutArguments || (place !== "test" && place !== "value")) return undefined;
  const canBegin =
    kind === "symbol"
      ? beginnings[place].includes(text)
      : place === "value" || !logicalWords.has(text.toLowerCase());
  const list = text === "(" ? ": write a list in { }" : "";
  return canBegin ? undefined : `${called(token)} is where a ${place} belongs${list}`;
}

function placeAfter({ text }: Token, place: Place): Place {
  if (closing.has(text)) return "after field";
  if (text === "(" || text === ",") return "test";
  if (place === "value") return "after value";
  const word = text.toLowerCase();
  if (logicalWords.has(word)) return "test";
  if (place === "test") return word === "not" || word === "!" ? "test" : "after field";
  return place === "after field" && comparisons.has(word) ? "value" : place;
}

function called({ text, at }: Token): string {
  return `the ${text} at character ${at + 1}`;
}
