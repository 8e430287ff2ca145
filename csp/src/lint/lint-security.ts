import type { Finding as EvaluatorFinding } from "csp_evaluator/dist/finding";
import { advice, type Finding, inDirective, inPolicy, type Unplaced } from "../finding";
import { isSourceListDirective } from "../syntax/directives";
import { findDirective, type ParsedPolicy } from "../syntax/parse";
import { evaluatorSpelling } from "./evaluator-spelling";
import { scriptLists } from "./lint-script-hosts";

/** The evaluator compares each source with its list of some 130 hosts: enough for any policy that fits a header. */
const sourcesLimit = 1000;

/** Security findings of Google's csp_evaluator, which is loaded on the first call. */
export function* lintSecurity(policy: ParsedPolicy): Iterable<Finding> {
  const lists = readable(policy);
  const reported = new Set<string>();
  const forScripts = scriptLists(policy);
  for (const found of evaluate(lists)) {
    const judged = judgedBy(found);
    if (judged === undefined) continue;
    const directive = findDirective(policy, [found.directive]);
    // What default-src allows beside a script-src of its own is not for scripts.
    if (judged.severity === "high" && directive?.name === "default-src" && !forScripts.has(directive))
      continue;
    // No browser runs plugins any more.
    const verdict = directive?.name === "object-src" ? openObjects : judged;
    const places = lists.get(found.directive)?.get(found.value ?? "") ?? [];
    if (directive === undefined) {
      yield { ...inPolicy(policy, verdict), directive: found.directive };
    } else if (verdict.ruleId === "security-object-src") {
      // The message is the same for each source.
      if (!reported.has(found.directive)) yield inDirective(directive, verdict, places[0]);
      reported.add(found.directive);
    } else {
      for (const place of places.length === 0 ? [undefined] : places)
        yield inDirective(directive, verdict, place);
    }
  }
}

/** Directive name to its sources in the evaluator's spelling, each with its places among the values. */
type ReadableLists = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

function evaluate(lists: ReadableLists): readonly EvaluatorFinding[] {
  evaluator ??= loadEvaluator();
  const { CspEvaluator, Csp, checks } = evaluator;
  const directives = Object.fromEntries([...lists].map(([name, sources]) => [name, [...sources.keys()]]));
  return new CspEvaluator(new Csp(directives)).evaluate([], checks);
}

/** Loaded with the first policy, and kept: a program may have hundreds. */
let evaluator: ReturnType<typeof loadEvaluator> | undefined;

function loadEvaluator() {
  const { CspEvaluator } =
    require("csp_evaluator/dist/evaluator") as typeof import("csp_evaluator/dist/evaluator");
  const security =
    require("csp_evaluator/dist/checks/security_checks") as typeof import("csp_evaluator/dist/checks/security_checks");
  const { Csp } = require("csp_evaluator/dist/csp") as typeof import("csp_evaluator/dist/csp");
  const { Type } = require("csp_evaluator/dist/finding") as typeof import("csp_evaluator/dist/finding");
  // Those that `judgedBy` reports. Hosts of scripts are in `lint-script-hosts.ts`, which is faster.
  const checks = [
    security.checkScriptUnsafeInline,
    security.checkScriptUnsafeEval,
    security.checkPlainUrlSchemes,
    security.checkWildcards,
    security.checkMissingDirectives,
    security.checkFlashObjectAllowlistBypass,
  ];
  return { CspEvaluator, Csp, Type, checks };
}

/** Only what it can read: it throws on an invalid host, and accepts any name as a directive. */
function readable(policy: ParsedPolicy): ReadableLists {
  const lists = new Map<string, Map<string, number[]>>();
  let left = sourcesLimit;
  for (const { name, values } of policy.directives) {
    if (!isSourceListDirective(name)) continue;
    const sources = new Map<string, number[]>();
    for (const [index, value] of values.entries()) {
      const spelling = evaluatorSpelling(value);
      if (spelling === undefined) continue;
      const known = sources.get(spelling);
      if (known !== undefined) known.push(index);
      else if (left-- > 0) sources.set(spelling, [index]);
    }
    // Beside others it means nothing, but it would make the evaluator skip them.
    if (sources.size > 1) sources.delete("'none'");
    lists.set(name, sources);
  }
  return lists;
}

const openObjects = advice(
  "security-object-src",
  "low",
  "object-src allows plugins and documents of any such host. Write object-src 'none'.",
);

/** Undefined: not a matter of security here, or another rule says it better. */
function judgedBy({ type, directive, description }: EvaluatorFinding): Unplaced | undefined {
  evaluator ??= loadEvaluator();
  const { Type } = evaluator;
  switch (type) {
    case Type.SCRIPT_UNSAFE_INLINE:
      return advice("security-unsafe-inline", "high", description);
    case Type.SCRIPT_UNSAFE_HASHES:
      return advice("security-unsafe-hashes", "medium", description);
    case Type.SCRIPT_UNSAFE_EVAL:
      return advice("security-unsafe-eval", "medium", description);
    case Type.PLAIN_URL_SCHEMES:
      return advice("security-plain-scheme", "high", description);
    case Type.PLAIN_WILDCARD: {
      const text = `${directive} with * allows sources from anywhere. Name the hosts.`;
      return advice("security-wildcard", "high", text);
    }
    case Type.MISSING_DIRECTIVES:
      return missing(directive);
    case Type.OBJECT_ALLOWLIST_BYPASS:
      return advice("security-object-src", "low", description);
    default:
      return undefined;
  }
}

/** `base-uri` has a rule of its own. */
function missing(directive: string): Unplaced | undefined {
  if (directive === "object-src") {
    const text = "object-src is missing, so plugins may be loaded from anywhere. Add object-src 'none'.";
    // The evaluator calls it high, but no current browser runs plugins.
    return advice("security-missing-object-src", "low", text);
  }
  if (directive === "base-uri") return undefined;
  const text = "The policy has neither script-src nor default-src, so scripts are not restricted at all.";
  return advice("security-missing-script-src", "medium", text);
}
