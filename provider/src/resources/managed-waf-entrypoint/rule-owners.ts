import type { Entrypoint, Rule } from "../../api/client-types";
import type { Properties } from "../../model/properties";
import { differingFields } from "../../model/waf-rules/rule-difference";
import { anyWafRule, toRule } from "../../model/waf-rules/rule-input";
import { type ChangedPlaces, changedPlaces } from "../../model/waf-rules/rule-places";
import { matchList, ownRules } from "./ownership";
import { fromRecord } from "./recorded-rule";
import { desiredList } from "./rule-list";
import { inputsSchema, stateSchema } from "./state";

interface DeclaredRule {
  readonly rule: Rule;
  /** The rule in the zone, unchanged or to be edited; undefined if the rule will be created. */
  readonly live: Rule | undefined;
  /** Owner of the live rule. `unmanaged`: will be adopted. `overwritten`: unmanaged, has the same `ref` and will be edited. */
  readonly whose: "own" | "unmanaged" | "overwritten";
  readonly differs: readonly string[];
}

/** Owners of an entry point's rules, according to the comparison that an update makes. */
interface RuleOwners {
  readonly own: readonly Rule[];
  /** Declared rules; undefined if the declaration cannot be read. */
  readonly declared?: readonly DeclaredRule[];
  readonly dropped: readonly Rule[];
  readonly foreign: readonly Rule[];
  readonly reordered: readonly ChangedPlaces[];
}

/**
 * Computes the owners of rules. `was`: the resource's state; `live`: the zone's list, or the one in the state if the zone was
 * not read.
 */
export function ruleOwners(
  was: Properties | undefined,
  declared: Properties | undefined,
  live?: Pick<Entrypoint, "rules">,
): RuleOwners {
  const state = stateOf(was);
  const list = live ?? { rules: state.rules.map(fromRecord) };
  const own = ownRules(state, list);
  const inputs = inputsSchema.safeParse(declared).data;
  if (!inputs) return { own: [...own.keys()], dropped: [], foreign: [], reordered: [] };
  const seen = matchList(inputs, own, list);
  const { match } = seen;
  const isOverwritten = new Set(match.namesakes.map((one) => one.rule));
  return {
    own: [...own.keys()],
    declared: inputs.rules.map((input, index) => {
      const [rule, there] = [toRule(input), match.live[index]];
      const isOwn = there === undefined || own.has(there);
      const whose = there && isOverwritten.has(there) ? "overwritten" : isOwn ? "own" : "unmanaged";
      return { rule, live: there, whose, differs: there ? differingFields(rule, there) : [] };
    }),
    dropped: match.dropped,
    foreign: match.foreign,
    reordered: changedPlaces(list.rules, desiredList(inputs, seen, was && state)),
  };
}

/** Returns the rules in a state, each with its live rule, and all other live rules. */
export function recordedRules(was: Properties | undefined, live: readonly Rule[] = []) {
  const state = stateOf(was);
  const own = ownRules(state, { rules: live });
  const liveOf = new Map([...own].map(([rule, record]) => [record, rule]));
  return {
    recorded: state.rules.map((record) => ({ rule: fromRecord(record), live: liveOf.get(record) })),
    others: live.filter((rule) => !own.has(rule)),
  };
}

function stateOf(was: Properties | undefined) {
  const { data = [] } = stateSchema.shape.rules.safeParse(was?.["rules"]);
  const rules = data.filter((rule) => rule.foreign !== true && anyWafRule.safeParse(rule).success);
  return { ...stateSchema.safeParse({ ...was, rules: [], connection: undefined }).data, rules };
}
