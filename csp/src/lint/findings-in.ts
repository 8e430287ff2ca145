import { parse } from "../syntax/parse";
import { lintDirectives } from "./lint-directives";
import type { Finding, Severity } from "./lint-rules";
import { lintSecurity } from "./lint-security";
import { lintSources } from "./lint-sources";

const severityOrder: readonly Severity[] = ["high", "medium", "low", "info"];

/**
 * What is wrong with a policy, worst first, then by place. Which sources others make redundant is never more than
 * information and takes as long as all else: only if asked.
 */
export function findingsIn(text: string, withRedundant = false): Finding[] {
  const policy = parse(text);
  const ofSources = lintSources(policy, withRedundant);
  const findings = [...lintDirectives(policy), ...ofSources, ...lintSecurity(policy)];
  return findings.sort(
    (a, b) =>
      severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity) ||
      a.position.offset - b.position.offset ||
      (a.ruleId < b.ruleId ? -1 : 1),
  );
}
