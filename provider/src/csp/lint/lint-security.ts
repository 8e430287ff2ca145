import type { Finding as EvaluatorFinding } from "csp_evaluator/dist/finding";
import type { Finding, Severity } from "../finding";
import { isSourceListDirective } from "../syntax/directives";
import type { ParsedPolicy, Position } from "../syntax/parse";
import { evaluatorSpelling } from "./evaluator-spelling";
import type { LintRuleId } from "./lint-rules";

/** The evaluator compares each source with its list of some 130 hosts: enough for any policy that fits a header. */
const SOURCES_LIMIT = 1000;

interface Mapping {
  readonly ruleId: LintRuleId;
  readonly severity: Severity;
  readonly message: (finding: EvaluatorFinding) => string;
}

/** Security findings of Google's csp_evaluator, which is loaded on the first call. */
export function* lintSecurity(policy: ParsedPolicy): Iterable<Finding> {
  const lists = readable(policy);
  const told = new Set<string>();
  for (const found of evaluate(lists)) {
    const mapping = map(found);
    if (mapping === undefined) continue;
    const { ruleId, severity, message } = mapping;
    const once = `${ruleId} ${found.directive}`;
    if (ONCE_A_DIRECTIVE.has(ruleId) && told.has(once)) continue;
    told.add(once);
    for (const position of positionsOf(policy, found, lists)) {
      yield {
        ruleId,
        severity,
        message: message(found),
        position,
        directive: found.directive,
        syntax: false,
      };
    }
  }
}

/** They say the same of each source. */
const ONCE_A_DIRECTIVE: ReadonlySet<string> = new Set(["security-object-src"]);

/** Each place where the source stands; else the directive; else, for what is missing, the whole text. */
function positionsOf(
  policy: ParsedPolicy,
  found: EvaluatorFinding,
  lists: ReadableLists,
): readonly Position[] {
  const directive = policy.directives.find(({ name }) => name === found.directive);
  if (directive === undefined) return [{ offset: 0, length: policy.text.length }];
  const indexes = lists.get(directive.name)?.get(found.value ?? "") ?? [];
  const positions = indexes.flatMap((index) => directive.valuePositions[index] ?? []);
  if (positions.length === 0) return [directive.position];
  return ONCE_A_DIRECTIVE.has(map(found)?.ruleId ?? "") ? positions.slice(0, 1) : positions;
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
  // Those of which `map` has something to say. Hosts of scripts are in `lint-script-hosts.ts`, which takes less time.
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

/** Only what it can read: it throws on a host that is no host, and takes any name for a directive. */
function readable(policy: ParsedPolicy): ReadableLists {
  const lists = new Map<string, Map<string, number[]>>();
  let left = SOURCES_LIMIT;
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
    // Beside others it means nothing, but it would make the evaluator pass over them.
    if (sources.size > 1) sources.delete("'none'");
    lists.set(name, sources);
  }
  return lists;
}

const always = (text: string) => () => text;
const description = (finding: EvaluatorFinding) => finding.description;

/** Undefined: not a matter of security here, or another rule says it better. */
function map(found: EvaluatorFinding): Mapping | undefined {
  evaluator ??= loadEvaluator();
  const { Type } = evaluator;
  switch (found.type) {
    case Type.SCRIPT_UNSAFE_INLINE:
      return { ruleId: "security-unsafe-inline", severity: "high", message: description };
    case Type.SCRIPT_UNSAFE_HASHES:
      return { ruleId: "security-unsafe-hashes", severity: "medium", message: description };
    case Type.SCRIPT_UNSAFE_EVAL:
      return { ruleId: "security-unsafe-eval", severity: "medium", message: description };
    case Type.PLAIN_URL_SCHEMES:
      return { ruleId: "security-plain-scheme", severity: "high", message: description };
    case Type.PLAIN_WILDCARD:
      return {
        ruleId: "security-wildcard",
        severity: "high",
        message: ({ directive }) => `${directive} with * allows sources from anywhere. Name the hosts.`,
      };
    case Type.MISSING_DIRECTIVES:
      return missing(found);
    case Type.OBJECT_ALLOWLIST_BYPASS:
      return { ruleId: "security-object-src", severity: "low", message: description };
    default:
      return undefined;
  }
}

function missing(found: EvaluatorFinding): Mapping {
  if (found.directive === "object-src") {
    const text = "object-src is missing, so plugins may be loaded from anywhere. Add object-src 'none'.";
    // The evaluator calls it high; no browser of today runs plugins.
    return { ruleId: "security-missing-object-src", severity: "low", message: always(text) };
  }
  if (found.directive === "base-uri") {
    return { ruleId: "security-missing-base-uri", severity: "medium", message: description };
  }
  return {
    ruleId: "security-missing-script-src",
    severity: "medium",
    message: always("Neither script-src nor default-src is there, so scripts are not restricted at all."),
  };
}
