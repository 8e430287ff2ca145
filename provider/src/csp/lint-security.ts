import type { Csp as EvaluatorCsp } from "csp_evaluator/dist/csp";
import type { Finding as EvaluatorFinding } from "csp_evaluator/dist/finding";
import { isSourceListDirective } from "./directives";
import type { Finding, Severity } from "./finding";
import type { LintRuleId } from "./lint-rules";
import { lowerCase, type ParsedPolicy } from "./parse";
import { parseSource } from "./source";

/** The evaluator compares each source with its list of some 130 hosts: enough for any policy that fits a header. */
const SOURCES_LIMIT = 1000;

interface Mapping {
  readonly ruleId: LintRuleId;
  readonly severity: Severity;
  readonly message: (finding: EvaluatorFinding) => string;
}

/** Security findings of Google's csp_evaluator, which is loaded on the first call. */
export function* lintSecurity(policy: ParsedPolicy): Iterable<Finding> {
  for (const found of evaluate(policy)) {
    const mapping = map(found);
    if (mapping === undefined) continue;
    const directive = policy.directives.find(({ name }) => name === found.directive);
    const index = directive?.values.findIndex((value) => lowerCase(value) === lowerCase(found.value ?? ""));
    yield {
      ruleId: mapping.ruleId,
      severity: mapping.severity,
      message: mapping.message(found),
      position: directive?.valuePositions[index ?? -1] ??
        directive?.position ?? { offset: 0, length: policy.text.length },
      directive: found.directive,
      syntax: false,
    };
  }
}

function evaluate(policy: ParsedPolicy): readonly EvaluatorFinding[] {
  const { CspEvaluator } = require("csp_evaluator") as typeof import("csp_evaluator");
  const { Csp } = require("csp_evaluator/dist/csp") as typeof import("csp_evaluator/dist/csp");
  return new CspEvaluator(readable(policy, Csp)).evaluate();
}

/** Only what it can read: it throws on a host that is no host, and takes any name for a directive. */
function readable(policy: ParsedPolicy, Csp: typeof EvaluatorCsp): EvaluatorCsp {
  const directives: Record<string, string[]> = {};
  let left = SOURCES_LIMIT;
  for (const { name, values } of policy.directives) {
    if (!isSourceListDirective(name)) continue;
    const sources = [...new Set(values.map(canonical))]
      .filter((value) => {
        const source = parseSource(value);
        return (
          source.kind !== "invalid" &&
          (source.kind !== "host" || URL.canParse(`https://${source.host || "x"}`))
        );
      })
      .slice(0, left);
    left -= sources.length;
    directives[name] = sources;
  }
  return new Csp(directives);
}

/** It compares by the letter: keywords, schemes and hosts in lower case, and no port that a URL cannot have. */
function canonical(value: string): string {
  const source = parseSource(value);
  if (source.kind === "hash" || source.kind === "nonce") return value;
  if (source.kind !== "host") return lowerCase(value);
  const scheme = source.scheme === undefined ? "" : `${source.scheme}://`;
  const host = source.isWildcard ? (source.host === "" ? "*" : `*.${source.host}`) : source.host;
  const path = /^(?:[^:/]*:\/\/)?[^/]*(\/[^?#]*)/.exec(value)?.[1] ?? "";
  return `${scheme}${host}${path}`;
}

const always = (text: string) => () => text;
const description = (finding: EvaluatorFinding) => finding.description;

/** Undefined: not a matter of security here, or another rule says it better. */
function map(found: EvaluatorFinding): Mapping | undefined {
  const { Type, Severity: Level } =
    require("csp_evaluator/dist/finding") as typeof import("csp_evaluator/dist/finding");
  const isHigh = found.severity === Level.HIGH;
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
    case Type.SCRIPT_ALLOWLIST_BYPASS:
      return {
        ruleId: isHigh ? "security-bypass" : "security-check-host",
        severity: isHigh ? "high" : "info",
        message: description,
      };
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
