import { advice, allDirectives, type Finding, inDirective, type Unplaced, visible } from "../finding";
import { guesser } from "../match/nearest";
import { SourceList } from "../match/source-list";
import { WideSources } from "../match/wide-sources";
import { isSourceListDirective } from "../syntax/directives";
import { lowerCase, type ParsedPolicy } from "../syntax/parse";
import { parseSource, type Source } from "../syntax/source";
import { isMissingSemicolon } from "./lint-directives";
import { scriptLists } from "./lint-script-hosts";
import { safetyRules } from "./source-safety";
import { characterRules, type SourceRule, type Subject, syntaxRules } from "./source-syntax";

/** One finding a source: the first rule that applies explains it best. */
const listRules: readonly SourceRule[] = [...syntaxRules, ...safetyRules];

/** Rules about single sources, and about sources that others in the list make redundant. */
export function* lintSources(policy: ParsedPolicy): Iterable<Finding> {
  const nearest = guesser();
  const forScripts = scriptLists(policy);
  for (const directive of allDirectives(policy)) {
    const isList = isSourceListDirective(directive.name);
    // Where no host of scripts counts, none is unwise.
    const isForScripts = forScripts.has(directive) && !new SourceList(directive.values).ignoresHostsOfScripts;
    const sources = directive.values.map(parseSource);
    const spellings = sources.map((source, index) => onHttps(source, directive.values[index] ?? ""));
    const redundant = isList ? redundantOf(directive.values, sources, spellings) : [];
    let isAncestorReported = false;
    for (const [index, value] of directive.values.entries()) {
      const source = sources[index] ?? parseSource(value);
      const subject = { value, lower: lowerCase(value), source, directive, isForScripts, nearest };
      const verdict = isMissingSemicolon(value) ? undefined : (judge(subject, isList) ?? redundant[index]);
      if (verdict === undefined) continue;
      // The message is the same for each source.
      if (verdict.ruleId === "frame-ancestors-source" && isAncestorReported) continue;
      isAncestorReported ||= verdict.ruleId === "frame-ancestors-source";
      yield inDirective(directive, verdict, index);
    }
  }
}

function judge(subject: Subject, isList: boolean): Unplaced | undefined {
  for (const rule of isList ? listRules : characterRules) {
    const verdict = rule(subject);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** By their places: what is in the list twice, and what another one covers. */
function redundantOf(
  values: readonly string[],
  sources: readonly Source[],
  spellings: readonly string[],
): readonly (Unplaced | undefined)[] {
  if (values.length < 2) return [];
  const read = sources.map(asOnHttps);
  const first = new Map<string, number>();
  const bySpelling = new Map<string, Source>();
  for (const [index, source] of read.entries()) {
    const spelling = spellings[index] ?? "";
    if (first.has(spelling)) continue;
    first.set(spelling, index);
    bySpelling.set(spelling, source);
  }
  const wide = new WideSources(bySpelling);
  return values.map((value, index) => {
    const spelling = spellings[index] ?? "";
    if (first.get(spelling) !== index) {
      const message = `${visible(value)} is already in this list, in this or another spelling.`;
      return advice("duplicate-source", "info", message);
    }
    const source = read[index];
    const wider = source && wide.coveredBy(source, spelling);
    const at = wider === undefined ? undefined : first.get(wider);
    if (at === undefined) return undefined;
    const message = `${visible(value)} adds nothing: ${visible(values[at] ?? "")} is in this list and allows all of it. Keep the one you need.`;
    return advice("covered-source", "info", message);
  });
}

/** A host without a scheme has that of the page. */
function asOnHttps(source: Source): Source {
  return source.kind === "host" && source.scheme === undefined ? { ...source, scheme: "https" } : source;
}

/** One spelling for what means the same on a page on https. */
function onHttps(source: Source, value: string): string {
  switch (source.kind) {
    case "host": {
      const { scheme = "https", isWildcard, host, port = "", path } = source;
      return `${scheme}://${isWildcard ? "*." : ""}${host}:${port}${path === "/" ? "" : (path ?? "")}`;
    }
    case "scheme":
      return `${source.scheme}:`;
    case "keyword":
      return `'${source.keyword}'`;
    default:
      return value;
  }
}
