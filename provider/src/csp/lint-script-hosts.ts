import { FALLBACKS } from "./directives";
import { type Finding, shown } from "./finding";
import { bypassesAmong } from "./known-bypasses";
import { findDirective, type ParsedDirective, type ParsedPolicy } from "./parse";
import { parseSource } from "./source";
import { SourceList } from "./source-list";

/** The directives that decide about scripts of a URL: one, unless `script-src` is given in its parts. */
export function scriptLists(policy: ParsedPolicy): ReadonlySet<ParsedDirective> {
  const lists = ["script-src", "script-src-elem"].map((name) =>
    findDirective(policy, FALLBACKS.get(name) ?? []),
  );
  return new Set(lists.filter((list) => list !== undefined));
}

/** Hosts of scripts, by the lists of csp_evaluator, which are loaded on the first call. */
export function* lintScriptHosts(policy: ParsedPolicy): Iterable<Finding> {
  for (const directive of scriptLists(policy)) {
    const list = new SourceList(directive.values);
    if (list.ignoresHostsOfScripts) continue;
    const bypasses = bypassesAmong(directive.values, list.hasKeyword("unsafe-eval"));
    for (const [index, value] of directive.values.entries()) {
      const place = {
        position: directive.valuePositions[index] ?? directive.position,
        directive: directive.name,
        syntax: false,
      };
      const bypass = bypasses.get(value);
      if (bypass !== undefined) {
        const serves = [...bypass.serves].join(" and ");
        const message = `${bypass.host} is known to host ${serves}, by which scripts get around this policy. Name the path or the very URL that you need.`;
        yield { ruleId: "security-bypass", severity: "high", message, ...place };
      } else {
        const message = adviceOn(value);
        if (message !== undefined)
          yield { ruleId: "security-check-host", severity: "info", message, ...place };
      }
    }
  }
}

function adviceOn(value: string): string | undefined {
  const source = parseSource(value);
  const whatFor = "serves no JSONP, no AngularJS and nothing that users upload";
  if (source.kind === "keyword" && source.keyword === "self") return `See that your own host ${whatFor}.`;
  if (source.kind !== "host" || !source.host.includes(".")) return undefined;
  return `Nothing bad is known of ${shown(value)}; see that it ${whatFor}.`;
}
