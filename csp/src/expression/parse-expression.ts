import { comparisons, type Token, tokenize } from "./expression-tokens";

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
