import fc from "fast-check";
import type { Rule } from "../../../../provider/src/api/client-types";
import { toRule, type WafRuleInput } from "../../../../provider/src/model/waf-rules/rule-input";

const word = (...words: readonly string[]) => fc.constantFrom(...words);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Removes undefined properties, which a program does not write. */
function sparse<T extends object>(record: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return record.map(
    (value) => Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T,
  );
}

const extra = maybe(
  fc.dictionary(
    word("logging", "ruleset", "version_note"),
    fc.oneof(fc.string(), fc.integer(), fc.boolean()),
    {
      minKeys: 1,
      noNullPrototype: true,
    },
  ),
);

const setting = {
  action: maybe(word("log", "block", "managed_challenge")),
  enabled: maybe(fc.boolean()),
  sensitivityLevel: maybe(word("low", "medium", "default")),
};

const ruleOverride = sparse(
  fc.record({
    id: word("x", "y", "z"),
    ...setting,
    scoreThreshold: maybe(fc.integer({ min: 0, max: 60 })),
    extra,
  }),
).filter((override) => Object.keys(override).length > 1);

const category = sparse(fc.record({ category: word("wordpress", "php"), ...setting })).filter(
  (override) => Object.keys(override).length > 1,
);

const overrides = sparse(
  fc.record({
    ...setting,
    categories: maybe(fc.array(category, { minLength: 1, maxLength: 2 })),
    rules: maybe(fc.uniqueArray(ruleOverride, { selector: ({ id }) => id, minLength: 1, maxLength: 3 })),
    extra,
  }),
).filter((value) => Object.keys(value).length > 0);

/** Rules as programs declare them, with few values, so that equal rules are frequent. */
export const ruleInput: fc.Arbitrary<WafRuleInput> = sparse(
  fc.record({
    action: word("execute", "skip"),
    expression: word("true", "false", 'http.host eq "a"'),
    description: maybe(word("", "one", "two")),
    enabled: maybe(fc.boolean()),
    ref: maybe(word("r1", "r2")),
    actionParameters: maybe(
      sparse(fc.record({ id: maybe(word("m", "n")), overrides: maybe(overrides), extra })),
    ),
    extra,
  }),
).map((rule) => {
  // Only execute has a ruleset id, and it needs one.
  const { id = "m", ...parameters } = rule.actionParameters ?? {};
  if (rule.action === "execute") return { ...rule, actionParameters: { ...parameters, id } };
  return rule.actionParameters ? { ...rule, actionParameters: parameters } : rule;
});

/** Arbitrary declared rule, in the client's form. */
export const programRule: fc.Arbitrary<Rule> = ruleInput.map(toRule);

/** Rules of a zone, each with its own id and ref. */
export const liveList: fc.Arbitrary<readonly Rule[]> = fc.array(programRule, { maxLength: 6 }).map((rules) =>
  rules.map((rule, index) => ({
    ...rule,
    id: `id${index}`,
    ref: index % 2 === 0 ? `id${index}` : `r${index}`,
  })),
);
