import { isSourceListDirective } from "./directives";
import { allDirectives, type Finding, shown } from "./finding";
import { isMissingSemicolon } from "./lint-directives";
import { scriptLists } from "./lint-script-hosts";
import { guesser } from "./nearest";
import { lowerCase, type ParsedPolicy } from "./parse";
import { parseSource } from "./source";
import type { SourceRule, Subject, Verdict } from "./source-rule";
import {
  ftpSource,
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
import { canonicalSource } from "./source-text";
import { WideSources } from "./wide-sources";

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
  ftpSource,
  ipSource,
];

/** Rules about single sources, and sources given twice. */
export function* lintSources(policy: ParsedPolicy): Iterable<Finding> {
  const nearest = guesser();
  const forScripts = scriptLists(policy);
  for (const directive of allDirectives(policy)) {
    const seen = new Set<string>();
    const coveredBy = wideSources(directive.values);
    const isForScripts = forScripts.has(directive);
    let isAncestorTold = false;
    for (const [index, value] of directive.values.entries()) {
      const read = { value, lower: lowerCase(value), source: parseSource(value) };
      const subject = { ...read, directive, isForScripts, nearest };
      const verdict = isMissingSemicolon(value) ? undefined : judge(subject, seen, coveredBy);
      seen.add(onHttps(value));
      if (verdict === undefined) continue;
      // It says the same of each source.
      if (verdict.ruleId === "frame-ancestors-source" && isAncestorTold) continue;
      isAncestorTold ||= verdict.ruleId === "frame-ancestors-source";
      const position = directive.valuePositions[index] ?? directive.position;
      yield { ...verdict, position, directive: directive.name };
    }
  }
}

function judge(
  subject: Subject,
  seen: ReadonlySet<string>,
  coveredBy: (value: string) => string | undefined,
): Verdict | undefined {
  const isList = isSourceListDirective(subject.directive.name);
  for (const rule of isList ? SOURCE_RULES : [controlCharacter, nonAscii, comma]) {
    const verdict = rule(subject);
    if (verdict !== undefined) return verdict;
  }
  if (!isList) return undefined;
  return seen.has(onHttps(subject.value))
    ? duplicateSource(subject)
    : coveredSource(subject, coveredBy(subject.value));
}

/** One spelling for what means the same on a page on https. */
function onHttps(value: string): string {
  const canonical = canonicalSource(value);
  const { kind } = parseSource(canonical);
  return kind === "host" && !canonical.includes("://") ? `https://${canonical}` : canonical;
}

/** Gives the source that covers another one, as it is written. What that takes is made for the first that asks. */
function wideSources(values: readonly string[]): (value: string) => string | undefined {
  let made: { readonly wide: WideSources; readonly written: ReadonlyMap<string, string> } | undefined;
  return (value) => {
    made ??= {
      wide: new WideSources(values.map(onHttps)),
      written: new Map(values.map((one) => [onHttps(one), one])),
    };
    const wider = made.wide.coveredBy(onHttps(value));
    return wider === undefined ? undefined : made.written.get(wider);
  };
}

function duplicateSource({ value }: Subject): Verdict {
  return {
    ruleId: "duplicate-source",
    severity: "info",
    message: `${shown(value)} is in this list already, as it is or in another spelling.`,
    syntax: false,
  };
}

function coveredSource({ value }: Subject, wider: string | undefined): Verdict | undefined {
  if (wider === undefined) return undefined;
  return {
    ruleId: "covered-source",
    severity: "info",
    message: `${shown(value)} adds nothing: ${shown(wider)} is in this list and allows all of it. Keep the one that you mean.`,
    syntax: false,
  };
}
