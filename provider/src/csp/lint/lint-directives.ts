import {
  advice,
  allDirectives,
  type Finding,
  fault,
  inDirective,
  inPolicy,
  type LintRule,
  visible,
} from "../finding";
import { guesser } from "../match/nearest";
import {
  isKnownDirective,
  isSourceListDirective,
  isSupportedDirective,
  SUPPORTED_DIRECTIVES,
} from "../syntax/directives";
import { lowerCase, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";

/** Proxies and servers commonly refuse header fields from about here on. */
const HEADER_LIMIT_BYTES = 16 * 1024;

/** Rules about whole directives and the whole text. */
export const DIRECTIVE_RULES: readonly LintRule[] = [
  emptyPolicy,
  overLong,
  unknownDirective,
  unsupportedDirective,
  duplicateDirective,
  missingSemicolon,
  valueNotAllowed,
  noneWithOthers,
  emptySourceList,
  strictDynamic,
];

function* emptyPolicy(policy: ParsedPolicy): Iterable<Finding> {
  if (allDirectives(policy).length > 0) return;
  const message =
    "The policy has no directive, so it restricts nothing. Write at least one, like script-src 'self'.";
  yield inPolicy(policy, fault("empty-policy", message));
}

function* overLong(policy: ParsedPolicy): Iterable<Finding> {
  const bytes = Buffer.byteLength(policy.text);
  if (bytes <= HEADER_LIMIT_BYTES) return;
  yield inPolicy(policy, {
    ...fault(
      "over-long",
      `The policy has ${bytes} bytes. It is sent with every page, and browsers and proxies refuse pages whose headers ` +
        `exceed about ${HEADER_LIMIT_BYTES} bytes. Allow hosts instead of single URLs, or use a wildcard for subdomains.`,
    ),
    severity: "medium",
  });
}

function* unknownDirective(policy: ParsedPolicy): Iterable<Finding> {
  const nearest = guesser();
  for (const directive of allDirectives(policy)) {
    const { name } = directive;
    if (isKnownDirective(name)) continue;
    const guess = nearest(name.replace(/[^a-z-]/g, "").slice(0, 41), SUPPORTED_DIRECTIVES);
    const message = `${visible(name)} is not a directive, so browsers ignore it and its values. ${hint(name, guess)}`;
    yield atName(directive, fault("unknown-directive", message));
  }
}

function hint(name: string, guess: string | undefined): string {
  if (/^content-security-policy(-report-only)?:$/.test(name)) {
    return "The name of the header is not part of the value: start with the first directive.";
  }
  return guess === undefined
    ? `The service supports ${SUPPORTED_DIRECTIVES.join(", ")}.`
    : `Did you mean ${guess}?`;
}

function* unsupportedDirective(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.directives) {
    const { name } = directive;
    if (!isKnownDirective(name) || isSupportedDirective(name)) continue;
    const general = name.replace(/-(elem|attr)$/, "");
    const instead = general === name ? "Leave it out." : `Use ${general}, which covers it.`;
    yield atName(
      directive,
      fault("unsupported-directive", `The service does not support ${name}. ${instead}`),
    );
  }
}

function atName(directive: ParsedDirective, verdict: ReturnType<typeof fault>): Finding {
  const position = { offset: directive.position.offset, length: directive.name.length };
  return { ...inDirective(directive, verdict), position };
}

function* duplicateDirective(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.ignored) {
    if (directive.reason !== "duplicate") continue;
    const message = `${visible(directive.name)} is already in the policy: browsers use the first one and ignore this one. Merge them.`;
    yield inDirective(directive, fault("duplicate-directive", message));
  }
}

function* missingSemicolon(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of allDirectives(policy)) {
    for (const [index, value] of directive.values.entries()) {
      if (!isMissingSemicolon(value)) continue;
      const message = `A semicolon is missing before ${value}: browsers read it as a source of ${visible(directive.name)}.`;
      yield inDirective(directive, fault("missing-semicolon", message), index);
    }
  }
}

/** Names without a dash (`sandbox`) may well be hosts. */
export function isMissingSemicolon(value: string): boolean {
  return value.includes("-") && isKnownDirective(lowerCase(value));
}

function* valueNotAllowed(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of allDirectives(policy)) {
    if (directive.name !== "upgrade-insecure-requests") continue;
    if (directive.values.length === 0 || directive.values.some(isMissingSemicolon)) continue;
    const message = "upgrade-insecure-requests takes no value. Remove the value.";
    yield inDirective(directive, fault("value-not-allowed", message));
  }
}

function* noneWithOthers(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of allDirectives(policy)) {
    if (!isSourceListDirective(directive.name)) continue;
    const values = directive.values.map(lowerCase);
    const index = values.indexOf("'none'");
    if (index === -1 || values.every((value) => value === "'none'" || value === "'report-sample'")) continue;
    const message =
      "'none' beside other sources is ignored: those sources are allowed. Remove 'none', or all the others.";
    yield inDirective(directive, fault("none-with-others", message), index);
  }
}

function* emptySourceList(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.directives) {
    if (!isSourceListDirective(directive.name) || directive.values.length > 0) continue;
    const message = `${directive.name} without a source allows nothing. Write 'none' if you mean that.`;
    yield inDirective(directive, advice("empty-source-list", "low", message));
  }
}

function* strictDynamic(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.directives) {
    const index = directive.values.findIndex((value) => lowerCase(value) === "'strict-dynamic'");
    if (index === -1 || !isSourceListDirective(directive.name)) continue;
    const message =
      "'strict-dynamic' makes browsers ignore the hosts, schemes and 'self' of this list for scripts. The service does not " +
      "support nonces, so only scripts with a listed hash still load. Remove it to allow scripts by host.";
    yield inDirective(directive, advice("strict-dynamic", "medium", message), index);
  }
}
