import fc from "fast-check";

/** A rule as the service shows it, in its own spelling. */
export type WireRule = Readonly<Record<string, unknown>>;

const word = (...words: readonly string[]) => fc.constantFrom(...words);
const hex = (letter: string) => letter.repeat(32);

/** A field that no document speaks of. */
const unheardOf = fc.dictionary(
  word("note", "x-1", "deeper"),
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer()),
    fc.jsonValue(),
  ),
  { maxKeys: 2, noNullPrototype: true },
);

function withFields(known: fc.Arbitrary<WireRule>, isStrict: boolean): fc.Arbitrary<WireRule> {
  return isStrict ? known : fc.tuple(unheardOf, known).map(([further, value]) => ({ ...further, ...value }));
}

const effect = {
  action: word("log", "block", "managed_challenge"),
  enabled: fc.boolean(),
  sensitivity_level: word("low", "medium", "default"),
};

/** `isStrict`: only what the simulator knows. Without: also fields and values that nobody has described. */
export function wireRule(isStrict: boolean): fc.Arbitrary<WireRule> {
  const strange = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
    isStrict ? usual : fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() });
  const hasEffect = (value: object) => Object.keys(value).length > 1;
  const ruleOverride = withFields(
    fc
      .record(
        {
          id: word(hex("a"), hex("b"), hex("c")),
          ...effect,
          sensitivity_level: strange(effect.sensitivity_level),
          score_threshold: strange(fc.integer({ min: 0, max: 60 })),
        },
        { requiredKeys: ["id"] },
      )
      .filter(hasEffect),
    isStrict,
  );
  const category = withFields(
    fc
      .record({ category: word("wordpress", "php"), ...effect }, { requiredKeys: ["category"] })
      .filter(hasEffect),
    isStrict,
  );
  const overrides = withFields(
    fc.record(
      {
        ...effect,
        sensitivity_level: strange(effect.sensitivity_level),
        categories: strange(fc.array(category, { maxLength: 2 })),
        rules: fc.uniqueArray(ruleOverride, { selector: ({ id }) => id, maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
    isStrict,
  );
  const common = {
    expression: word("true", "false", 'http.host  eq "a"', '(http.host eq "b")'),
    description: word("", "one", "two", "three"),
    enabled: fc.boolean(),
    logging: fc.record({ enabled: fc.boolean() }),
  };
  const execute = fc.record(
    {
      ...common,
      action: fc.constant("execute"),
      action_parameters: withFields(
        fc.record(
          { id: word(hex("1"), hex("2")), version: fc.constant("latest"), overrides },
          {
            requiredKeys: ["id", "version"],
          },
        ),
        isStrict,
      ),
    },
    { requiredKeys: ["action", "expression", "action_parameters"] },
  );
  const skip = fc.record(
    {
      ...common,
      action: fc.constant("skip"),
      action_parameters: withFields(
        fc.record(
          {
            ruleset: fc.constant("current"),
            phases: fc.array(word("p", "q")),
            products: fc.array(word("waf")),
          },
          { requiredKeys: [] },
        ),
        isStrict,
      ),
    },
    { requiredKeys: ["action", "expression", "action_parameters"] },
  );
  const block = fc.record(
    { ...common, action: word("block", "log") },
    { requiredKeys: ["action", "expression"] },
  );
  return withFields(fc.oneof(execute, skip, block), isStrict);
}

/** Some of the rules have a name of their own. */
export function wireList(isStrict: boolean, maxLength = 5): fc.Arbitrary<readonly WireRule[]> {
  return fc
    .array(fc.tuple(wireRule(isStrict), fc.boolean()), { maxLength })
    .map((rules) =>
      rules.map(([rule, isNamed], index) => (isNamed ? { ...rule, ref: `name-${index}` } : rule)),
    );
}
