import { COMPARISONS, type Token, tokenize } from "./expression-tokens";
import { difference, type HostSet, intersection, type PossibleHosts, union } from "./host-set";

/** The hosts that an expression selects, as far as its text says. */
export type HostSelection =
  | ({ readonly decided: true } & HostSet)
  | {
      readonly decided: false;
      /** Ends a sentence: `… because it tests http.request.uri.path`. */
      readonly reason: string;
    };

/** Deeper nesting than anyone writes. */
const DEPTH_LIMIT = 100;

const HOST_FIELD = "http.host";

/**
 * Decides which hosts a filter expression selects: tests of `http.host` by `eq`, `==`, `in`, `wildcard` and
 * `ends_with`, quoted or not, joined by `or` and `and`. A test of something else beside one of the host only narrows
 * it (`isSuperset`). Never throws.
 *
 * @example
 * ```ts
 * hostsOf('http.host in {"a.example" "b.example"}'); // { decided: true, hosts: ["a.example", "b.example"], … }
 * hostsOf('http.request.uri.path eq "/pay"'); // { decided: false, reason: "it tests http.request.uri.path" }
 * ```
 */
export function hostsOf(expression: string): HostSelection {
  const found = new Reader(tokenize(expression)).readAll();
  return "reason" in found ? { decided: false, reason: found.reason } : { decided: true, ...found };
}

/** Recursive descent over `or` < `xor` < `and` < `not`. What cannot be read makes the whole undecided. */
class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #fault: string | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  readAll(): PossibleHosts {
    if (this.#tokens.length === 0) return { reason: "it is empty" };
    const result = this.#or();
    const rest = this.#peek();
    if (rest !== undefined) this.#fail(rest);
    return this.#fault === undefined ? result : { reason: this.#fault };
  }

  #or(): PossibleHosts {
    return this.#chain(() => this.#xor(), union, "or", "||");
  }

  #xor(): PossibleHosts {
    return this.#chain(() => this.#and(), difference, "xor", "^^");
  }

  #and(): PossibleHosts {
    return this.#chain(() => this.#not(), intersection, "and", "&&");
  }

  #chain(
    read: () => PossibleHosts,
    combine: (parts: readonly PossibleHosts[]) => PossibleHosts,
    ...operators: readonly string[]
  ): PossibleHosts {
    const first = read();
    const parts = [first];
    while (this.#take(...operators)) parts.push(read());
    return parts.length === 1 ? first : combine(parts);
  }

  #not(): PossibleHosts {
    if (++this.#depth > DEPTH_LIMIT) this.#fault ??= "it is nested too deeply";
    const result = this.#fault === undefined ? this.#test() : { reason: this.#fault };
    this.#depth--;
    return result;
  }

  #test(): PossibleHosts {
    if (this.#take("not", "!")) {
      this.#not();
      return { reason: "it says which requests it does not select" };
    }
    if (this.#take("(")) {
      const inner = this.#or();
      this.#expect(")");
      return inner;
    }
    return this.#comparison();
  }

  #comparison(): PossibleHosts {
    const field = this.#next();
    if (field?.kind !== "word") return this.#fail(field);
    const subject = this.#subject(field.value.toLowerCase());
    const operator = this.#operator();
    if (operator === undefined) {
      if (subject.endsWith !== undefined) return setOf([], [subject.endsWith]);
      return { reason: subject.field === "true" ? "it selects every request" : `it tests ${subject.field}` };
    }
    const values = this.#values();
    if (subject.field !== HOST_FIELD) return { reason: `it tests ${subject.field}` };
    if (operator === "eq" || operator === "==" || operator === "in") {
      // `$name`: a list that is kept elsewhere.
      const list = values.find((value) => value.startsWith("$"));
      return list === undefined ? setOf(values, []) : { reason: `it refers to the list ${list}` };
    }
    if (operator === "wildcard") return wildcard(values[0] ?? "");
    return { reason: `it tests ${HOST_FIELD} by ${operator}` };
  }

  /** A field, perhaps with indexes, or a function of one. */
  #subject(name: string): { readonly field: string; readonly endsWith?: string } {
    let field = name;
    if (this.#peek()?.text === "(") {
      const inner = this.#balanced("(", ")");
      const [argument, comma, text, ...rest] = inner;
      const isOfHost = argument?.value.toLowerCase() === HOST_FIELD;
      if (name === "lower" && isOfHost && inner.length === 1) return { field: HOST_FIELD };
      if (
        name === "ends_with" &&
        isOfHost &&
        comma?.text === "," &&
        text?.kind === "string" &&
        rest.length === 0
      ) {
        return { field: HOST_FIELD, endsWith: text.value.toLowerCase() };
      }
      field = `${name}(…)`;
    }
    while (this.#peek()?.text === "[") {
      this.#balanced("[", "]");
      field = `${name}[…]`;
    }
    return { field };
  }

  #operator(): string | undefined {
    // `strict wildcard` regards case, which a host does not have.
    this.#take("strict");
    const token = this.#peek();
    if (token === undefined || token.kind === "string" || !COMPARISONS.has(token.value.toLowerCase()))
      return undefined;
    this.#at++;
    return token.value.toLowerCase();
  }

  #values(): readonly string[] {
    const tokens = this.#peek()?.text === "{" ? this.#balanced("{", "}") : [this.#next()];
    return tokens.map((token) => {
      if (token === undefined || token.kind === "symbol") this.#fail(token);
      return token?.value.toLowerCase() ?? "";
    });
  }

  /** What is between a pair of brackets. */
  #balanced(open: string, close: string): readonly Token[] {
    const start = ++this.#at;
    for (let depth = 1; ; this.#at++) {
      const token = this.#peek();
      if (token === undefined) {
        this.#fail(token);
        return [];
      }
      // The text of a string begins with its quotes: it is not a bracket.
      if (token.text === open) depth++;
      if (token.text === close) depth--;
      if (depth === 0) return this.#tokens.slice(start, this.#at++);
    }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #next(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  #take(...texts: readonly string[]): boolean {
    const token = this.#peek();
    const isThere =
      token !== undefined && token.kind !== "string" && texts.includes(token.value.toLowerCase());
    if (isThere) this.#at++;
    return isThere;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#fail(this.#peek());
  }

  #fail(token: Token | undefined): { readonly reason: string } {
    const where =
      token === undefined ? "it ends too early" : `it cannot be read at ${token.text.slice(0, 40)}`;
    this.#fault ??= where;
    return { reason: this.#fault };
  }
}

function setOf(hosts: readonly string[], suffixes: readonly string[]): HostSet {
  return { hosts: [...new Set(hosts)], suffixes, isSuperset: false };
}

/** `*` matches any text: only one at the beginning leaves an end to compare with. */
function wildcard(pattern: string): PossibleHosts {
  const rest = pattern.replace(/^\*+/, "");
  if (rest.includes("*") || rest.includes("\\"))
    return { reason: `it tests ${HOST_FIELD} by the pattern ${pattern.slice(0, 60)}` };
  if (rest === pattern) return setOf([pattern], []);
  return rest === "" ? { reason: "it selects every host" } : setOf([], [rest]);
}
