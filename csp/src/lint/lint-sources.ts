import { guesser, type nearest } from "../match/nearest";
import { SourceList } from "../match/source-list";
import { isLocalHost } from "../match/source-match";
import { allDirectives, isSourceListDirective } from "../syntax/directives";
import type { ParsedPolicy } from "../syntax/parse";
import { allKeywords, canonicalizeSource, parseSource, type Source } from "../syntax/source";
import { formatCodePoint, parseUrl, toAsciiLowerCase, toVisible } from "../texts";
import { isMissingSemicolon } from "./lint-directives";
import { type Finding, placeInDirective, say, type Unplaced } from "./lint-rules";
import { scriptLists } from "./lint-security";

/** Checks each source. If `withRedundant`, also finds sources that others make redundant. At most one finding per source. */
export function* lintSources(policy: ParsedPolicy, withRedundant: boolean): Iterable<Finding> {
  const nearest = guesser();
  const forScripts = scriptLists(policy);
  for (const directive of allDirectives(policy)) {
    const { name, values } = directive;
    const isList = isSourceListDirective(name);
    // If browsers ignore all hosts for scripts, no host is a risk.
    const words = values.filter((value) => value.startsWith("'"));
    const isForScripts = forScripts.has(directive) && !new SourceList(words).ignoresHostsOfScripts;
    const redundant = isList && withRedundant ? findRedundant(values) : [];
    let isAncestorReported = false;
    for (const [index, value] of values.entries()) {
      if (isMissingSemicolon(value)) continue;
      const source = parseSource(value);
      const subject = { value, lower: toAsciiLowerCase(value), source, name, isForScripts, nearest };
      const verdict = (isList ? judgeSource : judgeCharacters)(subject) ?? redundant[index];
      if (verdict === undefined) continue;
      // Report this rule once, because its message is the same for each source.
      if (verdict.ruleId === "frame-ancestors-source" && isAncestorReported) continue;
      isAncestorReported ||= verdict.ruleId === "frame-ancestors-source";
      yield placeInDirective(directive, verdict, index);
    }
  }
}

/** Returns, by index, findings about sources that are duplicates or that another source covers. Assumes an https page. */
function findRedundant(values: readonly string[]): readonly (Unplaced | undefined)[] {
  if (values.length < 2) return [];
  const sources = values.map((value) => {
    const source = parseSource(value);
    const read = source.kind === "host" ? { ...source, scheme: source.scheme ?? "https" } : source;
    return { value, read, spelling: canonicalizeSource(value, read) };
  });
  const first = new Map<string, (typeof sources)[number]>();
  for (const source of sources) if (!first.has(source.spelling)) first.set(source.spelling, source);
  const list = new SourceList(first.keys(), (spelling) => first.get(spelling)?.read ?? parseSource(spelling));
  return sources.map((source) => {
    const { value, read, spelling } = source;
    if (first.get(spelling) !== source) return say("duplicate-source", toVisible(value));
    const wider = list.coveredBy(read, spelling);
    const other = wider === undefined ? undefined : first.get(wider);
    return other && say("covered-source", toVisible(value), toVisible(other.value));
  });
}

interface Subject {
  readonly value: string;
  readonly lower: string;
  readonly source: Source;
  /** The name of the directive. */
  readonly name: string;
  /** Whether the directive decides which scripts are loaded. */
  readonly isForScripts: boolean;
  readonly nearest: typeof nearest;
}

function judgeCharacters({ value }: Subject): Unplaced | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this rule is about
  if (/[\x00-\x1f\x7f]/.test(value)) return say("control-character", toVisible(value));
  const [other = ""] = /[^\0-\x7f]/u.exec(value) ?? [];
  if (other !== "") {
    const where = `${formatCodePoint(other)}, at character ${value.indexOf(other) + 1}`;
    return say("non-ascii", toVisible(value), inAscii(value), where);
  }
  return value.includes(",") ? say("comma") : undefined;
}

