import { allDirectives, type Finding, type Rule, shown } from "../finding";
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
export const DIRECTIVE_RULES: readonly Rule[] = [
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
  yield {
    ruleId: "empty-policy",
    severity: "high",
    message:
      "The policy has no directive, so it restricts nothing. Write at least one, like script-src 'self'.",
    position: { offset: 0, length: policy.text.length },
    syntax: true,
  };
}

function* overLong({ text }: ParsedPolicy): Iterable<Finding> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= HEADER_LIMIT_BYTES) return;
  yield {
    ruleId: "over-long",
    severity: "medium",
    message:
      `The policy has ${bytes} bytes. It is sent with every page, and from ${HEADER_LIMIT_BYTES} bytes of header on ` +
      "browsers and proxies refuse pages. Allow hosts instead of single URLs, or use a wildcard for subdomains.",
    position: { offset: 0, length: text.length },
    syntax: true,
  };
}

function* unknownDirective(policy: ParsedPolicy): Iterable<Finding> {
  const nearest = guesser();
  for (const directive of allDirectives(policy)) {
    if (isKnownDirective(directive.name)) continue;
    const guess = nearest(directive.name.replace(/[^a-z-]/g, "").slice(0, 41), SUPPORTED_DIRECTIVES);
    yield finding(directive, {
      ruleId: "unknown-directive",
      severity: "high",
      message: `${shown(directive.name)} is no directive, so browsers ignore it and its values. ${hint(directive.name, guess)}`,
      position: { offset: directive.position.offset, length: directive.name.length },
      syntax: true,
    });
  }
}

function hint(name: string, guess: string | undefined): string {
  if (/^content-security-policy(-report-only)?:$/.test(name)) {
    return "The name of the header does not belong into the value: start with the first directive.";
  }
  return guess === undefined
    ? `The service supports ${SUPPORTED_DIRECTIVES.join(", ")}.`
    : `Did you mean ${guess}?`;
}

function* unsupportedDirective(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.directives) {
    if (!isKnownDirective(directive.name) || isSupportedDirective(directive.name)) continue;
    const general = directive.name.replace(/-(elem|attr)$/, "");
    yield finding(directive, {
      ruleId: "unsupported-directive",
      severity: "high",
      message:
        `The service does not support ${directive.name}. ` +
        (general === directive.name ? "Leave it out." : `Use ${general}, which covers it.`),
      position: { offset: directive.position.offset, length: directive.name.length },
      syntax: true,
    });
  }
}

function* duplicateDirective(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.ignored) {
    if (directive.reason !== "duplicate") continue;
    yield finding(directive, {
      ruleId: "duplicate-directive",
      severity: "high",
      message: `${shown(directive.name)} is there already: browsers use the first one and ignore this. Merge them.`,
      syntax: true,
    });
  }
}

function* missingSemicolon(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of allDirectives(policy)) {
    for (const [index, value] of directive.values.entries()) {
      if (!isMissingSemicolon(value)) continue;
      yield finding(directive, {
        ruleId: "missing-semicolon",
        severity: "high",
        message: `A semicolon is missing before ${value}: as it stands, it is read as a source of ${shown(directive.name)}.`,
        position: directive.valuePositions[index] ?? directive.position,
        syntax: true,
      });
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
    yield finding(directive, {
      ruleId: "value-not-allowed",
      severity: "high",
      message: "upgrade-insecure-requests takes no value. Remove it.",
      syntax: true,
    });
  }
}

function* noneWithOthers(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of allDirectives(policy)) {
    if (!isSourceListDirective(directive.name)) continue;
    const values = directive.values.map(lowerCase);
    const index = values.indexOf("'none'");
    if (index === -1 || values.every((value) => value === "'none'" || value === "'report-sample'")) continue;
    yield finding(directive, {
      ruleId: "none-with-others",
      severity: "high",
      message:
        "'none' beside other sources is ignored: those sources are allowed. Remove 'none', or all the others.",
      position: directive.valuePositions[index] ?? directive.position,
      syntax: true,
    });
  }
}

function* emptySourceList(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.directives) {
    if (!isSourceListDirective(directive.name) || directive.values.length > 0) continue;
    yield finding(directive, {
      ruleId: "empty-source-list",
      severity: "low",
      message: `${directive.name} without a source allows nothing. Write 'none' if that is meant.`,
      syntax: false,
    });
  }
}

function* strictDynamic(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of policy.directives) {
    const index = directive.values.findIndex((value) => lowerCase(value) === "'strict-dynamic'");
    if (index === -1 || !isSourceListDirective(directive.name)) continue;
    yield finding(directive, {
      ruleId: "strict-dynamic",
      severity: "medium",
      message:
        "'strict-dynamic' makes browsers ignore the hosts, schemes and 'self' of this list for scripts. The service has " +
        "no nonces, so only scripts with a listed hash still load. Remove it to allow scripts by host.",
      position: directive.valuePositions[index] ?? directive.position,
      syntax: false,
    });
  }
}

function finding(
  directive: ParsedDirective,
  rest: Omit<Finding, "directive" | "position"> & Partial<Pick<Finding, "position">>,
): Finding {
  return { position: directive.position, ...rest, directive: directive.name };
}
