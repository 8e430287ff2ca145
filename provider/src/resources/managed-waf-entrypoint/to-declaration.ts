import type { Entrypoint, Rule } from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { InputError } from "../../errors/page-guard-error";
import { fromRule, toRule, wafRuleInput } from "../../model/waf-rules/rule-input";
import { isSameRule } from "../../model/waf-rules/rule-match";
import { withoutNull } from "../../model/waf-rules/rule-meaning";
import type { WafRuleArgs } from "../../model/waf-rules/waf-rule";

/** The entry point of a zone as arguments of a `ManagedWafEntrypoint`, which take the zone id besides. */
export interface EntrypointDeclaration {
  readonly name?: string;
  /** In the order in which they run, each with its `ref`. */
  readonly rules: readonly WafRuleArgs[];
}

/**
 * Rules in their order; overrides as they are, with the fields that this version does not know.
 *
 * @throws InputError when a `ManagedWafEntrypoint` cannot say what a rule is.
 */
export function entrypointDeclaration({ name, rules }: Entrypoint): EntrypointDeclaration {
  return { ...(name !== undefined && name !== "" && { name }), rules: rules.map(ruleDeclaration) };
}

function ruleDeclaration(live: Rule, index: number): WafRuleArgs {
  const { action, expression, description, enabled, ...rest } = fromRule(live);
  const words = { description: description || undefined, enabled: enabled === false ? false : undefined };
  const declared = withoutNull(
    compact({ action, expression, ...words, ref: live.ref || undefined, ...rest }),
  );
  const { data, error } = wafRuleInput.safeParse(declared);
  if (data && isSameRule(toRule(data), live)) return declared as WafRuleArgs;
  const [issue] = error?.issues ?? [];
  const place = [`rules[${index}]`, ...(issue?.path ?? []).map(String)].join(".");
  const reason = issue?.message ?? "declared, it would say something else.";
  throw new InputError(place, `A ManagedWafEntrypoint cannot have this rule: ${reason}`);
}
