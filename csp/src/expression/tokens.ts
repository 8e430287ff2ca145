export interface Token {
  readonly kind: "word" | "string" | "symbol";
  /** The text as written. */
  readonly text: string;
  /** Value of a string, or of bytes like `73:68:6f:70`; otherwise the text. */
  readonly value: string;
  readonly at: number;
  /** Whether a string has no closing quote. Such a string extends to the end of the text. */
  readonly isOpen?: boolean;
}

/** Operators that take a regular expression. A quote within a character class, as in `[^"]`, does not end the string. */
export const matchOperators: ReadonlySet<string | undefined> = new Set(["matches", "~"]);

const wordPattern = /[^\s(){}[\]",!=<>~&|^]+/y;
const symbolPattern = /==|!=|<=|>=|&&|\|\||\^\^|[\s\S]/y;
const hexBytes = /^[\da-f]{2}(?:[:.-][\da-f]{2})+$/i;
const rawPattern = /r(#*)"([\s\S]*?)("\1|$)/y;
const spacePattern = /\s+/y;

/** Returns all tokens of the text in order, without the white space between them. Never throws; takes linear time. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const [space] = matchFrom(spacePattern, text, at);
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
 * Returns a normalised form of an expression. Expressions that differ only in white space outside quotes have the same form.
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

function matchFrom(pattern: RegExp, text: string, at: number): readonly string[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}

function wordOrSymbol(text: string, at: number): Token {
  const [word] = matchFrom(wordPattern, text, at);
  const [found = ""] = word === undefined ? matchFrom(symbolPattern, text, at) : [word];
  const bytes = hexBytes.test(found) ? Buffer.from(found.replace(/[:.-]/g, ""), "hex") : undefined;
  const value = bytes?.toString("latin1") ?? found;
  return { kind: word === undefined ? "symbol" : "word", text: found, value, at };
}

/** Reads `"…"`, with backslash escapes: `\"`, `\\`, `\x6f` and, octal, `\157`. An unclosed string extends to the end. */
function quotedString(text: string, at: number, before: Token | undefined): Token | undefined {
  if (text[at] !== '"') return undefined;
  const isPattern = matchOperators.has(before?.text);
  let isInClass = false;
  let end = at + 1;
  while (end < text.length && (isInClass || text[end] !== '"')) {
    if (text[end] === "[") isInClass = isPattern;
    if (text[end] === "]") isInClass = false;
    end += text[end] === "\\" ? 2 : 1;
  }
  const value = text
    .slice(at + 1, end)
    .replace(/\\(?:x([\da-f]{2})|([0-7]{3})|([\s\S]))/gi, (_, hex, octal, other) =>
      other === undefined ? String.fromCharCode(hex ? parseInt(hex, 16) : parseInt(octal, 8)) : other,
    );
  return { kind: "string", text: text.slice(at, end + 1), value, at, isOpen: end >= text.length };
}

/** Reads `r"…"` and `r#"…"#`, which have no escapes. */
function rawString(text: string, at: number): Token | undefined {
  const [whole, , value = "", end] = matchFrom(rawPattern, text, at);
  return whole === undefined ? undefined : { kind: "string", text: whole, value, at, isOpen: end === "" };
}
