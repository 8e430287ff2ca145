import { z } from "zod";
import type { ActionParameters, Extra, Overrides, Rule, RuleOverride } from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { booleanInput, expressionInput, textInput } from "../common-inputs";
import { extraInput, hasMoreThan, type Names, noAction, noEffect, saidOnce } from "./rule-fields";
import { withoutServerVersion } from "./rule-meaning";
import { actions } from "./waf-rule";

/** `isDeclared`: with the rules for what a program may write, which what others have made need not follow. */
function ruleSchema(isDeclared: boolean) {
  const demand = <T extends z.ZodType>(
    schema: T,
    holds: (value: z.output<T>) => boolean,
    error: string | typeof noAction,
  ): T => (isDeclared ? schema.refine(holds, { error }) : schema);
  const once = <T extends z.ZodType<{ readonly extra?: Extra | undefined }>>(schema: T, names: Names): T =>
    isDeclared ? schema.superRefine(saidOnce(names)) : schema;

  const action = demand(textInput("action"), (word) => actions.includes(word), noAction);
  const setting = {
    action: action.optional(),
    enabled: booleanInput.optional(),
    sensitivityLevel: textInput("sensitivityLevel").optional(),
  };
  const ruleOverride = demand(
    once(
      z.strictObject({
        id: textInput("the id of a rule"),
        ...setting,
        scoreThreshold: z.number({ error: "scoreThreshold is a number." }).optional(),
        extra: extraInput(isDeclared, { id: "id", action: "action", enabled: "enabled" }),
      }),
      { score_threshold: "scoreThreshold", sensitivity_level: "sensitivityLevel" },
    ),
    (override) => hasMoreThan(override, "id"),
    noEffect("this override"),
  );
  const category = demand(
    once(
      z.strictObject({
        category: textInput("a category"),
        ...setting,
        extra: extraInput(isDeclared, { category: "category", action: "action", enabled: "enabled" }),
      }),
      { sensitivity_level: "sensitivityLevel" },
    ),
    (override) => hasMoreThan(override, "category"),
    noEffect("this category"),
  );
  const ruleOverrides = demand(
    z.array(ruleOverride),
    (rules) => new Set(rules.map(({ id }) => id)).size === rules.length,
    "two overrides are for the same rule id. Say it once.",
  );
  const overrides = once(
    z.strictObject({
      ...setting,
      categories: z.array(category).optional(),
      rules: ruleOverrides.optional(),
      extra: extraInput(isDeclared, { action: "action", enabled: "enabled", rules: "rules" }),
    }),
    { categories: "categories", sensitivity_level: "sensitivityLevel" },
  );
  const rule = z.strictObject({
    action,
    expression: isDeclared ? expressionInput : textInput("a filter expression"),
    description: textInput("description").optional(),
    enabled: booleanInput.optional(),
    ref: demand(
      textInput("ref"),
      (ref) => ref !== "",
      "ref is empty. Leave it out, or give the rule a name.",
    ).optional(),
    actionParameters: z
      .strictObject({
        id: textInput("the id of a managed ruleset").optional(),
        overrides: overrides.optional(),
        extra: extraInput(isDeclared, { id: "id", overrides: "overrides" }),
      })
      .optional(),
    extra: extraInput(isDeclared, {
      ref: "ref",
      action: "action",
      expression: "expression",
      description: "description",
      enabled: "enabled",
      action_parameters: "actionParameters",
    }),
    // As rules come out of `getEntrypoint` and of the outputs of a resource. The service makes these.
    id: z.unknown().optional(),
    version: z.unknown().optional(),
    lastUpdated: z.unknown().optional(),
    foreign: z.unknown().optional(),
  });
  return demand(
    rule,
    (value) => value.action !== "execute" || Boolean(value.actionParameters?.id),
    "execute runs a managed ruleset: give its id in actionParameters.id. The dashboard shows it.",
  ).transform(({ id, version: _version, lastUpdated: _updated, foreign: _foreign, ...declared }) =>
    // The service makes the id the `ref` of a rule that got none: that is no name.
    declared.ref !== undefined && declared.ref === id ? { ...declared, ref: undefined } : declared,
  );
}

/** One declared rule. */
export const wafRuleInput = ruleSchema(true);

/** A rule under the program's names, whoever has made it. */
export const anyWafRule = ruleSchema(false);

export type WafRuleInput = z.output<typeof wafRuleInput>;
type OverridesInput = NonNullable<NonNullable<WafRuleInput["actionParameters"]>["overrides"]>;
type RuleOverrideInput = NonNullable<OverridesInput["rules"]>[number];

