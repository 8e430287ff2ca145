import { nearest } from "page-guard-csp";
import * as z from "zod";
import type { Extra, Overrides, Rule } from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { describeBriefly } from "../../text/shown";
import { booleanInput, expressionInput, textInput } from "../common-inputs";
import { knownActions } from "./known-actions";
import { withoutServerVersion } from "./rule-meaning";

const actions: readonly string[] = knownActions;

const noEffect = (what: string) =>
  `${what} changes nothing: it has neither action nor enabled nor any other setting. Set one of them, or leave the override out.`;

function unknownAction(issue: { readonly input?: unknown }): string {
  const guess = typeof issue.input === "string" ? nearest(issue.input, actions) : undefined;
  const hint = guess ? `Did you mean "${guess}"?` : `Use one of ${actions.join(", ")}.`;
  return `${describeBriefly(issue.input)} is not an action. ${hint}`;
}

/** Returns a function that tests whether an override sets anything besides the field `name`. */
function saysMoreThan(name: string) {
  const says = (entry: unknown): boolean =>
    entry !== undefined && (typeof entry !== "object" || entry === null || Object.keys(entry).length > 0);
  return (value: object): boolean =>
    Object.entries(value).some(([field, entry]) => field !== name && says(entry));
}

/** Returns the paths of the numbers that JSON cannot contain. */
function findNonFinite(value: unknown): (string | number)[][] {
  if (typeof value === "number") return Number.isFinite(value) ? [] : [[]];
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, entry]) => findNonFinite(entry).map((path) => [key, ...path]));
}

/** Builds the schema of a WAF rule. `isDeclared`: whether to add the checks for rules in programs. */
function ruleSchema(isDeclared: boolean) {
  const demand = <T extends z.ZodType>(
    schema: T,
    holds: (value: z.output<T>) => boolean,
    error: string | typeof unknownAction,
  ): T => (isDeclared ? schema.refine(holds, { error }) : schema);
  /** Builds the schema of an `extra` object. `beside`: API fields that have arguments of their own; `extra` must not contain them. */
  const extra = (...beside: readonly string[]) =>
    z
      .record(z.string(), z.unknown(), { error: "extra must be an object with further fields." })
      .superRefine((fields, context) => {
        for (const name of isDeclared ? beside.filter((field) => Object.hasOwn(fields, field)) : []) {
          const argument = name === "action_parameters" ? "actionParameters" : name;
          const message = `this field has an argument of its own: set ${argument} instead.`;
          context.addIssue({ code: "custom", path: [name], message });
        }
        for (const path of isDeclared ? findNonFinite(fields) : []) {
          const message = "this number is NaN or infinite, which would be sent as null. Use a finite number.";
          context.addIssue({ code: "custom", path, message });
        }
      })
      .optional();

  const action = demand(textInput("action"), (word) => actions.includes(word), unknownAction);
  const setting = {
    action: action.optional(),
    enabled: booleanInput.optional(),
    sensitivityLevel: textInput("sensitivityLevel").optional(),
  };
  const ruleOverride = z.strictObject({
    id: textInput("the id of a rule"),
    ...setting,
    scoreThreshold: z.number({ error: "scoreThreshold must be a number." }).optional(),
    extra: extra("id", "action", "enabled"),
  });
  const category = z.strictObject({
    category: textInput("a category"),
    ...setting,
    extra: extra("category", "action", "enabled"),
  });
  const ruleOverrides = demand(
    z.array(demand(ruleOverride, saysMoreThan("id"), noEffect("this override"))),
    (rules) => new Set(rules.map(({ id }) => id)).size === rules.length,
    "two overrides have the same rule id. Keep one of them.",
  );
  const overrides = z.strictObject({
    ...setting,
    categories: z.array(demand(category, saysMoreThan("category"), noEffect("this category"))).optional(),
    rules: ruleOverrides.optional(),
    extra: extra("action", "enabled", "rules"),
  });
  const ref = demand(
    textInput("ref"),
    (text) => text !== "",
    "ref is empty. Leave it out, or give the rule a name.",
  );
  const rule = z.strictObject({
    action,
    expression: isDeclared ? expressionInput : textInput("a filter expression"),
    description: textInput("description").optional(),
    enabled: booleanInput.optional(),
    ref: ref.optional(),
    actionParameters: z
      .strictObject({
        id: textInput("the id of a managed ruleset").optional(),
        overrides: overrides.optional(),
        extra: extra("id", "overrides"),
      })
      .optional(),
    extra: extra("ref", "action", "expression", "description", "enabled", "action_parameters"),
    // Only rules from `getEntrypoint` and from the outputs of a resource have these fields, and a declaration ignores them.
    id: z.unknown().optional(),
    version: z.unknown().optional(),
    lastUpdated: z.unknown().optional(),
    foreign: z.unknown().optional(),
    isRefDeclared: z.unknown().optional(),
  });
  const running = demand(
    rule,
    (value) => value.action !== "execute" || Boolean(value.actionParameters?.id),
    "execute runs a managed ruleset: give its id in actionParameters.id. The dashboard shows it.",
  );
  return demand(
    running,
    ({ action: word, actionParameters }) =>
      word === "execute" || !actions.includes(word) || actionParameters?.id === undefined,
    "only execute runs a managed ruleset: leave actionParameters.id out, or set action to execute. To change what the rules of a ruleset do, use actionParameters.overrides.",
  ).transform(
    ({
      id,
      version: _version,
      lastUpdated: _updated,
      foreign: _foreign,
      isRefDeclared: _declared,
      ...declared
    }) =>
      // If a rule has no `ref`, the service uses its id as the `ref`. Such a `ref` is not a name.
      declared.ref !== undefined && declared.ref === id ? { ...declared, ref: undefined } : declared,
  );
}

