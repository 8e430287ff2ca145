import { z } from "zod";
import type { ActionParameters, Extra, Overrides, Rule, RuleOverride } from "../api/client-types";
import { booleanInput, expressionInput, textInput } from "../lifecycle/common-inputs";

const noEffect = (what: string) =>
  `${what} changes nothing: it has neither action nor enabled nor any other setting. Say what it should change, or leave it out.`;

const extraInput = z.record(z.string(), z.unknown()).optional();

const setting = {
  action: textInput("action").optional(),
  enabled: booleanInput.optional(),
  sensitivityLevel: textInput("sensitivityLevel").optional(),
};

const ruleOverrideInput = z
  .strictObject({
    id: textInput("the id of a rule"),
    ...setting,
    scoreThreshold: z.number({ error: "scoreThreshold is a number." }).optional(),
    extra: extraInput,
  })
  .refine((override) => hasMoreThan(override, "id"), { error: noEffect("this override") });

const categoryInput = z
  .strictObject({ category: textInput("a category"), ...setting })
  .refine((override) => hasMoreThan(override, "category"), { error: noEffect("this category") });

const overridesInput = z
  .strictObject({
    ...setting,
    categories: z.array(categoryInput).optional(),
    rules: z
      .array(ruleOverrideInput)
      .refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length, {
        error: "two overrides are for the same rule id. Say it once.",
      })
      .optional(),
    extra: extraInput,
  })
  .refine(
    ({ rules = [], categories = [], ...others }) =>
      rules.length + categories.length > 0 || hasMoreThan(others),
    {
      error: noEffect("overrides"),
    },
  );

/** One declared rule. */
export const wafRuleInput = z.strictObject({
  action: textInput("action").refine((action) => action !== "", { error: "the action is empty." }),
  expression: expressionInput,
  description: textInput("description").optional(),
  enabled: booleanInput.optional(),
  ref: textInput("ref")
    .refine((ref) => ref !== "", { error: "ref is empty. Leave it out, or give the rule a name." })
    .optional(),
  actionParameters: z
    .strictObject({
      id: textInput("the id of a managed ruleset").optional(),
      overrides: overridesInput.optional(),
      extra: extraInput,
    })
    .optional(),
  extra: extraInput,
});

export type WafRuleInput = z.output<typeof wafRuleInput>;
type OverridesInput = z.output<typeof overridesInput>;
type RuleOverrideInput = z.output<typeof ruleOverrideInput>;

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
      categories: categories?.map(({ sensitivityLevel: level, ...category }) =>
        defined({ ...category, sensitivity_level: level }),
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
  const { sensitivity_level, ...rest } = { sensitivity_level: undefined, ...category };
  return defined({ ...rest, sensitivityLevel: sensitivity_level });
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
