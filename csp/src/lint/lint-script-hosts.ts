import { type Finding, inDirective, visible } from "../finding";
import { SourceList } from "../match/source-list";
import { decidingDirective, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";
import { type HostSource, parseSource } from "../syntax/source";
import { publishedBy } from "./anyone-publishes";
import { knownBad } from "./known-bad";
import { type Bypass, bypassOf } from "./known-bypasses";
import { say, type Unplaced } from "./lint-rules";

/** The directives that decide about scripts of a URL: one, unless `script-src` is given in its parts. */
export function scriptLists(policy: ParsedPolicy): ReadonlySet<ParsedDirective> {
  const lists = ["script-src", "script-src-elem"].map((name) => decidingDirective(policy, name));
  return new Set(lists.filter((list) => list !== undefined));
}

/** Hosts of scripts, by lists of what is known of them, which are loaded on the first call. */
export function* lintScriptHosts(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of scriptLists(policy)) {
    const list = new SourceList(directive.values);
    if (list.ignoresHostsOfScripts) continue;
    const withEval = list.hasKeyword("unsafe-eval");
    for (const [index, value] of directive.values.entries()) {
      const source = parseSource(value);
      if (source.kind !== "host") continue;
      for (const verdict of verdictsOn(source, value, withEval)) yield inDirective(directive, verdict, index);
    }
  }
}

function* verdictsOn(source: HostSource, value: string, withEval: boolean): Iterable<Unplaced> {
  const bad = knownBad(source.host);
  if (bad !== undefined) {
    yield say("security-known-bad", visible(value), bad);
    return;
  }
  const isExact = source.path !== undefined && !source.path.endsWith("/");
  const bypass = bypassOf(source, { withEval });
  if (bypass !== undefined) yield bypassVerdict(bypass, isExact);
  const published = publishedBy(source);
  if (published === undefined) return;
  const verdict = say("security-anyone-publishes", published.why, published.instead);
  yield published.isWildcard ? { ...verdict, severity: "high" } : verdict;
}

const and = new Intl.ListFormat("en");

function bypassVerdict({ host, serves, isWeak }: Bypass, isExact: boolean): Unplaced {
  const wayOut = isExact
    ? "Load it from your own host, or do without it."
    : "Name the path or the exact URL that you need.";
  const verdict = say("security-bypass", host, and.format(serves), wayOut);
  if (!isWeak) return verdict;
  const message = `${host} is known to host ${and.format(serves)}: check that no function of the page does harm when it is called.`;
  return { ...verdict, severity: "low", message };
}
