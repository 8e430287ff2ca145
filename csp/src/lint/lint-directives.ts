import {
  advice,
  allDirectives,
  type Finding,
  fault,
  inDirective,
  inPolicy,
  type Unplaced,
  visible,
} from "../finding";
import { guesser, nearest } from "../match/nearest";
import {
  isKnownDirective,
  isSourceListDirective,
  isSupportedDirective,
  supportedDirectives,
} from "../syntax/directives";
import { lowerCase, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";
import { parseSource } from "../syntax/source";

/** Proxies and servers commonly refuse header fields from about here on. */
const headerLimitBytes = 16 * 1024;

export function* lintDirectives(policy: ParsedPolicy): Iterable<Finding> {
  const all = allDirectives(policy);
  if (all.length === 0) yield inPolicy(policy, emptyPolicy);
  const bytes = Buffer.byteLength(policy.text);
  if (bytes > headerLimitBytes) yield inPolicy(policy, overLong(bytes));
  const guess = guesser();
  for (const directive of all) {
    if (!isKnownDirective(directive.name)) yield atName(directive, unknownDirective(directive.name, guess));
    for (const rule of rulesOfAll) yield* rule(directive);
  }
  for (const directive of policy.directives) for (const rule of rulesOfUsed) yield* rule(directive);
  for (const directive of policy.ignored) {
    if (directive.reason !== "duplicate") continue;
    const message = `${visible(directive.name)} is already in the policy: browsers use the first one and ignore this one. Merge them.`;
    yield inDirective(directive, fault("duplicate-directive", message));
  }
}

type DirectiveRule = (directive: ParsedDirective) => Iterable<Finding>;

/** Also of directives that browsers ignore. */
const rulesOfAll: readonly DirectiveRule[] = [missingSemicolon, valueNotAllowed, noneWithOthers];
const rulesOfUsed: readonly DirectiveRule[] = [unsupportedDirective, emptySourceList, strictDynamic];

const emptyPolicy = fault(
  "empty-policy",
  "The policy has no directive, so it restricts nothing. Write at least one, like script-src 'self'.",
);

function overLong(bytes: number): Unplaced {
  const message =
    `The policy has ${bytes} bytes. It is sent with every page, and browsers and proxies refuse pages whose headers ` +
    `exceed about ${headerLimitBytes} bytes. Allow hosts instead of single URLs, or use a wildcard for subdomains.`;
  return { ...fault("over-long", message), severity: "medium" };
}

function unknownDirective(name: string, guesses: ReturnType<typeof guesser>): Unplaced {
  const guess = guesses(name.replace(/[^a-z-]/g, "").slice(0, 41), supportedDirectives);
  const message = `${visible(name)} is not a directive, so browsers ignore it and its values. ${hint(name, guess)}`;
  return fault("unknown-directive", message);
}

/** Whether a directive's name is a known one but for one or two letters: then its restriction is what was meant. */
export function isMisspelt(name: string): boolean {
  return !isKnownDirective(name) && nearest(name, supportedDirectives, 2) !== undefined;
}

const headerName = /^content-security-policy(-report-only)?:$/;

function hint(name: string, guess: string | undefined): string {
  if (headerName.test(name)) {
    return "The name of the header is not part of the value: start with the first directive.";
  }
  return guess === undefined
    ? `The service supports ${supportedDirectives.join(", ")}.`
    : `Did you mean ${guess}?`;
}

function* unsupportedDirective(directive: ParsedDirective): Iterable<Finding> {
  const { name } = directive;
  if (!isKnownDirective(name) || isSupportedDirective(name)) return;
  const general = name.replace(/-(elem|attr)$/, "");
  const instead = general === name ? "Leave it out." : `Use ${general}, which covers it.`;
  yield atName(directive, fault("unsupported-directive", `The service does not support ${name}. ${instead}`));
}

function atName(directive: ParsedDirective, verdict: Unplaced): Finding {
  const position = { offset: directive.position.offset, length: directive.name.length };
  return { ...inDirective(directive, verdict), position };
}

function* missingSemicolon(directive: ParsedDirective): Iterable<Finding> {
  for (const [index, value] of directive.values.entries()) {
    // Of a comma, or of the header's name before the policy, there is a finding already.
    const isReported = directive.values[index - 1]?.endsWith(",") ?? headerName.test(directive.name);
    if (!isMissingSemicolon(value) || isReported) continue;
    const message = `A semicolon is missing before ${value}: browsers read it as a source of ${visible(directive.name)}.`;
    yield inDirective(directive, fault("missing-semicolon", message), index);
  }
}

/** Names without a dash (`sandbox`) may well be hosts. */
export function isMissingSemicolon(value: string): boolean {
  return value.includes("-") && isKnownDirective(lowerCase(value));
}

function* valueNotAllowed(directive: ParsedDirective): Iterable<Finding> {
  const { name, values } = directive;
  if (name !== "upgrade-insecure-requests" || values.length === 0 || values.some(isMissingSemicolon)) return;
  const message = "upgrade-insecure-requests takes no value. Remove the value.";
  yield inDirective(directive, fault("value-not-allowed", message));
}

function* noneWithOthers(directive: ParsedDirective): Iterable<Finding> {
  if (!isSourceListDirective(directive.name)) return;
  const values = directive.values.map(lowerCase);
  const index = values.indexOf("'none'");
  if (index === -1 || values.every((value) => value === "'none'" || value === "'report-sample'")) return;
  const message =
    "'none' beside other sources is ignored: those sources are allowed. Remove 'none', or all the others.";
  yield inDirective(directive, fault("none-with-others", message), index);
}

function* emptySourceList(directive: ParsedDirective): Iterable<Finding> {
  if (!isSourceListDirective(directive.name) || directive.values.length > 0) return;
  const message = `${directive.name} without a source allows nothing. Write 'none' if you mean that.`;
  yield inDirective(directive, advice("empty-source-list", "low", message));
}

function* strictDynamic(directive: ParsedDirective): Iterable<Finding> {
  const index = directive.values.findIndex((value) => lowerCase(value) === "'strict-dynamic'");
  if (index === -1 || !isSourceListDirective(directive.name)) return;
  const hasHash = directive.values.some((value) => parseSource(value).kind === "hash");
  const message =
    "'strict-dynamic' makes browsers ignore the hosts, schemes and 'self' of this list for scripts. The service does not " +
    `support nonces, so ${hasHash ? "only scripts with a listed hash still load" : "no script loads at all"}. Remove it to allow scripts by host.`;
  yield inDirective(directive, advice("strict-dynamic", hasHash ? "medium" : "high", message), index);
}
