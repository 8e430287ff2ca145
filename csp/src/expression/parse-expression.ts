import { formatCodePoint } from "../texts";
import { matchOperators, type Token, tokenize } from "./tokens";

/** A filter expression. Its tests are parsed, but not interpreted. */
export type Expression =
  | { readonly kind: "or" | "xor" | "and"; readonly parts: readonly Expression[] }
  | { readonly kind: "not"; readonly part: Expression }
  | Comparison;

export interface Comparison {
  readonly kind: "comparison";
  /** Name of a field or a function. */
  readonly name: string;
  /** Arguments of a function; undefined for a field. */
  readonly given: readonly (Expression | Token)[] | undefined;
  /** Whether `[…]` follows the field or function. */
  readonly isIndexed: boolean;
  /** Operator; undefined if the field or function is a test by itself. */
  readonly operator: string | undefined;
  readonly values: readonly Token[];
}

/** A fault that certainly makes the service refuse an expression. */
export interface ExpressionFault {
  /** End of a sentence: `… because the ( at character 1 is never closed`. */
  readonly reason: string;
  /** Offset in the expression. */
  readonly at: number;
}

/** Returns all comparisons of an expression, except arguments of functions. */
export function collectComparisons(expression: Expression): readonly Comparison[] {
  if (expression.kind === "comparison") return [expression];
  return (expression.kind === "not" ? [expression.part] : expression.parts).flatMap(collectComparisons);
}

/** Maximum depth of nesting. The public parser of the language allows less. */
const depthLimit = 128;

const chainOperators = [
  ["or", "||"],
  ["xor", "^^"],
  ["and", "&&"],
] as const;

const joining: ReadonlySet<string> = new Set(chainOperators.flat());
const comparisons: ReadonlySet<string> = new Set(
  "eq ne lt le gt ge contains matches in strict wildcard bitwise_and == != < <= > >= ~ &".split(" "),
);
const reserved: ReadonlySet<string> = new Set([...joining, ...comparisons, "not"]);
const closedBy: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };
const closing: ReadonlySet<string> = new Set(Object.values(closedBy));

/**
 * Parses an expression by recursive descent. Operators from weak to strong: `or`, `xor`, `and`, `not`. Fields, functions and
 * operators that this package does not know are not faults, nor are values without quotes. Never throws; takes linear time.
 */
export function parseExpression(text: string): Expression | { readonly fault: ExpressionFault } {
  const tokens = tokenize(text);
  if (tokens.length === 0) return { fault: { reason: "it is empty", at: 0 } };
  const fault = spellingFault(text, tokens);
  return fault === undefined ? new Parser(tokens).parse() : { fault };
}

/**
 * Returns the first fault in a filter expression that certainly makes the service refuse it. Examples are an unpaired quote or
 * bracket, `=` instead of `eq`, an operator in capitals, a comment, and a missing value. An empty text has no fault. Never throws.
 *
 * @example
 * ```ts
 * expressionFault("http.host = x"); // { at: 10, reason: "the = at character 11 is not a comparison: write eq or ==" }
 * expressionFault("http.host eq x"); // undefined
 * ```
 */
export function expressionFault(expression: string): ExpressionFault | undefined {
  if (expression.trim() === "") return undefined;
  const parsed = parseExpression(expression);
  return "fault" in parsed ? parsed.fault : undefined;
}