/** Returns the finding of the first rule that applies to a source: the rule with the most helpful explanation. */
function judgeSource(subject: Subject): Unplaced | undefined {
  const syntax = wrongQuotes(subject) ?? judgeCharacters(subject) ?? judgeSyntax(subject);
  if (syntax !== undefined) return syntax;
  const { value, source, isForScripts } = subject;
  const host = source.kind === "host" ? source.host : undefined;
  if (host !== undefined && /[?#]/.test(value)) return say("query-in-source", toVisible(value));
  if (host !== undefined && isForScripts && isLocalHost(host)) return say("local-source", toVisible(value));
  const isIp = host !== "127.0.0.1" && /^\d{1,3}(\.\d{1,3}){3}$/.test(host ?? "");
  return judgeScheme(subject) ?? (isIp ? say("ip-source", toVisible(value)) : undefined);
}

/** Finds sources that browsers or the service cannot read as intended. */
function judgeSyntax({ value, lower, source, name, nearest }: Subject): Unplaced | undefined {
  const word = () => toVisible(value);
  if (/^'?nonce-/.test(lower)) return say("nonce");
  // Browsers read `https//host` as a path on a host called https, and cannot read `https:/host`.
  const [broken = ""] = /^(?:https?|wss?)(?::\/?|\/\/?)(?=[\w*[])/.exec(lower) ?? [];
  const fixed = `${broken.replace(/\W/g, "")}://${value.slice(broken.length)}`;
  if (broken !== "" && !/:\d*$/.test(lower)) return say("broken-scheme", word(), toVisible(fixed));
  if (isQuotedWord(lower)) return say("unquoted-keyword", word());
  if (/^(?:data|blob)$/.test(lower)) {
    const message = `Without a colon ${word()} is the name of a host. Write ${word()}: for the scheme.`;
    return { ...say("broken-scheme"), message };
  }
  const hash = hashFault(lower, source);
  if (hash !== undefined) return say("hash-format", word(), hash);
  const part = source.kind === "invalid" ? source.part : undefined;
  if (part === "keyword") {
    const guess = nearest(lower.replaceAll("'", ""), allKeywords);
    const rest = guess === undefined ? "Only keywords and hashes are quoted." : `Did you mean '${guess}'?`;
    return say("unknown-keyword", word(), rest);
  }
  if (name === "frame-ancestors" && lower !== "'none'" && lower !== "'self'")
    return say("frame-ancestors-source", word());
  const [, host = "", path = ""] = /^(?:[^:/]*:\/\/)?([^:/]*)[^/]*([^?#]*)/s.exec(value) ?? [];
  if (part === "host" && host.includes("*")) return say("wildcard-in-host", word());
  if (part !== undefined) return say("invalid-source", word(), invalidParts[part]);
  // Someone who writes %2A means the character itself.
  if (source.kind === "host" && path.includes("*")) return say("wildcard-in-path", word());
  if (source.kind === "keyword" && !listedKeywords.has(source.keyword))
    return say("unlisted-keyword", word());
  if (source.kind !== "hash" || source.of === "content") return undefined;
  const more = source.of === "url" ? " Beside it Chromium allows nothing by host or 'self'." : "";
  return say("unlisted-keyword", word(), more);
}

function judgeScheme({ value, source, isForScripts }: Subject): Unplaced | undefined {
  const scheme = source.kind === "host" || source.kind === "scheme" ? source.scheme : undefined;
  if (scheme === undefined || ["https", "wss"].includes(scheme)) return undefined;
  if (scheme === "http" || scheme === "ws") {
    const verdict = say("http-source", toVisible(value), scheme);
    return isForScripts ? verdict : { ...verdict, severity: "low" };
  }
  // `data:` has a finding of its own.
  if (isForScripts && scheme !== "data") return say("script-scheme", toVisible(value), whoseScripts(scheme));
  // Chrome 95 and Firefox 90 were the first without FTP.
  return scheme === "ftp" ? say("ftp-source", toVisible(value)) : undefined;
}

function whoseScripts(scheme: string): string {
  if (scheme === "blob" || scheme === "filesystem") return "a page builds from text, including injected text";
  return scheme.endsWith("extension")
    ? "any extension of a visitor's browser adds"
    : "do not come from the web";
}

/** Text between quotes of any kind. The limit fits all keywords and hashes, and avoids quadratic time on a run of quotes. */
const quoted = /^["'`´‘’‚“”„]*(.{1,200}?)["'`´‘’‚“”„]*$/s;

function wrongQuotes({ value, lower }: Subject): Unplaced | undefined {
  const [, bare = lower] = (value.length <= 220 && quoted.exec(lower)) || [];
  const isQuotedRight = value.length > 1 && value.startsWith("'") && value.endsWith("'");
  const isWrong = bare !== lower && !isQuotedRight && isQuotedWord(bare);
  return isWrong ? say("wrong-quotes", toVisible(value), toVisible(bare)) : undefined;
}

function isQuotedWord(bare: string): boolean {
  return allKeywords.includes(bare) || /^(nonce|(url-|eval-)?sha(256|384|512))-/.test(bare);
}

/** Returns advice on how to write a source in ASCII, without invisible characters. */
function inAscii(value: string): string {
  const seen = value
    .replace(/\p{Z}/gu, " ")
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, "")
    .trim();
  if (/^[ -~]*$/.test(seen)) return seen === "" ? "Remove it." : `Write ${toVisible(seen)}.`;
  const [, scheme = "", wildcard = "", host = "", rest = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)?(\*\.)?([^:/]+)(.*)$/is.exec(value.slice(0, 300)) ?? [];
  const url = parseUrl(`https://${host}`);
  const plain = `${scheme}${wildcard}${url?.hostname}${encodeURI(Buffer.from(rest).toString())}`;
  return url !== undefined && value.length <= 300 && parseSource(plain).kind === "host"
    ? `Write ${toVisible(plain)}.`
    : "Write hosts in punycode and paths percent-encoded.";
}

function hashFault(lower: string, source: Source): string | undefined {
  const [, bits] = /^'(?:url-|eval-)?sha(256|384|512)-/.exec(lower) ?? [];
  if (bits === undefined) return undefined;
  const bytes = Number(bits) / 8;
  if (source.kind === "hash" && Buffer.from(source.value, "base64url").length === bytes) return undefined;
  return new RegExp(`-[0-9a-f]{${bytes * 2}}'$`).test(lower)
    ? "in hexadecimal: a hash in a policy is base64."
    : `not a sha${bits} hash: such a hash has ${Math.ceil(bytes / 3) * 4} characters of base64 (${bytes} bytes).`;
}

const invalidParts = {
  nonce: "nonce",
  hash: "hash",
  scheme: "scheme before the colon",
  port: "port (a number, or *)",
  host: "host (letters, digits, dashes and dots; IPv6 addresses cannot be named)",
} as const;

/** Keywords that the service supports, and two more: `'strict-dynamic'` has a rule of its own, `'report-sample'` needs none. */
const listedKeywords: ReadonlySet<string> = new Set(
  "none self unsafe-inline unsafe-eval report-sample strict-dynamic".split(" "),
);
