import type { ParsedDirective, ParsedPolicy, Position } from "../syntax/parse";

export type Severity = "high" | "medium" | "low" | "info";

/**
 * Messages of the lint rules by stable name; `docs/csp-lint-rules.md` has the table with examples. Rules of the kind `fault` find
 * text that does not have its apparent effect, because browsers or the service ignore or refuse it.
 */
const texts = {
  fault: {
    "empty-policy":
      "The policy has no directive, so it restricts nothing. Write at least one, like script-src 'self'.",
    "unknown-directive": "$1 is not a directive, so browsers ignore it and its values. $2",
    "unsupported-directive": "The service does not support $1. $2",
    "duplicate-directive":
      "$1 is already in the policy: browsers use the first one and ignore this one. Merge them.",
    "missing-semicolon": "A semicolon is missing before $1: browsers read it as a source of $2.",
    "value-not-allowed": "upgrade-insecure-requests takes no value. Remove the value.",
    "none-with-others":
      "'none' beside other sources is ignored: those sources are allowed. Remove 'none', or all the others.",
    "wrong-quotes": "$1 must be in straight single quotes: '$2'.",
    "unquoted-keyword": "Without quotes $1 is the name of a host. Write '$1'.",
    "unknown-keyword": "$1 is not a keyword, so browsers ignore it. $2",
    nonce:
      "The service does not support nonces: a nonce that never changes protects nothing. Allow the script by its host or its hash.",
    "hash-format": "$1 is $2",
    "frame-ancestors-source": "The service takes only 'none' or 'self' in frame-ancestors, not $1.",
    "wildcard-in-host":
      "In $1 the * is not the whole leftmost label of the host, so browsers ignore the source. Write *.example.com for all subdomains, or name each host.",
    "wildcard-in-path":
      "In a path * is not a wildcard: $1 allows only a URL with a * in it. End the path with / to allow all below it, leave the path out, or write %2A for a literal *.",
    "invalid-source": "$1 is not a valid source, so browsers ignore it: it has no readable $2.",
    "broken-scheme": "$1 does not have :// after its scheme, so it does not mean that host. Write $2.",
    comma:
      "In the header a comma ends the policy: the text after it is a second policy, and browsers load only what both policies allow. Separate sources by spaces and directives by semicolons; write %2C in a path.",
    "control-character":
      "$1 contains a control character, so browsers ignore the whole directive. Remove it.",
    "non-ascii": "$1 contains a character outside ASCII ($3), so browsers ignore the whole directive. $2",
  },
  "medium fault": {
    "over-long":
      "The policy has $1 bytes. It is sent with every page, and browsers and proxies refuse pages whose headers exceed about $2 bytes. Allow hosts instead of single URLs, or use a wildcard for subdomains.",
    "query-in-source":
      "In $1 browsers ignore the ? or # and everything after it, so any query is allowed. Leave that part out.",
  },
  high: {
    "security-unsafe-inline":
      "'unsafe-inline' lets injected script elements and event handlers run. Move scripts into files, or allow them by their hash.",
    "security-plain-scheme": "$1 in $2 allows $3. Name the hosts.",
    "security-wildcard": "$1 with * allows sources from anywhere. Name the hosts.",
    "security-bypass": "$1 is known to host $2, which let scripts bypass this policy. $3",
    "security-known-bad":
      "$1 has served malicious code ($2). Remove it, and serve the files that you need from your own host.",
    "strict-dynamic":
      "'strict-dynamic' makes browsers ignore the hosts, schemes and 'self' of this list for scripts. The service does not support nonces, so $1. Remove it to allow scripts by host.",
  },
  medium: {
    "security-anyone-publishes": "$1, so an attacker can put a script where this policy allows it. $2.",
    "dead-unsafe-inline":
      "'unsafe-inline' beside a hash is ignored: browsers allow $1 only with a listed hash. Remove 'unsafe-inline': only browsers from before 2015 still follow it.",
    "unlisted-keyword":
      "$1 is not one of the values that the service lists: 'none', 'self', 'unsafe-inline', 'unsafe-eval' and hashes of scripts and styles. Check that the header of a page contains it and that the browsers you support know it.$2",
    "script-scheme": "$1 allows scripts that $2. Leave it out.",
    "local-source":
      "$1 is a host on each visitor's own machine or network: whatever runs there may add scripts to the page. Leave it out of policies for the public.",
    "http-source":
      "$1 also allows unencrypted loading, which anyone on the network path can tamper with. Write $2s, which matches the encrypted form only.",
    "security-unsafe-eval":
      "'unsafe-eval' lets injected text run where a script of the page passes it to eval() or a similar function.",
    "security-unsafe-hashes":
      "'unsafe-hashes' lets code with a listed hash run as an event handler, wherever it is injected.",
    "security-missing-script-src":
      "The policy has neither script-src nor default-src, so scripts are not restricted at all.",
  },
  // No current browser runs plugins, so rules about objects have low severity.
  low: {
    "empty-source-list": "$1 without a source allows nothing. Write 'none' if you mean that.",
    "unrestricted-sending":
      "Nothing restricts where data may be sent: an injected script can send what it reads to any host. Name the hosts in connect-src, img-src and form-action.",
    "missing-base-uri":
      "base-uri is missing, so an injected base element sends all relative URLs of the page to another host. Add base-uri 'none' or 'self'.",
    "missing-form-action":
      "form-action is missing, so forms may be sent anywhere: default-src does not cover them. Add form-action 'self', or the hosts that receive forms.",
    "missing-frame-ancestors":
      "frame-ancestors is missing, so any site may show the page in a frame and make visitors click in it. Add frame-ancestors 'none' or 'self'.",
    "security-missing-object-src":
      "object-src is missing, so plugins may be loaded from anywhere. Add object-src 'none'.",
    "security-object-src": "object-src allows plugins and documents of other hosts. Write object-src 'none'.",
  },
  info: {
    "blocks-inline":
      "Without 'unsafe-inline' $1 blocks $2, which the service does not record, so they were not checked. Run the policy with action \"log\" first, and read its reports.",
    "ip-source": "By the standard, $1 matches nothing, although some browsers do match it. Name a host.",
    "ftp-source": "Browsers no longer load anything over FTP, so $1 allows nothing. Leave it out.",
    "duplicate-source": "$1 is already in this list, in this or another spelling.",
    "covered-source": "$1 adds nothing: $2 is in this list and covers it. Keep the one you need.",
  },
} as const;

