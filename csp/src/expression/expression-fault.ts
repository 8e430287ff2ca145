import { comparisons, type Token, tokenize } from "./expression-tokens";

/** What no reading of an expression can make sense of. */
interface ExpressionFault {
  /** Ends a sentence: `… because the ( at character 1 is never closed`. */
  readonly reason: string;
  /** Offset in the text. */
  readonly at: number;
}

const logicalWords: ReadonlySet<string> = new Set(["and", "or", "xor", "&&", "||", "^^"]);
const negations: ReadonlySet<string> = new Set(["not", "!"]);
const closedBy: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["{", "}"],
  ["[", "]"],
]);
const closingBrackets: ReadonlySet<string> = new Set(closedBy.values());

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
    const opened = open.at(-1);
    const fault =
      faultAnywhere(token, opened) ??
      (opened?.text === "{" ? undefined : faultOutsideLists(token, place, before?.text));
    if (fault !== undefined) return { reason: fault, at: token.at };
    if (closedBy.has(token.text)) open.push(token);
    else if (closingBrackets.has(token.text)) open.pop();
    place = placeAfter(token, place);
    before = token;
  }
  const left = open.at(-1);
  if (left) return { reason: `the ${left.text} at ${character(left)} is never closed`, at: left.at };
  if (before && (place === "value" || place === "test")) {
    return { reason: `it ends after ${before.text}, where a ${place} belongs`, at: before.at };
  }
  return undefined;
}

function faultAnywhere(token: Token, opened: Token | undefined): string | undefined {
  const { text, isOpen } = token;
  if (isOpen) return `the quote at ${character(token)} is never closed`;
  if (closingBrackets.has(text)) {
    if (opened === undefined) return `the ${text} at ${character(token)} closes nothing`;
    if (closedBy.get(opened.text) !== text) {
      return `the ${text} at ${character(token)} comes before the ${opened.text} at ${character(opened)} is closed`;
    }
  }
  if (text === "," && opened?.text !== "(") {
    return `the , at ${character(token)} separates no arguments: separate the values of a list by spaces`;
  }
  if (text.startsWith("'")) {
    return `the quotes at ${character(token)} are single: write text in double quotes`;
  }
  return undefined;
}

function faultOutsideLists(token: Token, place: Place, before: string | undefined): string | undefined {
  const { text } = token;
  // After a value it may be part of one without quotes.
  if (text === "=" && place !== "after value") {
    return `= at ${character(token)} is not a comparison: write eq or ==`;
  }
  // A function without arguments.
  if (text === ")" && before === "(") return undefined;
  if ((place !== "test" && place !== "value") || canBegin(token, place)) return undefined;
  const list = text === "(" ? ": write a list in { }" : "";
  return `the ${text} at ${character(token)} is where a ${place} belongs${list}`;
}

function canBegin({ kind, text }: Token, place: "test" | "value"): boolean {
  if (kind === "symbol") return beginnings[place].includes(text);
  return place === "value" || !logicalWords.has(text.toLowerCase());
}

function placeAfter({ text }: Token, place: Place): Place {
  if (closingBrackets.has(text)) return "after field";
  if (text === "(" || text === ",") return "test";
  if (place === "value") return "after value";
  const word = text.toLowerCase();
  if (logicalWords.has(word)) return "test";
  if (place === "test") return negations.has(word) ? "test" : "after field";
  return place === "after field" && comparisons.has(word) ? "value" : place;
}

function character({ at }: Token): string {
  return `character ${at + 1}`;
}
