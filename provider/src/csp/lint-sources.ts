import { parseUrl } from "../text/parse-url";
import { isSourceListDirective } from "./directives";
import { allDirectives, type Finding, shown } from "./finding";
import { isMissingSemicolon } from "./lint-directives";
import type { LintRuleId } from "./lint-rules";
import { guesser, type nearest } from "./nearest";
import { lowerCase, type ParsedDirective, type ParsedPolicy } from "./parse";
import { type HostSource, KEYWORDS, parseSource, type Source } from "./source";

type Verdict = Pick<Finding, "ruleId" | "severity" | "message" | "syntax">;

interface Subject {
  readonly value: string;
  readonly lower: string;
  readonly source: Source;
  readonly directive: ParsedDirective;
  readonly nearest: typeof nearest;
}

type SourceRule = (subject: Subject) => Verdict | undefined;

const HASH_LENGTH = { sha256: 32, sha384: 48, sha512: 64 } as const;

/** One finding a source: the first rule that has something to say explains it best. */
const SOURCE_RULES: readonly SourceRule[] = [
  wrongQuotes,
  controlCharacter,
  nonAscii,
  comma,
  nonce,
  unquotedKeyword,
  hashFormat,
  unknownKeyword,
  frameAncestors,
  wildcardInHost,
  invalidSource,
  queryInSource,
  httpSource,
  ipSource,
];

/** Rules about single sources, and sources given twice. */
export function* lintSources(policy: ParsedPolicy): Iterable<Finding> {
  const nearest = guesser();
  for (const directive of allDirectives(policy)) {
    const seen = new Set<string>();
    let isAncestorTold = false;
    for (const [index, value] of directive.values.entries()) {
      const subject = { value, lower: lowerCase(value), source: parseSource(value), directive, nearest };
      const verdict = isMissingSemicolon(value) ? undefined : judge(subject, seen);
      seen.add(spelling(subject));
      if (verdict === undefined) continue;
      // It says the same of each source.
      if (verdict.ruleId === "frame-ancestors-source" && isAncestorTold) continue;
      isAncestorTold ||= verdict.ruleId === "frame-ancestors-source";
      const position = directive.valuePositions[index] ?? directive.position;
      yield { ...verdict, position, directive: directive.name };
    }
  }
}

function judge(subject: Subject, seen: ReadonlySet<string>): Verdict | undefined {
  const isList = isSourceListDirective(subject.directive.name);
  for (const rule of isList ? SOURCE_RULES : [controlCharacter, nonAscii, comma]) {
    const verdict = rule(subject);
    if (verdict !== undefined) return verdict;
  }
  return isList && seen.has(spelling(subject)) ? duplicateSource(subject) : undefined;
}

/** Case is no difference in keywords, and one in paths. */
function spelling({ value, lower }: Subject): string {
  return lower.startsWith("'") ? lower : value;
}

function high(ruleId: LintRuleId, message: string): Verdict {
  return { ruleId, severity: "high", message, syntax: true };
}

const QUOTES = new Set("\"'`´‘’‚“”„");

function wrongQuotes({ value, lower }: Subject): Verdict | undefined {
  const bare = withoutQuotes(lower);
  const isQuotedRight = value.length > 1 && value.startsWith("'") && value.endsWith("'");
  if (bare.length === lower.length || isQuotedRight || !isQuotedWord(bare)) return undefined;
  return high("wrong-quotes", `${shown(value)} must be in straight single quotes: '${shown(bare)}'.`);
}

/** An expression with `+$` would take quadratic time on a long run of quotes. */
function withoutQuotes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && QUOTES.has(text[start] ?? "")) start++;
  while (end > start && QUOTES.has(text[end - 1] ?? "")) end--;
  return text.slice(start, end);
}

/** What stands in quotes in a source list. */
function isQuotedWord(bare: string): boolean {
  return KEYWORDS.includes(bare) || /^(nonce|sha(256|384|512))-/.test(bare);
}

function controlCharacter({ value }: Subject): Verdict | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this rule is about
  if (!/[\x00-\x1f\x7f]/.test(value)) return undefined;
  return high(
    "control-character",
    `${shown(value)} contains a control character, so browsers ignore the whole directive. Remove it.`,
  );
}

