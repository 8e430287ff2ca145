import { z } from "zod";
import type { ActionParameters, Extra, Overrides, Rule, RuleOverride } from "../../api/client-types";
import { booleanInput, expressionInput, textInput } from "../../lifecycle/common-inputs";

const noEffect = (what: string) =>
  `${what} changes nothing: it has neither action nor enabled nor any other setting. Say what it should change, or leave it out.`;

const extraInput = z.record(z.string(), z.unknown()).optional();

const setting = {
  action: textInput("action").optional(),
  enabled: booleanInput.optional(),
  sensitivityLevel: textInput("sensitivityLevel").optional(),
};

/** `isDeclared`: with the rules for what a program may write, which what others have made need not follow. */
function ruleSchema(isDeclared: boolean) {
  const demand = <T extends z.ZodType>(
    schema: T,
    holds: (value: z.output<T>) => boolean,
    error: string,
  ): T => (isDeclared ? schema.refine(holds, { error }) : schema);

  const ruleOverride = demand(
    z.strictObject({
      id: textInput("the id of a rule"),
      ...setting,
      scoreThreshold: z.number({ error: "scoreThreshold is a number." }).optional(),
      extra: extraInput,
    }),
    (override) => hasMoreThan(override, "id"),
    noEffect("this override"),
  );
  const category = demand(
    z.strictObject({ category: textInput("a category"), ...setting, extra: extraInput }),
    (override) => hasMoreThan(override, "category"),
    noEffect("this category"),
  );
  const ruleOverrides = demand(
    z.array(ruleOverride),
    (rules) => new Set(rules.map(({ id }) => id)).size === rules.length,
    "two overrides are for the same rule id. Say it once.",
  );
  const overrides = demand(
    z.strictObject({
      ...setting,
      categories: z.array(category).optional(),
      rules: ruleOverrides.optional(),
      extra: extraInput,
    }),
    ({ rules = [], categories = [], ...others }) =>
      rules.length + categories.length > 0 || hasMoreThan(others),
    noEffect("overrides"),
  );
  return z.strictObject({
    action: demand(textInput("action"), (action) => action !== "", "the action is empty."),
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
        extra: extraInput,
      })
      .optional(),
    extra: extraInput,
  });
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
  extra: extraInput,
  id: z.string().optional(),
  version: z.string().optional(),
  lastUpdated: z.string().optional(),
  /** Seen where "overwrite" is declared, and made by somebody else: shown as drift, never owned. */
  foreign: z.boolean().optional(),
});

function hasMoreThan(value: object, ...names: readonly string[]): boolean {
  return Object.entries(value).some(([name, entry]) => entry !== undefined && !names.includes(name));
}

/** The declared rule in the client's terms: what the client has no name for travels in `extra`. */
export function toRule(input: WafRuleInput): Rule {
  const { actionParameters, ...rule } = input;
  return defined({ ...rule, actionParameters: actionParameters && toActionParameters(actionParameters) });
}

function toActionParameters(input: NonNullable<WafRuleInput["actionParameters"]>): ActionParameters {
  return defined({
    id: input.id,
    overrides: input.overrides && toOverrides(input.overrides),
    extra: input.extra,
  });
}

function toOverrides({ categories, sensitivityLevel, extra, rules, ...rest }: OverridesInput): Overrides {
  return defined({
    ...rest,
    rules: rules?.map(toRuleOverride),
    extra: joined(extra, {
      sensitivity_level: sensitivityLevel,
      categories: categories?.map(({ sensitivityLevel: level, extra: more, ...category }) =>
        defined({ ...more, ...category, sensitivity_level: level }),
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
  return defined({
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
  return defined({
    ...rest,
    extra: notEmpty(extra),
    actionParameters: actionParameters && fromActionParameters(actionParameters),
  });
}

function fromActionParameters({ id, overrides, extra }: ActionParameters): Record<string, unknown> {
  const { version: _latest, ...others } = extra ?? {};
  return defined({ id, overrides: overrides && fromOverrides(overrides), extra: notEmpty(others) });
}

function fromOverrides({ extra = {}, rules, ...rest }: Overrides): Record<string, unknown> {
  const { sensitivity_level, categories, ...others } = extra;
  return defined({
    ...rest,
    sensitivityLevel: sensitivity_level,
    categories: Array.isArray(categories) ? categories.map(fromCategory) : categories,
    rules: rules?.map(({ extra: more = {}, ...override }) => {
      const { score_threshold, sensitivity_level: level, ...unknown } = more;
      return defined({
        ...override,
        scoreThreshold: score_threshold,
        sensitivityLevel: level,
        extra: notEmpty(unknown),
      });
    }),
    extra: notEmpty(others),
  });
}

function fromCategory(category: unknown): unknown {
  if (typeof category !== "object" || category === null) return category;
  const fields: Record<string, unknown> = { ...category };
  const { category: tag, action, enabled, sensitivity_level: sensitivityLevel, ...unknown } = fields;
  return defined({ category: tag, action, enabled, sensitivityLevel, extra: notEmpty(unknown) });
}

function joined(extra: Extra | undefined, named: Record<string, unknown>): Extra | undefined {
  return notEmpty(defined({ ...extra, ...named }));
}

function notEmpty(extra: Extra | undefined): Extra | undefined {
  return extra && Object.keys(extra).length > 0 ? extra : undefined;
}

/** Without the properties that are undefined, whatever their name: the types ask for absence. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