export type LintRuleId = { [Weight in keyof typeof texts]: keyof (typeof texts)[Weight] }[keyof typeof texts];

const rules = new Map([
  ...weighed(texts.fault, "high", true),
  ...weighed(texts["medium fault"], "medium", true),
  ...(["high", "medium", "low", "info"] as const).flatMap((severity) => weighed(texts[severity], severity)),
]);

function weighed(those: Readonly<Record<string, string>>, severity: Severity, syntax = false) {
  return Object.entries(those).map(([ruleId, text]) => [ruleId, { severity, syntax, text }] as const);
}

export const LINT_RULES: readonly LintRuleId[] = [...rules.keys()].filter(isRule);

function isRule(text: string): text is LintRuleId {
  return rules.has(text);
}

/** A finding about one place in a policy's text. */
export interface Finding {
  /** Stable name of the rule, from `docs/csp-lint-rules.md`. */
  readonly ruleId: LintRuleId;
  readonly severity: Severity;
  /** The problem and the text to write instead. */
  readonly message: string;
  readonly position: Position;
  /** Name of the directive, if the finding concerns one. */
  readonly directive?: string;
  /** Whether browsers or the service ignore or refuse the text, so that it does not have its apparent effect. */
  readonly syntax: boolean;
}

/** A finding without its place in the policy. */
export type Unplaced = Omit<Finding, "position" | "directive">;

/** Returns a rule's finding, with `fills` in place of `$1`, `$2`, … in its text. Fills from outside must be safe to show. */
export function say(ruleId: LintRuleId, ...fills: readonly (string | number)[]): Unplaced {
  const { severity, syntax, text } = rules.get(ruleId) ?? { severity: "high", syntax: true, text: ruleId };
  const message = text.replace(/\$(\d)/g, (_, place: string) => `${fills[Number(place) - 1] ?? ""}`);
  return { ruleId, severity, message, syntax };
}

/** Places a finding at a value of the directive, or at the whole directive. */
export function placeInDirective(directive: ParsedDirective, verdict: Unplaced, valueIndex = -1): Finding {
  const { ruleId, severity, message, syntax } = verdict;
  const position = directive.valuePositions[valueIndex] ?? directive.position;
  // Names each field, because a spread would take several times as long for many thousands of findings.
  return { ruleId, severity, message, position, directive: directive.name, syntax };
}

export function placeInPolicy({ text }: ParsedPolicy, verdict: Unplaced): Finding {
  return { ...verdict, position: { offset: 0, length: text.length } };
}
