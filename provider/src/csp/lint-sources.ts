import { isSourceListDirective } from "./directives";
import { allDirectives, type Finding, shown } from "./finding";
import { isMissingSemicolon } from "./lint-directives";
import { scriptLists } from "./lint-script-hosts";
import { guesser } from "./nearest";
import { lowerCase, type ParsedPolicy } from "./parse";
import { parseSource } from "./source";
import type { SourceRule, Subject, Verdict } from "./source-rule";
import {
  httpSource,
  ipSource,
  localSource,
  queryInSource,
  scriptScheme,
  unlistedKeyword,
} from "./source-safety";
import {
  comma,
  controlCharacter,
  frameAncestors,
  hashFormat,
  invalidSource,
  nonAscii,
  nonce,
  unknownKeyword,
  unquotedKeyword,
  wildcardInHost,
  wildcardInPath,
  wrongQuotes,
} from "./source-syntax";

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
  unlistedKeyword,
  wildcardInPath,
  queryInSource,
  scriptScheme,
  localSource,
  httpSource,
  ipSource,
];

/** Rules about single sources, and sources given twice. */
export function* lintSources(policy: ParsedPolicy): Iterable<Finding> {
  const nearest = guesser();
  const forScripts = scriptLists(policy);
  for (const directive of allDirectives(policy)) {
    const seen = new Set<string>();
    const isForScripts = forScripts.has(directive);
    let isAncestorTold = false;
    for (const [index, value] of directive.values.entries()) {
      const lower = lowerCase(value);
      const subject = { value, lower, source: parseSource(value), directive, isForScripts, nearest };
      const verdict = isMissingSemicolon(value) ? undefined : judge(subject, seen);
      seen.add(spelling(subject));
      if (verdict === undefined) continue;
      // It says the same of each source.
      if (verdict.ruleId === "frame-ancestors-source" && isAncestorTold) continue;
      isAncestorTold ||= verdict.ruleId === "frame-ancestors-source";
      const { ruleId, severity, message, syntax } = verdict;
      const position = directive.valuePositions[index] ?? directive.position;
      yield { ruleId, severity, message, position, directive: directive.name, syntax };
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

function duplicateSource({ value }: Subject): Verdict {
  return {
    ruleId: "duplicate-source",
    severity: "info",
    message: `${shown(value)} is in this list already.`,
    syntax: false,
  };
}
