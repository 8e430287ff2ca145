import type { Rule, RuleOverride, WafConfiguration } from "../../api/client-types";
import { hasAction } from "../../model/waf-rules/rule-meaning";
import { clean, enumerate, pluralize } from "../../text/shown";
import { cleanName } from "./texts";

/** Maximum number of characters for rules and for overrides. A configuration may have hundreds of them. */
const room = { rules: 2500, overrides: 1700 };

/** Number of rules that are always shown: the last ones that run a managed ruleset, because these matter most. */
const runsShown = 4;

/** Renders a configuration for reviewers, with one line for each rule and each override. The result is safe to show. */
export function readableRules({ name, rules }: WafConfiguration): readonly string[] {
  const all = rules.map((rule, index) => ({ line: renderRule(rule, index + 1), rule }));
  const runs = all.filter(({ rule }) => hasAction(rule, "execute")).slice(-runsShown);
  let left = room.rules - runs.reduce((sum, { line }) => sum + line.length, 0);
  const take = ({ length }: string): boolean => {
    left -= length;
    return left > 0;
  };
  const chosen = all.filter((one) => runs.includes(one) || take(one.line));
  left = Math.max(left, 0) + room.overrides;
  const lines = chosen.flatMap(({ line, rule }) => {
    const details = renderOverrides(rule).map((override) => `     - ${override}`);
    const named = details.filter(take);
    const rest = details.length - named.length;
    return [line, ...named, ...(rest > 0 ? [`     … and ${pluralize(rest, "more override")}`] : [])];
  });
  const rest = rules.length - chosen.length;
  return [
    `Configuration "${clean(name)}", ${pluralize(rules.length, "rule")}:`,
    ...lines,
    ...(rest > 0 ? [`  … and ${pluralize(rest, "more rule")}; getWafConfiguration returns them all.`] : []),
  ];
}

function renderRule(rule: Rule, number: number): string {
  const { action, actionParameters, expression, description, enabled } = rule;
  const called = description ? ` "${clean(description)}"` : "";
  const does = hasAction(rule, "execute")
    ? `run managed ruleset ${cleanName(actionParameters?.id ?? "(none)")}`
    : cleanName(action);
  const state = enabled === false ? "disabled" : "enabled";
  return `  ${number}.${called} ${does}, if ${clean(expression)}, ${state}`;
}

function renderOverrides({ actionParameters }: Rule): readonly string[] {
  const { extra = {}, rules = [], ...all } = actionParameters?.overrides ?? {};
  return [
    ...(all.action !== undefined || all.enabled !== undefined ? [`all its rules: ${setting(all)}`] : []),
    ...rules.map((override) => `rule ${cleanName(override.id)}: ${setting(override)}`),
    ...Object.entries(extra).map(([field, value]) => `${cleanName(field)}: ${shownValue(value, 120)}`),
  ];
}

function setting({ action, enabled, extra = {} }: Omit<RuleOverride, "id">): string {
  const parts = [
    ...(action === undefined ? [] : [`action ${cleanName(action)}`]),
    ...(enabled === undefined ? [] : [enabled ? "enabled" : "disabled"]),
    ...Object.entries(extra).map(([field, value]) => `${cleanName(field)} ${shownValue(value, 60)}`),
  ];
  return enumerate(parts, { most: 5, separator: ", " }) || "(nothing)";
}

function shownValue(value: unknown, max: number): string {
  return clean(typeof value === "string" ? value : JSON.stringify(value), { max });
}
