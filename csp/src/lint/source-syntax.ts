import { fault, type Unplaced, visible } from "../finding";
import type { nearest } from "../match/nearest";
import type { ParsedDirective } from "../syntax/parse";
import { allKeywords, parseSource, type Source } from "../syntax/source";
import { parseUrl } from "../texts";

/** One source of a directive. */
export interface Subject {
  readonly value: string;
  readonly lower: string;
  readonly source: Source;
  readonly directive: ParsedDirective;
  /** The directive decides which scripts are loaded. */
  readonly isForScripts: boolean;
  readonly nearest: typeof nearest;
}

export type SourceRule = (subject: Subject) => Unplaced | undefined;

/** About the characters of any value. */
export const characterRules: readonly SourceRule[] = [controlCharacter, nonAscii, comma];

/** About single sources that browsers or the service cannot read as intended. */
export const syntaxRules: readonly SourceRule[] = [
  ...[wrongQuotes, ...characterRules, nonce, unquotedKeyword, hashFormat, unknownKeyword],
  ...[frameAncestors, wildcardInHost, invalidSource, wildcardInPath],
];

const hashLength = { sha256: 32, sha384: 48, sha512: 64 } as const;

const quoteMarks = new Set("\"'`´‘’‚“”„");

function wrongQuotes({ value, lower }: Subject): Unplaced | undefined {
  const bare = withoutQuotes(lower);
  const isQuotedRight = value.length > 1 && value.startsWith("'") && value.endsWith("'");
  if (bare.length === lower.length || isQuotedRight || !isQuotedWord(bare)) return undefined;
  return fault("wrong-quotes", `${visible(value)} must be in straight single quotes: '${visible(bare)}'.`);
}

/** An expression with `+$` would take quadratic time on a long run of quotes. */
function withoutQuotes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && quoteMarks.has(text[start] ?? "")) start++;
  while (end > start && quoteMarks.has(text[end - 1] ?? "")) end--;
  return text.slice(start, end);
}

function isQuotedWord(bare: string): boolean {
  return allKeywords.includes(bare) || /^(nonce|(url-|eval-)?sha(256|384|512))-/.test(bare);
}

function controlCharacter({ value }: Subject): Unplaced | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this rule is about
  if (!/[\x00-\x1f\x7f]/.test(value)) return undefined;
  const message = `${visible(value)} contains a control character, so browsers ignore the whole directive. Remove it.`;
  return fault("control-character", message);
}

function nonAscii({ value }: Subject): Unplaced | undefined {
  if (!/[^\0-\x7f]/.test(value)) return undefined;
  const plain = punycode(value);
  const message =
    `${visible(value)} contains a character outside ASCII, so browsers ignore the whole directive. ` +
    (plain === undefined ? "Write hosts in punycode and paths percent-encoded." : `Write ${visible(plain)}.`);
  return fault("non-ascii", message);
}

/** The same source in ASCII, where there is one. */
function punycode(value: string): string | undefined {
  if (value.length > 300) return undefined;
  const [, scheme = "", wildcard = "", host = "", rest = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)?(\*\.)?([^:/]+)(.*)$/is.exec(value) ?? [];
  const url = parseUrl(`https://${host}`);
  if (url === undefined || parseSource(url.hostname).kind !== "host") return undefined;
  const plain = `${scheme}${wildcard}${url.hostname}${encodeURI(Buffer.from(rest).toString())}`;
  return parseSource(plain).kind === "host" ? plain : undefined;
}

function comma({ value }: Subject): Unplaced | undefined {
  if (!value.includes(",")) return undefined;
  const message =
    "In the header a comma ends the policy: what follows is a second policy, and only what both allow is allowed. " +
    "Separate sources by spaces and directives by semicolons; write %2C in a path.";
  return fault("comma", message);
}

