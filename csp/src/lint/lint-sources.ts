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

/** By their places: what is in the list twice, and what another one covers. */
function redundantOf(values: readonly string[]): readonly (Unplaced | undefined)[] {
  if (values.length < 2) return [];
  const spellings = values.map(onHttps);
  const first = new Map<string, number>();
  for (const [index, spelling] of spellings.entries()) if (!first.has(spelling)) first.set(spelling, index);
  const list = new SourceList(first.keys());
  return spellings.map((spelling, index) => {
    const value = visible(values[index] ?? "");
    if (first.get(spelling) !== index) return say("duplicate-source", value);
    const wider = list.coveredBy(parseSource(spelling), spelling);
    const at = wider === undefined ? undefined : first.get(wider);
    return at === undefined ? undefined : say("covered-source", value, visible(values[at] ?? ""));
  });
}

/** One spelling for what means the same on a page on https. */
function onHttps(value: string): string {
  const source = parseSource(value);
  const isBare = source.kind === "host" && source.scheme === undefined;
  return canonicalSource(isBare ? `https://${value}` : value);
}
