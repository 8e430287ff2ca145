import type { Rule, RuleOverride, WafConfiguration } from "../../api/client-types";
import { listed, plural, shown } from "../../text/shown";
import { shownName } from "./texts";

/** Maximum number of characters for rules and for overrides. A configuration may have hundreds of each. */
const room = { rules: 2500, overrides: 1700 };
/** Maximum number of rules that run a managed ruleset and are shown in any case, because they matter most. */
const runsShown = 4;

/** Renders a configuration for reviewers: one line for each rule and each override. Safe to show. */
export function readableRules({ name, rules }: WafConfiguration): readonly string[] {
  const all = rules.map((rule, index) => ({ line: lineOf(rule, index + 1), rule }));
  const runs = all.filter(({ rule }) => rule.action === "execute").slice(-runsShown);
  let left = room.rules - runs.reduce((sum, { line }) => sum + line.length, 0);
  const take = ({ length }: string): boolean => {
    left -= length;
    return left > 0;
  };
  const chosen = all.filter((one) => runs.includes(one) || take(one.line));
  left = Math.max(left, 0) + room.overrides;
  const lines = chosen.flatMap(({ line, rule }) => {
    const details = overridesOf(rule).map((override) => `     - ${override}`);
    const named = details.filter(take);
    const rest = details.length - named.length;
    return [line, ...named, ...(rest > 0 ? [`     … and ${plural(rest, "more override")}`] : [])];
  });
  const rest = rules.length - chosen.length;
  return [
    `Configuration "${shown(name)}", ${plural(rules.length, "rule")}:`,
    ...lines,
    ...(rest > 0 ? [`  … and ${plural(rest, "more rule")}; getWafConfiguration returns them all.`] : []),
  ];
}

function lineOf(
  { action, actionParameters, expression, description, enabled }: Rule,
  number: number,
): string {
  const called = description ? ` "${shown(description)}"` : "";
  const does =
    action === "execute"
      ? `run managed ruleset ${shownName(actionParameters?.id ?? "(none)")}`
      : shownName(action);
  return `  ${number}.${called} ${does}, if ${shown(expression)}, ${enabled === false ? "disabled" : "enabled"}`;
}

/** Renders each override of the managed ruleset that a rule runs. Safe to show. */
function overridesOf({ actionParameters }: Rule): readonly string[] {
  const { extra = {}, rules = [], ...all } = actionParameters?.overrides ?? {};
  return [
    ...(all.action !== undefined || all.enabled !== undefined ? [`all its rules: ${setting(all)}`] : []),
    ...rules.map((override) => `rule ${shownName(override.id)}: ${setting(override)}`),
    ...Object.entries(extra).map(([field, value]) => `${shownName(field)}: ${shownValue(value, 120)}`),
  ];
}

function setting({ action, enabled, extra = {} }: Omit<RuleOverride, "id">): string {
  const parts = [
    ...(action === undefined ? [] : [`action ${shownName(action)}`]),
    ...(enabled === undefined ? [] : [enabled ? "enabled" : "disabled"]),
    ...Object.entries(extra).map(([field, value]) => `${shownName(field)} ${shownValue(value, 60)}`),
  ];
  return listed(parts, { most: 5, separator: ", " }) || "(nothing)";
}

function shownValue(value: unknown, max: number): string {
  return shown(typeof value === "string" ? value : JSON.stringify(value), { max });
}
