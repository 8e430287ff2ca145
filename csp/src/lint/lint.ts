import { nearest } from "../match/nearest";
import { build } from "../syntax/build";
import { parse } from "../syntax/parse";
import { isMisspelt, lintDirectives } from "./lint-directives";
import { type Finding, LINT_RULES, type LintRuleId, type Severity } from "./lint-rules";
import { lintSecurity } from "./lint-security";
import { lintSources } from "./lint-sources";

/**
 * Finds problems in the text of a policy: syntax that browsers or the service ignore, and security risks. Sorted by severity,
 * worst first, then by place. The rules are in `docs/csp-lint-rules.md`. Never throws.
 *
 * @example
 * ```ts
 * lint("script-src self").map(({ ruleId }) => ruleId); // ["unquoted-keyword", …]
 * ```
 */
export function lint(text: string): Finding[] {
  return findingsIn(text, true);
}

/** Level of lint: `warn` shows findings, `error` also fails on findings of severity high, `off` shows syntax findings only. */
export type LintLevel = "warn" | "error" | "off";

/** Name of a rule in `docs/csp-lint-rules.md`. Editors offer these names. The type allows others, but a check refuses them. */
export type LintRuleName = LintRuleId | (string & {});

/** One rule to switch off for a policy, with or without a reason. */
export type LintRuleOff =
  | LintRuleName
  | { readonly rule: LintRuleName; readonly reason?: string | undefined };

export interface LintOptions {
  /** Level of the findings. Default: `warn`. */
  readonly level?: LintLevel | undefined;
  /** Rules that are switched off for this policy. Syntax rules then still warn, but do not fail the preview. */
  readonly off?: readonly LintRuleOff[] | undefined;
}

/** Setting that decides which findings are reported. */
export type LintSetting = LintLevel | LintOptions;

/** A finding that is reported under a setting. */
export interface ToldFinding extends Finding {
  /** Whether the finding fails the preview: by the setting, or because a misspelt directive restricts nothing. */
  readonly fails: boolean;
}

/**
 * Returns the findings of `lint` that are reported under a setting, worst first: findings of severity high and medium and, under
 * every setting, all syntax findings. Leaves out advice of low severity, because it applies to nearly every policy.
 *
 * @example
 * ```ts
 * lintBy("script-src 'unsafe-inline'", { level: "error", off: ["security-unsafe-inline"] }); // []
 * ```
 */
export function lintBy(text: string, setting: LintSetting = "warn"): ToldFinding[] {
  const { level = "warn", off = [] } = typeof setting === "string" ? { level: setting } : setting;
  const silent = new Set<string>(off.map(readRuleId));
  const isReported = ({ severity, ruleId }: Finding) =>
    level !== "off" && !silent.has(ruleId) && (severity === "high" || severity === "medium");
  const isGrave = ({ severity, ruleId, directive = "" }: Finding) =>
    (level === "error" && severity === "high") || (ruleId === "unknown-directive" && isMisspelt(directive));
  return findingsIn(text)
    .filter((finding) => finding.syntax || isReported(finding))
    .map((finding) => ({ ...finding, fails: !silent.has(finding.ruleId) && isGrave(finding) }));
}

/** Values to try for an unknown source: a host, `'none'`, and a hash, beside which browsers ignore `'unsafe-inline'`. */
const attempts = ["unknown.example", "'none'", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"];

/**
 * Returns the findings of `lintBy` that are the same for all values of the unknown sources (`undefined`). Ignore the positions of
 * these findings, because the text of the policy does not exist yet.
 *
 * @throws CspError if a directive cannot be written.
 */
export function lintPartlyKnown(
  directives: Readonly<Record<string, readonly (string | undefined)[]>>,
  setting?: LintSetting,
): ToldFinding[] {
  const [found = [], ...others] = attempts.map((attempt) => {
    const known = Object.entries(directives).map(([name, list]) => [name, list.map((one) => one ?? attempt)]);
    return lintBy(build(Object.fromEntries(known)), setting);
  });
  return found.filter(({ ruleId, message }) =>
    others.every((list) => list.some((other) => other.ruleId === ruleId && other.message === message)),
  );
}

/** A name in `off` that is not a rule. It is probably a typo, so the intended rule is still on. */
export interface UnknownRule {
  /** The position of the name in `off`, from 0. */
  readonly index: number;
  readonly rule: string;
  /** The rule that was most likely meant. */
  readonly guess?: LintRuleId;
}

export function unknownRules(setting: LintSetting): UnknownRule[] {
  const off = typeof setting === "string" ? [] : (setting.off ?? []);
  return off.map(readRuleId).flatMap((rule, index) => {
    if (LINT_RULES.some((known) => known === rule)) return [];
    const guess = nearest(rule, LINT_RULES);
    return [{ index, rule, ...(guess === undefined ? {} : { guess }) }];
  });
}

function readRuleId(off: LintRuleOff): string {
  return typeof off === "string" ? off : off.rule;
}

const severityOrder: readonly Severity[] = ["high", "medium", "low", "info"];

/**
 * Returns all findings about a policy, worst first, then by place. Finds redundant sources only if `withRedundant` is set: that
 * takes as long as all other checks together.
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
