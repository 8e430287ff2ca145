import { advice, type Finding, inDirective, type Unplaced, visible } from "../finding";
import { SourceList } from "../match/source-list";
import { decidingDirective, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";
import { parseSource } from "../syntax/source";
import { type Published, publishedBy } from "./anyone-publishes";
import { type KnownBad, knownBad } from "./known-bad";
import { type Bypass, bypassesAmong } from "./known-bypasses";

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
    const bypasses = bypassesAmong(directive.values, list.hasKeyword("unsafe-eval"));
    for (const [index, value] of directive.values.entries()) {
      for (const verdict of verdictsOn(value, bypasses.get(value)))
        yield inDirective(directive, verdict, index);
    }
  }
}

function verdictsOn(value: string, bypass: Bypass | undefined): readonly Unplaced[] {
  const source = parseSource(value);
  if (source.kind !== "host") return bypass === undefined ? [] : [bypassVerdict(bypass, false)];
  const bad = knownBad(source.host);
  if (bad !== undefined) return [badVerdict(value, bad)];
  const published = publishedBy(source);
  const isExact = source.path !== undefined && !source.path.endsWith("/");
  return [
    ...(bypass === undefined ? [] : [bypassVerdict(bypass, isExact)]),
    ...(published === undefined ? [] : [publishedVerdict(published)]),
  ];
}

function badVerdict(value: string, { why, since }: KnownBad): Unplaced {
  const message = `${visible(value)} has served malicious code (${why}, ${since}). Remove it, and serve what you need of it from your own host.`;
  return advice("security-known-bad", "high", message);
}

function bypassVerdict({ host, serves, isWeak }: Bypass, isExact: boolean): Unplaced {
  const what = `${host} is known to host ${new Intl.ListFormat("en").format(serves)}`;
  const wayOut = isExact
    ? "Load it from your own host, or do without it."
    : "Name the path or the exact URL that you need.";
  const rest = isWeak
    ? ": check that no function of the page does harm when it is called."
    : `, which let scripts bypass this policy. ${wayOut}`;
  return advice("security-bypass", isWeak ? "low" : "high", `${what}${rest}`);
}

function publishedVerdict({ why, instead, isWildcard }: Published): Unplaced {
  const message = `${why}, so an attacker can put a script where this policy allows it. ${instead}.`;
  return advice("security-anyone-publishes", isWildcard ? "high" : "medium", message);
}
