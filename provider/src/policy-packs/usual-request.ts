import { COMPARISONS, type Token, tokenize } from "../csp/expression/expression-tokens";

/** Deeper nesting than anybody writes. */
const depthLimit = 100;

/**
 * Whether a filter expression selects a request that is nothing special: from no named host, path, address or country. So
 * do `true`, `not http.host eq "a.example"` and `ip.src in {0.0.0.0/0}`. An expression that cannot be read may, too. Never
 * throws.
 */
export function selectsUsualRequest(expression: string): boolean {
  const found = new Reader(tokenize(expression)).read();
  return found ?? true;
}

/** Recursive descent over `or` < `xor` < `and` < `not`. */
class Reader {
  #at = 0;
  #depth = 0;
  #isReadable = true;

  constructor(private readonly tokens: readonly Token[]) {}

  /** Undefined where the expression cannot be read. */
  read(): boolean | undefined {
    const found = this.#or();
    return this.#isReadable && this.#at === this.tokens.length ? found : undefined;
  }

  #or(): boolean {
    let found = this.#xor();
    while (this.#take("or", "||")) found = this.#xor() || found;
    return found;
  }

  #xor(): boolean {
    let found = this.#and();
    while (this.#take("xor", "^^")) found = this.#and() !== found;
    return found;
  }

  #and(): boolean {
    let found = this.#not();
    while (this.#take("and", "&&")) found = this.#not() && found;
    return found;
  }

  #not(): boolean {
    this.#depth += 1;
    if (this.#depth > depthLimit) return this.#fail();
    const found = this.#take("not", "!") ? !this.#not() : this.#test();
    this.#depth -= 1;
    return found;
  }

  #test(): boolean {
    if (!this.#take("(")) return this.#comparison();
    const found = this.#or();
    return this.#take(")") ? found : this.#fail();
  }

  #comparison(): boolean {
    const field = this.tokens[this.#at];
    if (field?.kind !== "word") return this.#fail();
    this.#at += 1;
    const name = field.value.toLowerCase();
    const given: Token[] = [];
    for (const [open, close] of [
      ["(", ")"],
      ["[", "]"],
      ["[", "]"],
    ] as const) {
      if (this.#take(open)) given.push(...this.#until(open, close));
    }
    this.#take("strict");
    const operator = this.tokens[this.#at]?.value.toLowerCase() ?? "";
    if (!COMPARISONS.has(operator)) return isUsual(name, given);
    this.#at += 1;
    const values = this.#take("{") ? this.#until("{", "}") : this.tokens.slice(this.#at, ++this.#at);
    if (values.length === 0) return this.#fail();
    return compares(operator, values, isUsual(name, given));
  }

  /** What stands up to the end of a pair of brackets. */
  #until(open: string, close: string): readonly Token[] {
    const start = this.#at;
    for (let depth = 1; this.#at < this.tokens.length; this.#at += 1) {
      const text = this.tokens[this.#at]?.text;
      if (text === open) depth += 1;
      if (text === close) depth -= 1;
      if (depth === 0) return this.tokens.slice(start, this.#at++);
    }
    this.#fail();
    return [];
  }

  #take(...texts: readonly string[]): boolean {
    const token = this.tokens[this.#at];
    const isThere =
      token !== undefined && token.kind !== "string" && texts.includes(token.text.toLowerCase());
    if (isThere) this.#at += 1;
    return isThere;
  }

  #fail(): boolean {
    this.#isReadable = false;
    this.#at = this.tokens.length;
    return true;
  }
}

/** A field or a function that is true or false by itself. */
function isUsual(name: string, given: readonly Token[]): boolean {
  if (name === "starts_with" || name === "ends_with") return isInMost(given.at(-1)?.value ?? "");
  return name === "true" || name === "ssl";
}

function compares(operator: string, values: readonly Token[], isFieldUsual: boolean): boolean {
  const texts = values.map(({ value }) => value.toLowerCase());
  switch (operator) {
    case "eq":
    case "==":
      if (texts[0] === "true") return isFieldUsual;
      if (texts[0] === "false") return !isFieldUsual;
      return texts.some(isWideNetwork);
    case "in":
      return texts.some((text) => isWideNetwork(text) || text.includes(".."));
    case "contains":
      return texts.some(isInMost);
    case "wildcard":
    case "matches":
    case "~":
      return texts.some((text) => isInMost(text.replace(/[*+.?^$|()\\]/g, "")));
    default:
      // Not equal, or in a range.
      return true;
  }
}

/** Of the parts that each path or URL has. */
function isInMost(text: string): boolean {
  return /^(?:https?)?:?\/*$/.test(text);
}

/** More than a sixteenth of all addresses. */
function isWideNetwork(text: string): boolean {
  return /\/[0-3]$/.test(text);
}