/** Schema of a rule in a program. */
export const wafRuleInput = ruleSchema(true);

/** Schema of a rule in a program, a state or an approval, without the checks that `wafRuleInput` adds. */
export const anyWafRule = ruleSchema(false);

export type WafRuleInput = z.output<typeof wafRuleInput>;
type OverridesInput = NonNullable<NonNullable<WafRuleInput["actionParameters"]>["overrides"]>;

/** Schema of a rule in the state: the declared rule with the fields that the service created. */
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
  /**
   * Whether the rule is unmanaged. After a refresh with `foreignRules: "overwrite"`, the state also lists unmanaged rules, so that
   * they show as drift.
   */
  foreign: z.boolean().optional(),
  /** Whether the program declares the rule's id as its `ref`. If not, a `ref` that equals the id comes from the service. */
  isRefDeclared: z.boolean().optional(),
});

/** Converts a declared rule to the form of the API client, in which arguments such as `sensitivityLevel` are fields of `extra`. */
export function toRule({ actionParameters: given, ...rule }: WafRuleInput): Rule {
  const actionParameters = given && {
    id: given.id,
    overrides: notEmpty(given.overrides && toOverrides(given.overrides)),
    extra: notEmpty(withoutServerVersion(given.extra)),
  };
  return compact({ ...rule, actionParameters: actionParameters && compact(actionParameters) });
}

/** Converts overrides. Leaves out empty lists, which override nothing. */
function toOverrides({
  categories,
  sensitivityLevel: level,
  extra,
  rules,
  ...rest
}: OverridesInput): Overrides {
  const tags = categories?.map(({ sensitivityLevel, extra: more, ...category }) =>
    compact({ ...more, ...compact({ ...category, sensitivity_level: sensitivityLevel }) }),
  );
  const single = rules?.map(({ scoreThreshold, sensitivityLevel, extra: more, ...override }) =>
    compact({
      ...override,
      extra: joined(more, { score_threshold: scoreThreshold, sensitivity_level: sensitivityLevel }),
    }),
  );
  return compact({
    ...rest,
    rules: notEmpty(single),
    extra: joined(extra, { sensitivity_level: level, categories: notEmpty(tags) }),
  });
}

/** Converts a rule from the service to the program's names, without the fields that the service created. */
export function fromRule(live: Rule): Record<string, unknown> {
  const { id: _id, version: _version, lastUpdated: _updated, ref: _ref, ...rule } = live;
  const { actionParameters: given, extra, ...rest } = rule;
  const actionParameters = given && {
    id: given.id,
    overrides: given.overrides && fromOverrides(given.overrides),
    extra: notEmpty(withoutServerVersion(given.extra)),
  };
  return compact({
    ...rest,
    extra: notEmpty(extra),
    actionParameters: actionParameters && compact(actionParameters),
  });
}

const liveCategory = z.looseObject({
  category: z.string(),
  action: z.string().optional(),
  enabled: z.boolean().optional(),
  sensitivity_level: z.string().optional(),
});

function fromOverrides({ extra = {}, rules, ...rest }: Overrides): Record<string, unknown> {
  const { categories: found, ...others } = extra;
  // If the categories have a form that this package does not know, they stay in `extra`.
  const categories = z.array(liveCategory).safeParse(found).data;
  return compact({
    ...rest,
    ...withArguments(categories ? others : extra, levelNames),
    categories: categories?.map(({ category, action, enabled, ...more }) =>
      compact({ category, action, enabled, ...withArguments(more, levelNames) }),
    ),
    rules: rules?.map(({ extra: more = {}, ...override }) => ({
      ...override,
      ...withArguments(more, { ...levelNames, score_threshold: ["scoreThreshold", "number"] }),
    })),
  });
}

/** For each API field, the name and type of its argument. */
type Names = Readonly<Record<string, readonly [argument: string, type: "string" | "number"]>>;
const levelNames: Names = { sensitivity_level: ["sensitivityLevel", "string"] };

/** Moves each field of `extra` that has an argument of its own to that argument. The rest stays in `extra`. */
function withArguments(extra: Extra, names: Names): Record<string, unknown> {
  const found = Object.entries(names).filter(([field, [, type]]) => typeof extra[field] === type);
  const left = Object.entries(extra).filter(([field]) => !found.some(([known]) => known === field));
  return compact({
    ...Object.fromEntries(found.map(([field, [argument]]) => [argument, extra[field]])),
    extra: notEmpty(Object.fromEntries(left)),
  });
}

function joined(extra: Extra | undefined, more: Record<string, unknown>): Extra | undefined {
  return notEmpty(compact({ ...extra, ...compact(more) }));
}

function notEmpty<T extends object>(value: T | undefined): T | undefined {
  return value && Object.keys(value).length > 0 ? value : undefined;
}

/** Reads the rules in a program, a state or an approval. Skips entries that are not rules. */
export function parseRules(rules: unknown): Rule[] {
  return (Array.isArray(rules) ? rules : []).flatMap((rule: unknown) => {
    const { data } = anyWafRule.safeParse(rule);
    return data ? [toRule(data)] : [];
  });
}