/** A rule as recorded: declared, and with what the service made. */
export const recordedRule = z.looseObject({
  action: z.string(),
  expression: z.string(),
  description: z.string().optional(),
  enabled: z.boolean().optional(),
  ref: z.string().optional(),
  actionParameters: z.looseObject({}).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
  id: z.string().optional(),
  version: z.string().optional(),
  lastUpdated: z.string().optional(),
  /** Seen where "overwrite" is declared, and unmanaged: shown as drift, never owned. */
  foreign: z.boolean().optional(),
});

/** The declared rule in the client's terms: what the client has no name for travels in `extra`. */
export function toRule(input: WafRuleInput): Rule {
  const { actionParameters, ...rule } = input;
  return compact({ ...rule, actionParameters: actionParameters && toActionParameters(actionParameters) });
}

function toActionParameters(input: NonNullable<WafRuleInput["actionParameters"]>): ActionParameters {
  return compact({
    id: input.id,
    overrides: notEmpty(input.overrides && toOverrides(input.overrides)),
    extra: notEmpty(withoutServerVersion(input.extra)),
  });
}

/** An empty list overrides nothing: it is left out. */
function toOverrides({
  categories = [],
  sensitivityLevel,
  extra,
  rules = [],
  ...rest
}: OverridesInput): Overrides {
  return compact({
    ...rest,
    rules: rules.length === 0 ? undefined : rules.map(toRuleOverride),
    extra: joined(extra, {
      sensitivity_level: sensitivityLevel,
      categories:
        categories.length === 0
          ? undefined
          : categories.map(({ sensitivityLevel: level, extra: more, ...category }) =>
              compact({ ...more, ...compact({ ...category, sensitivity_level: level }) }),
            ),
    }),
  });
}

function toRuleOverride({
  scoreThreshold,
  sensitivityLevel,
  extra,
  ...rest
}: RuleOverrideInput): RuleOverride {
  return compact({
    ...rest,
    extra: joined(extra, { score_threshold: scoreThreshold, sensitivity_level: sensitivityLevel }),
  });
}

/** The way back: a rule of the service under the names that a program uses, without what the service made. */
export function fromRule(rule: Rule): Record<string, unknown> {
  const {
    id: _id,
    version: _version,
    lastUpdated: _updated,
    ref: _ref,
    actionParameters,
    extra,
    ...rest
  } = rule;
  return compact({
    ...rest,
    extra: notEmpty(extra),
    actionParameters: actionParameters && fromActionParameters(actionParameters),
  });
}

function fromActionParameters({ id, overrides, extra }: ActionParameters): Record<string, unknown> {
  const others = notEmpty(withoutServerVersion(extra));
  return compact({ id, overrides: overrides && fromOverrides(overrides), extra: others });
}

function fromOverrides({ extra = {}, rules, ...rest }: Overrides): Record<string, unknown> {
  const { sensitivity_level: level, categories } = extra;
  const named = compact({
    sensitivityLevel: typeof level === "string" ? level : undefined,
    categories:
      Array.isArray(categories) && categories.every(isCategory) ? categories.map(fromCategory) : undefined,
  });
  const further = without(extra, { sensitivity_level: named.sensitivityLevel, categories: named.categories });
  return compact({ ...rest, ...named, rules: rules?.map(fromRuleOverride), extra: notEmpty(further) });
}

function fromRuleOverride({ extra = {}, ...override }: RuleOverride): Record<string, unknown> {
  const { score_threshold: score, sensitivity_level: level } = extra;
  const scoreThreshold = typeof score === "number" ? score : undefined;
  const sensitivityLevel = typeof level === "string" ? level : undefined;
  const further = without(extra, { score_threshold: scoreThreshold, sensitivity_level: sensitivityLevel });
  return compact({ ...override, scoreThreshold, sensitivityLevel, extra: notEmpty(further) });
}

/** As the API shows one; what is something else stays where it is, in `extra`. */
const category = z.looseObject({
  category: z.string(),
  action: z.string().optional(),
  enabled: z.boolean().optional(),
  sensitivity_level: z.string().optional(),
});

function isCategory(value: unknown): value is z.output<typeof category> {
  return category.safeParse(value).success;
}

function fromCategory({
  category: tag,
  action,
  enabled,
  sensitivity_level: sensitivityLevel,
  ...further
}: z.output<typeof category>): Record<string, unknown> {
  return compact({ category: tag, action, enabled, sensitivityLevel, extra: notEmpty(further) });
}

/** What has found an argument of its own is no further field. */
function without(extra: Extra, named: Readonly<Record<string, unknown>>): Extra {
  return Object.fromEntries(Object.entries(extra).filter(([field]) => named[field] === undefined));
}

function joined(extra: Extra | undefined, named: Record<string, unknown>): Extra | undefined {
  return notEmpty(compact({ ...extra, ...compact(named) }));
}

function notEmpty<T extends object>(value: T | undefined): T | undefined {
  return value && Object.keys(value).length > 0 ? value : undefined;
}
