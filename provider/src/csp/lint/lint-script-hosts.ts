import { advice, type Finding, inDirective, type Unplaced, visible } from "../finding";
import { SourceList } from "../match/source-list";
import { decidingDirective, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";
import { parseSource, type Source } from "../syntax/source";
import { type Published, publishedBy } from "./anyone-publishes";
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
  const published = source.kind === "host" ? publishedBy(source) : undefined;
  if (bypass !== undefined || published !== undefined) {
    return [
      ...(bypass === undefined ? [] : [bypassVerdict(bypass)]),
      ...(published === undefined ? [] : [publishedVerdict(published)]),
    ];
  }
  const message = adviceOn(value, source);
  return message === undefined ? [] : [advice("security-check-host", "info", message)];
}

function bypassVerdict({ host, serves, isWeak }: Bypass): Unplaced {
  const what = `${host} is known to host ${new Intl.ListFormat("en").format(serves)}`;
  const rest = isWeak
    ? ": check that no function of the page does harm when it is called."
    : ", which let scripts bypass this policy. Name the path or the exact URL that you need.";
  return advice("security-bypass", isWeak ? "low" : "high", `${what}${rest}`);
}

function publishedVerdict({ why, instead, isWildcard }: Published): Unplaced {
  const message = `${why}, so an attacker can put a script where this policy allows it. ${instead}.`;
  return advice("security-anyone-publishes", isWildcard ? "high" : "medium", message);
}

function adviceOn(value: string, source: Source): string | undefined {
  const whatFor = "serves no JSONP, no AngularJS and nothing that users upload";
  if (source.kind === "keyword" && source.keyword === "self") return `Check that your own host ${whatFor}.`;
  if (source.kind !== "host" || !source.host.includes(".")) return undefined;
  return `Nothing bad is known about ${visible(value)}; check that it ${whatFor}.`;
}
