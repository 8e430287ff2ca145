import type { Rule, RuleOverride, WafConfiguration } from "../../api/client-types";
import { listed, type ShownOptions, shown } from "../../text/shown";
import { shownName } from "./texts";

/** Characters for the rules themselves; a configuration may have hundreds. */
const headlineRoom = 2500;
/** Characters for rules and overrides together. */
const room = 4200;
/** Rules that run managed rulesets and are shown however many precede them: they say the most. */
const runsShown = 4;

interface Readable {
  readonly headline: string;
  readonly details: readonly string[];
}

/** The configuration as a reviewer of a pull request reads it: a line a rule, a line an override. */
export function readableRules({ name, rules }: WafConfiguration): readonly string[] {
  const count = rules.length === 1 ? "1 rule" : `${rules.length} rules`;
  const all = rules.map((rule, index) => readable(rule, index + 1));
  const chosen = choose(all, rules);
  let left = room - sum(chosen);
  const lines = chosen.flatMap(({ headline, details }) => {
    const named = details.filter((detail) => {
      left -= detail.length;
      return left > 0;
    });
    const rest = details.length - named.length;
    return [headline, ...named, ...(rest > 0 ? [`     … and ${rest} more overrides`] : [])];
  });
  const rest = rules.length - chosen.length;
  const note = rest > 0 ? [`  … and ${rest} more rules; getWafConfiguration gives them all.`] : [];
  return [`Configuration "${shown(name)}", ${count}:`, ...lines, ...note];
}

function choose(all: readonly Readable[], rules: readonly Rule[]): readonly Readable[] {
  if (sum(all) <= headlineRoom) return all;
  const runs = all.filter((_, index) => rules[index]?.action === "execute").slice(-runsShown);
  let left = headlineRoom - sum(runs);
  return all.filter((rule) => {
    if (runs.includes(rule)) return true;
    left -= rule.headline.length;
    return left > 0;
  });
}

function sum(rules: readonly Readable[]): number {
  return rules.reduce((length, { headline }) => length + headline.length, 0);
}

function readable(rule: Rule, number: number): Readable {
  const { does, overrides } = ruleInWords(rule);
  const state = (rule.enabled ?? true) ? "enabled" : "disabled";
  const called = rule.description ? ` "${shown(rule.description)}"` : "";
  return {
    headline: `  ${number}.${called} ${does}, if ${shown(rule.expression)}, ${state}`,
    details: overrides.map((detail) => `     - ${detail}`),
  };
}

/** What a rule does, and each override of the managed ruleset that it runs; safe to show. */
function ruleInWords({ action, actionParameters }: Rule): {
  readonly does: string;
  readonly overrides: readonly string[];
} {
  const { id, overrides } = actionParameters ?? {};
  const { extra = {}, rules: single = [], ...all } = overrides ?? {};
  return {
    does: action === "execute" ? `run managed ruleset ${shownName(id ?? "(none)")}` : shownName(action),
    overrides: [
      ...(all.action !== undefined || all.enabled !== undefined ? [`all its rules: ${setting(all)}`] : []),
      ...single.map((override) => `rule ${shownName(override.id)}: ${setting(override)}`),
      ...Object.entries(extra).map(([field, value]) => `${shownName(field)}: ${shownValue(value)}`),
    ],
  };
}

function setting({ action, enabled, extra = {} }: Omit<RuleOverride, "id">): string {
  const parts = [
    ...(action === undefined ? [] : [`action ${shownName(action)}`]),
    ...(enabled === undefined ? [] : [enabled ? "enabled" : "disabled"]),
    ...Object.entries(extra).map(([field, value]) => `${shownName(field)} ${shownValue(value, { max: 60 })}`),
  ];
  return listed(parts, { most: 5, separator: ", " }) || "(nothing)";
}

function shownValue(value: unknown, options?: ShownOptions): string {
  return shown(typeof value === "string" ? value : JSON.stringify(value), options);
}
