import { allDirectives, type Finding, inDirective, visible } from "../finding";
import { guesser } from "../match/nearest";
import { SourceList } from "../match/source-list";
import { isSourceListDirective } from "../syntax/directives";
import { lowerCase, type ParsedPolicy } from "../syntax/parse";
import { parseSource } from "../syntax/source";
import { canonicalSource } from "../syntax/source-text";
import { isMissingSemicolon } from "./lint-directives";
import { say, type Unplaced } from "./lint-rules";
import { scriptLists } from "./lint-script-hosts";
import { judgeCharacters, judgeSource } from "./source-rules";

/** Rules about single sources, and about sources that others in the list make redundant. One finding a source. */
export function* lintSources(policy: ParsedPolicy): Iterable<Finding> {
  const nearest = guesser();
  const forScripts = scriptLists(policy);
  for (const directive of allDirectives(policy)) {
    const { name, values } = directive;
    const isList = isSourceListDirective(name);
    // Where no host of scripts counts, none is unwise.
    const isForScripts = forScripts.has(directive) && !new SourceList(values).ignoresHostsOfScripts;
    const redundant = isList ? redundantOf(values) : [];
    let isAncestorReported = false;
    for (const [index, value] of values.entries()) {
      if (isMissingSemicolon(value)) continue;
      const source = parseSource(value);
      const subject = { value, lower: lowerCase(value), source, name, isForScripts, nearest };
      const verdict = (isList ? judgeSource : judgeCharacters)(subject) ?? redundant[index];
      if (verdict === undefined) continue;
      // The message is the same for each source.
      if (verdict.ruleId === "frame-ancestors-source" && isAncestorReported) continue;
      isAncestorReported ||= verdict.ruleId === "frame-ancestors-source";
      yield inDirective(directive, verdict, index);
    }
  }
}

/** By their places: what is in the list twice, and what another one covers. A page on https is assumed. */
function redundantOf(values: readonly string[]): readonly (Unplaced | undefined)[] {
  if (values.length < 2) return [];
  const sources = values.map((value) => {
    const source = parseSource(value);
    const read = source.kind === "host" ? { ...source, scheme: source.scheme ?? "https" } : source;
    return { value, read, spelling: canonicalSource(value, read) };
  });
  const first = new Map<string, (typeof sources)[number]>();
  for (const source of sources) if (!first.has(source.spelling)) first.set(source.spelling, source);
  const list = new SourceList(first.keys(), (spelling) => first.get(spelling)?.read ?? parseSource(spelling));
  return sources.map((source) => {
    const { value, read, spelling } = source;
    if (first.get(spelling) !== source) return say("duplicate-source", visible(value));
    const wider = list.coveredBy(read, spelling);
    const other = wider === undefined ? undefined : first.get(wider);
    return other && say("covered-source", visible(value), visible(other.value));
  });
}
