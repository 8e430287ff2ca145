import { advice, type Finding, inDirective, inPolicy, type Unplaced } from "../finding";
import { SourceList } from "../match/source-list";
import { decidingDirective, findDirective, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";
import { parseSource, type Source } from "../syntax/source";

/** What lets injected code run, beside the hosts of scripts, which `lint-script-hosts.ts` judges. */
export function* lintSecurity(policy: ParsedPolicy): Iterable<Finding> {
  const scripts = ["script-src", "script-src-elem", "script-src-attr"].flatMap(
    (name) => decidingDirective(policy, name) ?? [],
  );
  for (const directive of new Set(scripts)) yield* inScripts(directive);
  const base = findDirective(policy, ["base-uri"]);
  for (const [index, value] of (base?.values ?? []).entries()) {
    const verdict = base && fromAnywhere(parseSource(value), value, base.name);
    if (verdict) yield inDirective(base, verdict, index);
  }
  if (scripts.length === 0) yield { ...inPolicy(policy, missingScripts), directive: "script-src" };
  const objects = decidingDirective(policy, "object-src");
  if (objects === undefined) yield { ...inPolicy(policy, missingObjects), directive: "object-src" };
  const open = objects?.values.findIndex((value) => allowsPlugins(parseSource(value))) ?? -1;
  if (objects !== undefined && open !== -1) yield inDirective(objects, openObjects, open);
}

function* inScripts(directive: ParsedDirective): Iterable<Finding> {
  const list = new SourceList(directive.values);
  const areHostsIgnored = list.ignoresHostsOfScripts;
  const isInline = list.allowsAllInline && !list.isStrictDynamic;
  for (const [index, value] of directive.values.entries()) {
    const source = parseSource(value);
    const keyword = source.kind === "keyword" ? keywords.get(source.keyword) : undefined;
    const isDead =
      keyword?.ruleId === "security-unsafe-inline" ? !isInline : areHostsIgnored && keyword === undefined;
    const verdict = keyword ?? fromAnywhere(source, value, directive.name);
    if (verdict !== undefined && !isDead) yield inDirective(directive, verdict, index);
  }
}

function fromAnywhere(source: Source, value: string, directive: string): Unplaced | undefined {
  const isAny = source.kind === "star" || (source.kind === "host" && source.host === "");
  if (isAny)
    return advice(
      "security-wildcard",
      "high",
      `${directive} with * allows sources from anywhere. Name the hosts.`,
    );
  if (source.kind !== "scheme" || !["data", "http", "https"].includes(source.scheme)) return undefined;
  const what = source.scheme === "data" ? "injected text as a script" : "scripts of any host";
  return advice("security-plain-scheme", "high", `${value} in ${directive} allows ${what}. Name the hosts.`);
}

const keywords: ReadonlyMap<string, Unplaced> = new Map([
  [
    "unsafe-inline",
    advice(
      "security-unsafe-inline",
      "high",
      "'unsafe-inline' lets injected script elements and event handlers run. Move scripts into files, or allow them by their hash.",
    ),
  ],
  [
    "unsafe-eval",
    advice(
      "security-unsafe-eval",
      "medium",
      "'unsafe-eval' lets injected text run where a script of the page gives it to eval() and the like.",
    ),
  ],
  [
    "unsafe-hashes",
    advice(
      "security-unsafe-hashes",
      "medium",
      "'unsafe-hashes' lets the listed hashes run as event handlers, wherever they are injected.",
    ),
  ],
]);

function allowsPlugins(source: Source): boolean {
  return source.kind === "star" || source.kind === "host" || source.kind === "scheme";
}

// No current browser runs plugins: of these three nothing is more than low.
const openObjects = advice(
  "security-object-src",
  "low",
  "object-src allows plugins and documents of other hosts. Write object-src 'none'.",
);
const missingObjects = advice(
  "security-missing-object-src",
  "low",
  "object-src is missing, so plugins may be loaded from anywhere. Add object-src 'none'.",
);
const missingScripts = advice(
  "security-missing-script-src",
  "medium",
  "The policy has neither script-src nor default-src, so scripts are not restricted at all.",
);
