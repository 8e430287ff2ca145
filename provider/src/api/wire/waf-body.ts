import type { ActionParameters, EntrypointBody, Overrides, Rule, RuleOverride } from "../client-types";
import { compact } from "./schema-parts";

/**
 * The body of an entry point update, as the documents spell it. What is absent stays absent: an `enabled` that is
 * invented here would switch rules off. Unknown fields go back as they came; ours win over a field of that name.
 */
export function entrypointBody({ name, description, rules }: EntrypointBody): Record<string, unknown> {
  return compact({ name, description, rules: rules.map(ruleBody) });
}

function ruleBody(rule: Rule): Record<string, unknown> {
  return {
    ...rule.extra,
    ...compact({
      id: rule.id,
      // Server-made; only the migration sends it, as an empty string.
      version: rule.version,
      ref: rule.ref,
      action: rule.action,
      expression: rule.expression,
      description: rule.description,
      enabled: rule.enabled,
      action_parameters: rule.actionParameters && parametersBody(rule.actionParameters),
    }),
  };
}

function parametersBody({ id, overrides, extra }: ActionParameters): Record<string, unknown> {
  return { ...extra, ...compact({ id, overrides: overrides && overridesBody(overrides) }) };
}

function overridesBody({ action, enabled, rules, extra }: Overrides): Record<string, unknown> {
  return { ...extra, ...compact({ action, enabled, rules: rules?.map(overrideBody) }) };
}

function overrideBody({ id, action, enabled, extra }: RuleOverride): Record<string, unknown> {
  return { ...extra, ...compact({ id, action, enabled }) };
}
