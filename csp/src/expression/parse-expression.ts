/** A filter expression; what it tests is not interpreted here. */
export type Expression =
  | { readonly kind: "or" | "xor" | "and"; readonly parts: readonly Expression[] }
  | { readonly kind: "not"; readonly part: Expression }
  | Comparison;

export interface Comparison {
  readonly kind: "comparison";
  /** Name of a field or a function, in lower case. */
  readonly name: string;
  /** Of a function; undefined for a field. */
  readonly given: readonly Token[] | undefined;
  /** Followed by `[…]`. */
  readonly isIndexed: boolean;
  /** In lower case; undefined where the field or function is a test by itself. */
  readonly operator: string | undefined;
  readonly values: readonly Token[];
}

/** Why an expression cannot be parsed; ends a sentence. */
type Unparsed = { readonly fault: string };

/** Deeper nesting than anyone writes. */
const depthLimit = 100;

const chainOperators = [
  ["or", "||"],
  ["xor", "^^"],
  ["and", "&&"],
] as const;

/** Recursive descent over `or` < `xor` < `and` < `not`. Never throws; takes linear time. */
export function parseExpression(text: string): Expression | Unparsed {
  const tokens = tokenize(text);
  return tokens.length === 0 ? { fault: "it is empty" } : new Parser(tokens).parse();
}

class Parser {
  #at = 0;
  #depth = 0;
  #fault: string | undefined;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): Expression | Unparsed {
    const whole = this.#chain();
    if (this.#at < this.tokens.length) this.#fail();
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
    if (++this.#depth > depthLimit) this.#fail("it is nested too deeply");
    const found: Expression = this.#take("not", "!") ? { kind: "not", part: this.#not() } : this.#test();
    this.#depth--;
    return found;
  }

  #test(): Expression {
    if (!this.#take("(")) return this.#comparison();
    const inner = this.#chain();
    if (!this.#take(")")) this.#fail();
    return inner;
  }

  #comparison(): Comparison {
    const field = this.tokens[this.#at];
    if (field?.kind !== "word") this.#fail();
    this.#at++;
    const given = this.#take("(") ? this.#until("(", ")") : undefined;
    let isIndexed = false;
    for (; this.#take("["); isIndexed = true) this.#until("[", "]");
    const operator = this.#operator();
    const values = operator === undefined ? [] : this.#values();
    return { kind: "comparison", name: field?.value.toLowerCase() ?? "", given, isIndexed, operator, values };
  }

  #operator(): string | undefined {
    // `strict wildcard` is case-sensitive, which makes no difference to a host.
    this.#take("strict");
    const token = this.tokens[this.#at];
    const word = token?.value.toLowerCase() ?? "";
    if (token?.kind === "string" || !comparisons.has(word)) return undefined;
    this.#at++;
    return word;
  }

  #values(): readonly Token[] {
    if (this.#take("{")) {
      const values = this.#until("{", "}");
      const odd = values.find(({ kind }) => kind === "symbol");
      if (odd !== undefined) this.#fail(unreadable(odd));
      return values;
    }
    const value = this.tokens[this.#at];
    if (value === undefined || value.kind === "symbol") this.#fail();
    this.#at++;
    return value === undefined ? [] : [value];
  }

  /** What is between a pair of brackets, of which the first is read. */
  #until(open: string, close: string): readonly Token[] {
    const start = this.#at;
    for (let depth = 1; this.#at < this.tokens.length; this.#at++) {
      // The text of a string begins with its quotes: it is not a bracket.
      const text = this.tokens[this.#at]?.text;
      if (text === open) depth++;
      if (text === close) depth--;
      if (depth === 0) return this.tokens.slice(start, this.#at++);
    }
    this.#fail();
    return [];
  }

  #take(...texts: readonly string[]): boolean {
    const token = this.tokens[this.#at];
    const isThere =
      token !== undefined && token.kind !== "string" && texts.includes(token.value.toLowerCase());
    if (isThere) this.#at++;
    return isThere;
  }

  /** The first fault counts; nothing is read after it. */
  #fail(fault = unreadable(this.tokens[this.#at])): void {
    this.#fault ??= fault;
    this.#at = this.tokens.length;
  }
}

function unreadable(token: Token | undefined): string {
  return token === undefined ? "it ends too early" : `it cannot be read at ${token.text.slice(0, 40)}`;
}

export interface Token {
  readonly kind: "word" | "string" | "symbol";
  /** As written. */
  readonly text: string;
  /** What a string stands for; otherwise the text. */
  readonly value: string;
  readonly at: number;
  /** A string without its closing quote: it extends to the end of the text. */
  readonly isOpen?: boolean;
}

/** In lower case. `strict` may precede `wildcard`. */
export const comparisons: ReadonlySet<string> = new Set([
  ...["eq", "ne", "lt", "le", "gt", "ge", "contains", "matches", "in", "wildcard", "bitwise_and"],
  ...["==", "!=", "<", "<=", ">", ">=", "~", "&"],
]);

/** What a regular expression follows: in a class of it, as in `[^"]`, a quote ends nothing. */
const matchOperators: ReadonlySet<string | undefined> = new Set(["matches", "~"]);

const wordPattern = /[^\s(){}[\]",!=<>~&|^]+/y;
const symbolPattern = /==|!=|<=|>=|&&|\|\||\^\^|[\s\S]/y;
const rawStart = /r(#*)"/y;
const spacePattern = /\s+/y;

/** All pieces of the text in order, without the white space between them. Never throws; takes linear time. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const space = matchAt(spacePattern, text, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const token = rawString(text, at) ?? quotedString(text, at, tokens.at(-1)) ?? wordOrSymbol(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

/**
 * One text for all spellings of an expression that differ in white space outside quotes only: for comparing.
 *
 * @example
 * ```ts
 * normaliseExpression('(http.host  eq "a b")') === normaliseExpression('( http.host eq "a b" )'); // true
 * ```
 */
export function normaliseExpression(text: string): string {
  return tokenize(text)
    .map((token) => token.text)
    .join(" ");
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function wordOrSymbol(text: string, at: number): Token {
  const word = matchAt(wordPattern, text, at);
  const found = word ?? matchAt(symbolPattern, text, at) ?? "";
  return { kind: word === undefined ? "symbol" : "word", text: found, value: found, at };
}

/** `"…"`, with backslash escapes. One that is not closed extends to the end. */
function quotedString(text: string, at: number, before: Token | undefined): Token | undefined {
  if (text[at] !== '"') return undefined;
  const isPattern = matchOperators.has(before?.text.toLowerCase());
  let isInClass = false;
  let end = at + 1;
  while (end < text.length && (isInClass || text[end] !== '"')) {
    if (text[end] === "[") isInClass = isPattern;
    if (text[end] === "]") isInClass = false;
    end += text[end] === "\\" ? 2 : 1;
  }
  const value = text.slice(at + 1, end).replace(/\\([\s\S])/g, "$1");
  return { kind: "string", text: text.slice(at, end + 1), value, at, isOpen: end >= text.length };
}

/** `r"…"`, `r#"…"#`: nothing is escaped. */
function rawString(text: string, at: number): Token | undefined {
  const start = matchAt(rawStart, text, at);
  if (start === undefined) return undefined;
  const close = `"${start.slice(1, -1)}`;
  const found = text.indexOf(close, at + start.length);
  const end = found === -1 ? text.length : found;
  return {
    kind: "string",
    text: text.slice(at, end + close.length),
    value: text.slice(at + start.length, end),
    at,
    isOpen: found === -1,
  };
}
