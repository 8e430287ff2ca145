import * as z from "zod";
import type { Entrypoint, Rule } from "../../api/client-types";
import { InputError } from "../../errors/page-guard-error";
import { fromRule, toRule, wafRuleInput } from "../../model/waf-rules/rule-input";
import { isSameRule } from "../../model/waf-rules/rule-match";
import type { WafRuleArgs } from "../../model/waf-rules/waf-rule";
import { withoutFields } from "../../text/data";

/** Arguments of a `ManagedWafEntrypoint`, except `zoneId`, that declare the entry point of a zone. */
export interface EntrypointDeclaration {
  readonly name?: string;
  /** Rules in the order in which they run, each with its `ref`. */
  readonly rules: readonly WafRuleArgs[];
}

/** Returns the arguments that declare an entry point. @throws InputError if no arguments can declare one of its rules. */
export function entrypointDeclaration({ name, rules }: Entrypoint): EntrypointDeclaration {
  return { ...(name !== undefined && name !== "" && { name }), rules: rules.map(ruleDeclaration) };
}

function ruleDeclaration(live: Rule, index: number): WafRuleArgs {
  const { action, expression, enabled, description, ...rest } = fromRule(live);
  const fields = {
    action,
    expression,
    ...(description !== "" && description !== undefined && { description }),
    ...(enabled === false && { enabled }),
    ...(live.ref !== undefined && live.ref !== "" && { ref: live.ref }),
    ...rest,
  };
  const declared: unknown = withoutFields(fields, null);
  const property = `rules[${index}]`;
  const { data, error } = wafRuleInput.safeParse(declared);
  if (!data || !isRule(declared)) {
    const issue = error?.issues[0];
    const place = [property, ...(issue?.path ?? []).map(String)].join(".");
    const reason = issue?.message ?? "it has a value that no argument can have";
    throw new InputError(place, `A ManagedWafEntrypoint cannot declare this rule: ${reason}`);
  }
  if (!isSameRule(toRule(data), live))
    throw new InputError(property, "A ManagedWafEntrypoint cannot declare this rule exactly as it is.");
  return declared;
}

/** Whether an input that `wafRuleInput` accepts contains only values that an argument can have. */
function isRule(value: unknown): value is WafRuleArgs {
  return z.json().safeParse(value).success;
}
