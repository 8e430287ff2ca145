import fc from "fast-check";

/** A rule in the service's format. */
export type WireRule = Readonly<Record<string, unknown>>;

const word = (...words: readonly string[]) => fc.constantFrom(...words);
const hex = (letter: string) => letter.repeat(32);

/** Undocumented fields. */
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

const effect = {
  action: word("log", "block", "managed_challenge"),
  enabled: fc.boolean(),
  sensitivity_level: word("low", "medium", "default"),
};

/** Returns rules of a service. `isStrict`: without undocumented fields and values, which the simulator does not know. */
export function wireRule(isStrict: boolean): fc.Arbitrary<WireRule> {
  const strange = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
    isStrict ? usual : fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() });
  /** Returns objects with the required keys, sometimes the other fields, and more than `least` fields. */
  const object = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[], least = 0) => {
    const known = fc.record(fields, { requiredKeys }).filter((one) => Object.keys(one).length > least);
    return isStrict ? known : fc.tuple(unheardOf, known).map(([more, value]) => ({ ...more, ...value }));
  };
  const sensitivity_level = strange(effect.sensitivity_level);
  const score_threshold = strange(fc.integer({ min: 0, max: 60 }));
  const id = word(hex("a"), hex("b"), hex("c"));
  const ruleOverride = object({ id, ...effect, sensitivity_level, score_threshold }, ["id"], 1);
  const category = object({ category: word("wordpress", "php"), ...effect }, ["category"], 1);
  const rules = fc.uniqueArray(ruleOverride, { selector: (one) => one["id"], maxLength: 3 });
  const categories = strange(fc.array(category, { maxLength: 2 }));
  const overrides = object({ ...effect, sensitivity_level, categories, rules }, []);
  const common = {
    expression: word("true", "false", 'http.host  eq "a"', '(http.host eq "b")'),
    description: word("", "one", "two", "three"),
    enabled: fc.boolean(),
    logging: fc.record({ enabled: fc.boolean() }),
  };
  const ruleset = { id: word(hex("1"), hex("2")), version: fc.constant("latest"), overrides };
  const skipped = {
    ruleset: fc.constant("current"),
    phases: fc.array(word("p", "q")),
    products: fc.array(word("waf")),
  };
  const rule = (action: string, parameters: fc.Arbitrary<WireRule>) =>
    object({ ...common, action: fc.constant(action), action_parameters: parameters }, [
      ...["action", "expression", "action_parameters"],
    ]);
  return fc.oneof(
    rule("execute", object(ruleset, ["id", "version"])),
    rule("skip", object(skipped, [])),
    object({ ...common, action: word("block", "log") }, ["action", "expression"]),
  );
}

/** Returns lists of rules, of which some have their own ref. */
export function wireList(isStrict: boolean, maxLength = 5): fc.Arbitrary<readonly WireRule[]> {
  return fc
    .array(fc.tuple(wireRule(isStrict), fc.boolean()), { maxLength })
    .map((rules) =>
      rules.map(([rule, isNamed], index) => (isNamed ? { ...rule, ref: `name-${index}` } : rule)),
    );
}