function nonAscii({ value }: Subject): Verdict | undefined {
  if (!/[^\0-\x7f]/.test(value)) return undefined;
  const plain = punycode(value);
  return high(
    "non-ascii",
    `${shown(value)} contains a character outside ASCII, so browsers ignore the whole directive. ` +
      (plain === undefined ? "Write hosts in punycode and paths percent-encoded." : `Write ${shown(plain)}.`),
  );
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

function comma({ value }: Subject): Verdict | undefined {
  if (!value.includes(",")) return undefined;
  return high(
    "comma",
    "In the header a comma ends the policy: what follows is a second policy, and only what both allow is allowed. " +
      "Separate sources by spaces and directives by semicolons; write %2C in a path.",
  );
}

function nonce({ lower }: Subject): Verdict | undefined {
  if (!/^'?nonce-/.test(lower)) return undefined;
  return high(
    "nonce",
    "The service knows no nonces: one that never changes protects nothing. Allow the script by its host or its hash.",
  );
}

function unquotedKeyword({ lower, value }: Subject): Verdict | undefined {
  if (!isQuotedWord(lower)) return undefined;
  return high(
    "unquoted-keyword",
    `Without quotes ${shown(value)} is the name of a host. Write '${shown(value)}'.`,
  );
}

function hashFormat({ lower, value, source }: Subject): Verdict | undefined {
  const algorithm = (["sha256", "sha384", "sha512"] as const).find((name) => lower.startsWith(`'${name}-`));
  if (algorithm === undefined) return undefined;
  const bytes = HASH_LENGTH[algorithm];
  const isRight = source.kind === "hash" && Buffer.from(source.value, "base64url").length === bytes;
  if (isRight) return undefined;
  const isHex = new RegExp(`^'${algorithm}-[0-9a-f]{${bytes * 2}}'$`).test(lower);
  return high(
    "hash-format",
    isHex
      ? `${shown(value)} is in hexadecimal: a hash in a policy is base64.`
      : `${shown(value)} is no ${algorithm} hash: that is ${Math.ceil(bytes / 3) * 4} characters of base64 (${bytes} bytes).`,
  );
}

function unknownKeyword({ lower, value, source, nearest }: Subject): Verdict | undefined {
  if (source.kind !== "invalid" || source.part !== "keyword") return undefined;
  const guess = nearest(lower.replaceAll("'", ""), KEYWORDS);
  return high(
    "unknown-keyword",
    `${shown(value)} is no keyword, so browsers ignore it. ` +
      (guess === undefined ? "Only keywords and hashes stand in quotes." : `Did you mean '${guess}'?`),
  );
}

function frameAncestors({ lower, value, directive }: Subject): Verdict | undefined {
  if (directive.name !== "frame-ancestors" || lower === "'none'" || lower === "'self'") return undefined;
  return high(
    "frame-ancestors-source",
    `The service takes only 'none' or 'self' in frame-ancestors, not ${shown(value)}.`,
  );
}

function wildcardInHost({ value, source }: Subject): Verdict | undefined {
  if (source.kind !== "invalid" || source.part !== "host") return undefined;
  const host = value.replace(/^[^:/]*:\/\//, "").replace(/[:/].*$/s, "");
  if (!host.includes("*")) return undefined;
  return high(
    "wildcard-in-host",
    `In ${shown(value)} the * is not the whole leftmost label of the host, so browsers ignore the source. ` +
      "Write *.example.com for all subdomains, or name each host.",
  );
}

const INVALID_PART = {
  keyword: "keyword",
  nonce: "nonce",
  hash: "hash",
  scheme: "scheme before the colon",
  host: "host (letters, digits, dashes and dots; IPv6 addresses cannot be named)",
  port: "port (a number, or *)",
} as const;

function invalidSource({ value, source }: Subject): Verdict | undefined {
  if (source.kind !== "invalid") return undefined;
  return high(
    "invalid-source",
    `${shown(value)} is no source, so browsers ignore it: it has no readable ${INVALID_PART[source.part]}.`,
  );
}

function queryInSource({ value, source }: Subject): Verdict | undefined {
  if (source.kind !== "host" || !/[?#]/.test(value)) return undefined;
  return {
    ruleId: "query-in-source",
    severity: "medium",
    message: `Browsers ignore everything from ? or # on in ${shown(value)}: any query is allowed. Leave it out.`,
    syntax: true,
  };
}

function httpSource({ value, source }: Subject): Verdict | undefined {
  if (
    (source.kind !== "host" && source.kind !== "scheme") ||
    (source.scheme !== "http" && source.scheme !== "ws")
  ) {
    return undefined;
  }
  return {
    ruleId: "http-source",
    severity: "low",
    message:
      `${shown(value)} also allows unencrypted loading, which anybody on the way can change. ` +
      `Write ${source.scheme}s: it matches the encrypted form only.`,
    syntax: false,
  };
}

function ipSource({ value, source }: Subject): Verdict | undefined {
  if (source.kind !== "host" || !isIpv4(source)) return undefined;
  return {
    ruleId: "ip-source",
    severity: "info",
    message: `By the standard ${shown(value)} matches nothing, although some browsers do match it. Name a host.`,
    syntax: false,
  };
}

function isIpv4({ host }: HostSource): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) && host !== "127.0.0.1";
}

function duplicateSource({ value }: Subject): Verdict {
  return {
    ruleId: "duplicate-source",
    severity: "info",
    message: `${shown(value)} is in this list already.`,
    syntax: false,
  };
}
