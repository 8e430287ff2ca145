import type { Finding, Severity } from "../finding";
import { parse } from "../syntax/parse";
import { lintDirectives } from "./lint-directives";
import { lintInline } from "./lint-inline";
import { lintMissing } from "./lint-missing";
import { lintScriptHosts } from "./lint-script-hosts";
import { lintSecurity } from "./lint-security";
import { lintSources } from "./lint-sources";

const severityOrder: readonly Severity[] = ["high", "medium", "low", "info"];

/**
 * What is wrong with, or unwise in, the text of a policy: syntax that browsers or the service ignore, and
 * security findings. Worst first, then by place. The rules are in `docs/csp-lint-rules.md`. Never throws.
 *
 * @example
 * ```ts
 * lint("script-src self").map(({ ruleId }) => ruleId); // ["unquoted-keyword", …]
 * ```
 */
export function lint(text: string): Finding[] {
  const policy = parse(text);
  const findings = [
    ...lintDirectives(policy),
    ...lintInline(policy),
    ...lintMissing(policy),
    ...lintSources(policy),
    ...(policy.directives.length === 0 ? [] : lintSecurity(policy)),
    ...lintScriptHosts(policy),
  ];
  const isWorseReported = findings.some(({ ruleId }) => ruleId === "security-missing-base-uri");
  return findings
    .filter(({ ruleId }) => ruleId !== "missing-base-uri" || !isWorseReported)
    .sort(
      (a, b) =>
        severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity) ||
        a.position.offset - b.position.offset ||
        (a.ruleId < b.ruleId ? -1 : 1),
    );
}
