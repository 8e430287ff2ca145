import * as z from "zod";
import { connectionInput, textInput, wordInput, zoneIdInput } from "../../model/common-inputs";
import { recordedRule, wafRuleInput } from "../../model/waf-rules/rule-input";

export const shape = {
  zoneId: zoneIdInput,
  name: textInput("name").optional(),
  rules: z.array(wafRuleInput, { error: "rules must be a list of rules, which may be empty." }),
  foreignRules: wordInput(["refuse", "keep", "overwrite"]).optional(),
  order: wordInput(["afterForeign", "beforeForeign"]).optional(),
  onDestroy: wordInput(["restore", "remove", "keep"]).optional(),
  connection: connectionInput.optional(),
};

export const defaultOrder = "afterForeign";

export const inputsSchema = z.object(shape);
export type Inputs = z.output<typeof inputsSchema>;

const initialSchema = z.object({
  name: z.string().optional(),
  rules: z.array(recordedRule),
  taken: z.array(z.string()),
  /** Name that this resource has given to the list. */
  renamed: z.string().optional(),
});
export type Initial = z.output<typeof initialSchema>;

export const stateSchema = inputsSchema.partial().extend({
  rules: z.array(recordedRule).optional(),
  rulesetId: z.string().optional(),
  version: z.string().optional(),
  lastUpdated: z.string().optional(),
  /** Labels of the unmanaged rules. Absent in states of older versions. */
  foreign: z.array(z.string()).optional(),
  /** Ids of the unmanaged rules, which a search by meaning for the resource's own rules skips. */
  foreignIds: z.array(z.string()).optional(),
  /** List found before the first change. A state that a person wrote lacks it until the next refresh or update. */
  initial: initialSchema.optional(),
});
export type State = z.output<typeof stateSchema>;

export type RecordedRule = z.output<typeof recordedRule>;
