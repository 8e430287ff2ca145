import { guesser, nearest } from "../match/nearest";
import {
  allDirectives,
  generalName,
  isKnownDirective,
  isSourceListDirective,
  supportedDirectives,
} from "../syntax/directives";
import type { ParsedDirective, ParsedPolicy } from "../syntax/parse";
import { parseSource } from "../syntax/source";
import { toAsciiLowerCase, toVisible } from "../texts";
import { type Finding, placeInDirective, placeInPolicy, say, type Unplaced } from "./lint-rules";

/** Size above which proxies and servers commonly refuse header fields. */
const headerLimitBytes = 16 * 1024;

export function* lintDirectives(policy: ParsedPolicy): Iterable<Finding> {
  const all = allDirectives(policy);
  if (all.length === 0) yield placeInPolicy(policy, say("empty-policy"));
  const bytes = Buffer.byteLength(policy.text);
  if (bytes > headerLimitBytes) yield placeInPolicy(policy, say("over-long", bytes, headerLimitBytes));
  const guess = guesser();
  for (const directive of all) {
    const { name } = directive;
    if (!isKnownDirective(name))
      yield atName(directive, say("unknown-directive", toVisible(name), hint(name, guess)));
    yield* lintValues(directive);
  }
  for (const directive of policy.directives) yield* lintUsed(directive);
  for (const directive of policy.ignored)
    if (directive.reason === "duplicate")
      yield placeInDirective(directive, say("duplicate-directive", toVisible(directive.name)));
}

/** Whether a name is unknown but within two letters of a supported directive, which was probably meant. */
export function isMisspelt(name: string): boolean {
  return !isKnownDirective(name) && nearest(name, supportedDirectives, 2) !== undefined;
}

const headerName = /^content-security-policy(-report-only)?:$/;

function hint(name: string, guesses: typeof nearest): string {
  const guess = guesses(name.replace(/[^a-z-]/g, "").slice(0, 41), supportedDirectives);
  if (headerName.test(name))
    return "The name of the header is not part of the value: start with the first directive.";
  return guess === undefined
    ? `The service supports ${supportedDirectives.join(", ")}.`
    : `Did you mean ${guess}?`;
}

function atName(directive: ParsedDirective, verdict: Unplaced): Finding {
  const position = { offset: directive.position.offset, length: directive.name.length };
  return { ...placeInDirective(directive, verdict), position };
}

/** Checks the values of a directive, including directives that browsers ignore. */
function* lintValues(directive: ParsedDirective): Iterable<Finding> {
  const { name, values } = directive;
  for (const [index, value] of values.entries()) {
    // The comma before the value, or the header's name before the policy, already has a finding.
    const isReported = values[index - 1]?.endsWith(",") ?? headerName.test(name);
    if (isMissingSemicolon(value) && !isReported)
      yield placeInDirective(directive, say("missing-semicolon", value, toVisible(name)), index);
  }
  if (name === "upgrade-insecure-requests" && values.length > 0 && !values.some(isMissingSemicolon))
    yield placeInDirective(directive, say("value-not-allowed"));
  const none = values.findIndex((value) => toAsciiLowerCase(value) === "'none'");
  const isAlone = values.every((value) => ["'none'", "'report-sample'"].includes(toAsciiLowerCase(value)));
  if (isSourceListDirective(name) && none !== -1 && !isAlone)
    yield placeInDirective(directive, say("none-with-others"), none);
}

/** Whether a value is the name of a directive after a missing semicolon. Names without a dash (`sandbox`) may be hosts. */
export function isMissingSemicolon(value: string): boolean {
  return value.includes("-") && isKnownDirective(toAsciiLowerCase(value));
}

function* lintUsed(directive: ParsedDirective): Iterable<Finding> {
  const { name, values } = directive;
  if (isKnownDirective(name) && !supportedDirectives.includes(name)) {
    const general = generalName(name);
    const instead = general === name ? "Leave it out." : `Use ${general}, which covers it.`;
    yield atName(directive, say("unsupported-directive", name, instead));
  }
  if (!isSourceListDirective(name)) return;
  if (values.length === 0) yield placeInDirective(directive, say("empty-source-list", name));
  const strict = values.findIndex((value) => toAsciiLowerCase(value) === "'strict-dynamic'");
  if (strict === -1) return;
  const hasHash = values.some((value) => parseSource(value).kind === "hash");
  const left = hasHash ? "only scripts with a listed hash still load" : "no script loads at all";
  const severity = hasHash ? "medium" : "high";
  yield placeInDirective(directive, { ...say("strict-dynamic", left), severity }, strict);
}
