import type { z } from "zod";
import type { EntrypointBody, Rule, WafConfiguration } from "../../api/client-types";
import { asRecorded } from "../../lifecycle/state";
import { anyWafRule, fromRule, recordedRule, toRule } from "../../model/waf-rules/rule-input";
import { isSameInOrder, isSameRule } from "../../model/waf-rules/rule-match";
import type { Attempt, State } from "./state";

/** `id`, `version`, `ref`: left out for the validation, empty strings for the finishing update (the WAF migration document). */
export function wireBody({ name: listName, rules }: WafConfiguration, mode: Attempt["mode"]): EntrypointBody {
  return {
    name: listName,
    rules: rules.map(({ id: _id, version: _version, ref: _ref, lastUpdated: _updated, ...rule }) =>
      mode === "pending" ? { id: "", version: "", ref: "", ...rule } : rule,
    ),
  };
}

export function applied({ name: listName, rules }: WafConfiguration): NonNullable<State["applied"]> {
  return { name: listName, rules: rules.map(ruleRecord) };
}

export function ruleRecord(rule: Rule): z.output<typeof recordedRule> {
  return recordedRule.parse(fromRule(rule));
}

export function asRule(rule: z.output<typeof recordedRule>): Rule {
  return toRule(asRecorded("a rule that was sent", () => anyWafRule.parse(rule)));
}

/** A rule for comparing: what identifies it is the service's, not the configuration's. */
export function unnamed({ id: _id, version: _version, ref: _ref, ...rule }: Rule): Rule {
  return rule;
}

export function isSameConfiguration(wanted: readonly Rule[], live: readonly Rule[]): boolean {
  return isSameInOrder(wanted, live, (rule, other) => isSameRule(unnamed(rule), other));
}