function nonce({ lower }: Subject): Unplaced | undefined {
  if (!/^'?nonce-/.test(lower)) return undefined;
  const message =
    "The service does not support nonces: one that never changes protects nothing. Allow the script by its host or its hash.";
  return fault("nonce", message);
}

function unquotedKeyword({ lower, value }: Subject): Unplaced | undefined {
  if (!isQuotedWord(lower)) return undefined;
  const message = `Without quotes ${visible(value)} is the name of a host. Write '${visible(value)}'.`;
  return fault("unquoted-keyword", message);
}

function hashFormat({ lower, value, source }: Subject): Unplaced | undefined {
  if (!lower.startsWith("'")) return undefined;
  const algorithm = (["sha256", "sha384", "sha512"] as const).find((name) =>
    ["", "url-", "eval-"].some((of) => lower.startsWith(`'${of}${name}-`)),
  );
  if (algorithm === undefined) return undefined;
  const bytes = hashLength[algorithm];
  const isRight = source.kind === "hash" && Buffer.from(source.value, "base64url").length === bytes;
  if (isRight) return undefined;
  const isHex = new RegExp(`${algorithm}-[0-9a-f]{${bytes * 2}}'$`).test(lower);
  const message = isHex
    ? `${visible(value)} is in hexadecimal: a hash in a policy is base64.`
    : `${visible(value)} is not a ${algorithm} hash: that is ${Math.ceil(bytes / 3) * 4} characters of base64 (${bytes} bytes).`;
  return fault("hash-format", message);
}

function unknownKeyword({ lower, value, source, nearest }: Subject): Unplaced | undefined {
  if (source.kind !== "invalid" || source.part !== "keyword") return undefined;
  const guess = nearest(lower.replaceAll("'", ""), allKeywords);
  const message =
    `${visible(value)} is not a keyword, so browsers ignore it. ` +
    (guess === undefined ? "Only keywords and hashes are quoted." : `Did you mean '${guess}'?`);
  return fault("unknown-keyword", message);
}

function frameAncestors({ lower, value, directive }: Subject): Unplaced | undefined {
  if (directive.name !== "frame-ancestors" || lower === "'none'" || lower === "'self'") return undefined;
  const message = `The service takes only 'none' or 'self' in frame-ancestors, not ${visible(value)}.`;
  return fault("frame-ancestors-source", message);
}

function wildcardInHost({ value, source }: Subject): Unplaced | undefined {
  if (source.kind !== "invalid" || source.part !== "host") return undefined;
  const host = value.replace(/^[^:/]*:\/\//, "").replace(/[:/].*$/s, "");
  if (!host.includes("*")) return undefined;
  const message =
    `In ${visible(value)} the * is not the whole leftmost label of the host, so browsers ignore the source. ` +
    "Write *.example.com for all subdomains, or name each host.";
  return fault("wildcard-in-host", message);
}

const invalidPart = {
  keyword: "keyword",
  nonce: "nonce",
  hash: "hash",
  scheme: "scheme before the colon",
  host: "host (letters, digits, dashes and dots; IPv6 addresses cannot be named)",
  port: "port (a number, or *)",
} as const;

function invalidSource({ value, source }: Subject): Unplaced | undefined {
  if (source.kind !== "invalid") return undefined;
  const message = `${visible(value)} is not a valid source, so browsers ignore it: it has no readable ${invalidPart[source.part]}.`;
  return fault("invalid-source", message);
}

function wildcardInPath({ value, source }: Subject): Unplaced | undefined {
  if (source.kind !== "host") return undefined;
  const path = value
    .replace(/^[^:/]*:\/\//, "")
    .replace(/^[^/]*/, "")
    .replace(/[?#].*$/s, "");
  // Who writes %2A means the character.
  if (!path.includes("*")) return undefined;
  const message =
    `In a path * is not a wildcard: ${visible(value)} allows only a URL with a * in it. ` +
    "End the path with / to allow all below it, leave the path out, or write %2A for a literal *.";
  return fault("wildcard-in-path", message);
}
