import fc from "fast-check";
import type { Rule } from "../../../../provider/src/api/client-types";
import { entrypointSchema } from "../../../../provider/src/api/wire/waf-schema";
import {
  fromRule,
  type WafRuleInput,
  wafRuleInput,
} from "../../../../provider/src/model/waf-rules/rule-input";
import { type WireRule, wireRule } from "./wire-rules";

function read(wire: WireRule): Rule {
  const [rule] = entrypointSchema.parse({ id: "e", rules: [JSON.parse(JSON.stringify(wire))] }).rules;
  return rule ?? { action: "block", expression: "true" };
}

/** A rule as programs declare it, in the client's terms; few values, so that rules meet often. */
export const programRule: fc.Arbitrary<Rule> = fc
  .tuple(wireRule(true), fc.constantFrom(undefined, "r1", "r2"))
  .map(([wire, ref]) => ({ ...read(wire), ...(ref !== undefined && { ref }) }));

/** The same in the words of a program, which has no empty lists or objects: they would say nothing. */
export const ruleInput: fc.Arbitrary<WafRuleInput> = programRule
  .filter((rule) => !/\[\]|\{\}/.test(JSON.stringify(rule)))
  .map(({ ref, ...rule }) =>
    wafRuleInput.parse({ ...Object(fromRule(rule)), ...(ref !== undefined && { ref }) }),
  );

/** A zone's rules, each with its own id and ref. */
export const liveList: fc.Arbitrary<readonly Rule[]> = fc.array(programRule, { maxLength: 6 }).map((rules) =>
  rules.map((rule, index) => ({
    ...rule,
    id: `id${index}`,
    ref: index % 2 === 0 ? `id${index}` : `r${index}`,
  })),
);