/** Patterns of faults outside strings, each with a message. In a message, `@` stands for the place and `*` for the character. */
const misspelt: readonly (readonly [RegExp, string])[] = [
  [/(?<=^|\s)(?:#|\/\/|\/\*|--)/, "the * @ begins a comment, which is not allowed: delete it"],
  [/[‘-‟«»`]/, "the quotes @ are typographic: write text in double quotes"],
  [/(?<=^|[\s(){}[\],=])'/, "the quotes @ are single: write text in double quotes"],
  [/;/, "the * @ is not allowed in an expression: delete it"],
  [/[^\S \r\n]/, "the * @ is not a plain space: replace it with one, or delete it"],
  [/[^\P{C}\r\n]/u, "the * @ is invisible: delete it"],
];

function spellingFault(text: string, tokens: readonly Token[]): ExpressionFault | undefined {
  const open = tokens.find(({ isOpen }) => isOpen);
  let outside = "";
  for (const { kind, text: written, at } of tokens)
    if (kind === "string") outside += text.slice(outside.length, at) + "x".repeat(written.length);
  outside += text.slice(outside.length);
  const found = misspelt.flatMap(([pattern, why]) => {
    const at = outside.search(pattern);
    const reason = why.replace("*", () => showCharacter(text, at)).replace("@", `at character ${at + 1}`);
    return at === -1 ? [] : [{ reason, at }];
  });
  if (open) found.push({ reason: `the quote at character ${open.at + 1} is never closed`, at: open.at });
  return found.sort((a, b) => a.at - b.at)[0];
}

const named: Readonly<Record<string, string>> = {
  "\t": "tab",
  "\u00a0": "no-break space",
  "\ufeff": "byte order mark",
};

function showCharacter(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (!/[\p{C}\p{Z}]/u.test(character)) return character;
  return named[character] ?? formatCodePoint(character);
}

function called({ text, at }: Token): string {
  return `the ${text.slice(0, 40)} at character ${at + 1}`;
}

/** Returns why a word or symbol is not an operator here, and what to write instead. Undefined if it may be one. */
function adviseOperator(text: string): string | undefined {
  const word = text.toLowerCase();
  if (text === "=") return "is not a comparison: write eq or ==";
  if (/^[/.*]/.test(text)) return "is text without quotes: write it in double quotes";
  if (text === ",") return "is not allowed here: separate the values of a list with spaces";
  if (reserved.has(word) && word !== text) return `is in capitals: write ${word}`;
  if (word === "not") return "does not follow a field: write it before the test";
  const [, part] = /^(start|end)s?_?with$/.exec(word) ?? [];
  return part && `is a function: write ${part}s_with(field, "text")`;
}

/** Whether a token right behind an unquoted value is a part of that value: `a=b`. */
function isPartOfWord({ kind, text }: Token): boolean {
  return kind === "word" || (kind === "symbol" && /[=!<>~&|^]/.test(text));
}

/** Returns the fault within a value: two stars, or a backslash that escapes nothing. Does not check regular expressions. */
function faultInText({ text, value }: Token, operator: string): string | undefined {
  if (matchOperators.has(operator)) return undefined;
  const [, quoted] = /^"(?:[^\\]|\\.)*?(\\[^"\\x0-7])/s.exec(text) ?? [];
  const [, inPattern] = /^(?:[^\\*]|\\[\\*]|\*(?!\*))*(\*\*|\\(?![\\*]))/.exec(value) ?? [];
  const wrong = quoted ?? (operator.endsWith("wildcard") ? inPattern : undefined);
  if (wrong === "**") return "has ** in it: write one *";
  return wrong && `has ${wrong} in it, which escapes nothing: write \\${wrong}`;
}

class Parser {
  #at = 0;
  #depth = 0;
  #fault: ExpressionFault | undefined;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): Expression | { readonly fault: ExpressionFault } {
    const whole = this.#chain();
    const rest = this.#next;
    if (rest !== undefined && closing.has(rest.text)) this.#fail(rest, "closes nothing");
    else if (rest !== undefined) this.#misplaced(rest, '"and", "or" or the end');
    return this.#fault === undefined ? whole : { fault: this.#fault };
  }

  #chain(level = 0): Expression {
    const operators = chainOperators[level];
    if (operators === undefined) return this.#not();
    const first = this.#chain(level + 1);
    const parts = [first];
    while (this.#take(...operators)) parts.push(this.#chain(level + 1));
    return parts.length === 1 ? first : { kind: operators[0], parts };
  }

  #not(): Expression {
    if (++this.#depth > depthLimit) this.#fail(this.#next ?? this.tokens[0], "is nested too deeply");
    const found: Expression = this.#take("not", "!") ? { kind: "not", part: this.#not() } : this.#test();
    this.#depth--;
    return found;
  }

  #test(): Expression {
    const open = this.#take("(");
    if (open === undefined) return this.#comparison();
    const inner = this.#chain();
    this.#close(open);
    return inner;
  }

  #comparison(): Comparison {
    const field = this.#next;
    if (field?.kind !== "word" || reserved.has(field.text.toLowerCase()) || /^[/.*$@]/.test(field.text))
      this.#misplaced(field, "a test");
    this.#at++;
    const call = this.#take("(");
    const given = call && this.#arguments(call);
    let isIndexed = false;
    for (let open = this.#take("["); open; open = this.#take("[")) {
      const [index, next] = this.#close(open);
      const isKnown = index?.kind === "string" || /^(?:\d+|\*)$/.test(index?.text ?? "");
      if (next !== undefined || !isKnown)
        this.#misplaced(next ?? index ?? open, "a name in quotes, a number or *");
      isIndexed = true;
    }
    const operator = this.#operator();
    const values = operator === undefined ? [] : this.#values(operator);
    return { kind: "comparison", name: field?.text ?? "", given, isIndexed, operator, values };
  }

  #arguments(open: Token): readonly (Expression | Token)[] {
    const given: (Expression | Token)[] = [];
    for (let isMore = this.#next?.text !== ")"; isMore; isMore = this.#take(",") !== undefined)
      given.push(this.#argument());
    this.#close(open);
    return given;
  }

  #argument(): Expression | Token {
    const first = this.#next;
    if (first?.kind !== "string" && first?.text !== "{" && first?.text !== "[") return this.#chain();
    this.#at++;
    if (first.kind !== "string") this.#close(first);
    return first;
  }

  #operator(): string | undefined {
    const token = this.#next;
    const text = token?.text ?? "";
    if (token === undefined || text === "," || joining.has(text) || closing.has(text)) return undefined;
    const isOther = token.kind === "string" || (token.kind === "symbol" && !comparisons.has(text));
    if (isOther || adviseOperator(text) !== undefined) this.#misplaced(token, 'a comparison, "and" or "or"');
    this.#at++;
    if (text !== "strict") return text;
    if (this.#take("wildcard") === undefined) this.#misplaced(this.#next, '"wildcard"');
    return "strict wildcard";
  }

  #values(operator: string): readonly Token[] {
    const first = this.#next;
    if (first && operator === "in" && !/^[{$]/.test(first.text)) this.#misplaced(first, "a list in { }");
    if (first && /^[{$]/.test(first.text) && /^(?:eq|ne|==|!=)$/.test(operator))
      this.#misplaced(first, "one value");
    const list = this.#take("{", "[");
    if (list) return this.#close(list);
    if (first === undefined || first.kind === "symbol") {
      this.#misplaced(first, "a value");
      return [];
    }
    this.#at++;
    const fault = faultInText(first, operator);
    if (fault !== undefined) this.#fail(first, fault);
    if (first.kind === "string") return [first];
    let text = first.text;
    while (this.#next?.at === first.at + text.length && isPartOfWord(this.#next)) text += this.#step()?.text;
    return [text === first.text ? first : { ...first, text, value: text }];
  }

  /** Returns the tokens up to the bracket that closes `open`. The opening bracket has been read already. */
  #close(open: Token): readonly Token[] {
    const start = this.#at;
    const close = closedBy[open.text];
    if (++this.#depth > depthLimit) this.#fail(open, "is nested too deeply");
    for (let token = this.#step(); token !== undefined; token = this.#step()) {
      if (token.text === close) {
        this.#depth--;
        return this.tokens.slice(start, this.#at - 1);
      }
      const isJoining = joining.has(token.text) && this.tokens[this.#at - 2]?.kind === "string";
      if (closing.has(token.text)) this.#fail(token, `comes before ${called(open)} is closed`);
      else if (open.text === "(") this.#misplaced(token, '"and", "or" or ")"');
      else if (isJoining || token.text === ",") this.#misplaced(token, "a value");
      else if (Object.hasOwn(closedBy, token.text)) this.#close(token);
    }
    this.#fail(open, "is never closed");
    return [];
  }

  #step(): Token | undefined {
    return this.tokens[this.#at++];
  }

  get #next(): Token | undefined {
    return this.tokens[this.#at];
  }

  #take(...texts: readonly string[]): Token | undefined {
    // A string token is never taken, because its text begins with a quote.
    return texts.includes(this.#next?.text ?? "") ? this.#step() : undefined;
  }

  /** Records that `wanted` belongs in the place of `token` or, without a token, at the end of the expression. */
  #misplaced(token: Token | undefined, wanted: string): void {
    const last = this.tokens.at(-1);
    if (token) this.#fail(token, adviseOperator(token.text) ?? `is where ${wanted} belongs`);
    else if (last) this.#fail(last, "", `it ends where ${wanted} belongs, after ${last.text}`);
  }

  /** Records a fault, unless an earlier fault is recorded, and ends the parsing. */
  #fail(token: Token | undefined, why: string, reason = `${token && called(token)} ${why}`): void {
    this.#fault ??= { reason, at: token?.at ?? 0 };
    this.#at = this.tokens.length;
  }
}
