import type { Entrypoint, Rule } from "../../api/client-types";
import type { Properties } from "../../model/properties";
import { differingFields } from "../../model/waf-rules/rule-difference";
import { anyWafRule, toRule } from "../../model/waf-rules/rule-input";
import { type ChangedPlaces, changedPlaces } from "../../model/waf-rules/rule-places";
import { matchList, ownRules } from "./ownership";
import { fromRecord } from "./recorded-rule";
import { desiredList } from "./rule-list";
import { inputsSchema, stateSchema } from "./state";

/** What an update does with a declared rule. */
interface DeclaredRule {
  readonly rule: Rule;
  /** The rule in the zone that it is, or becomes. */
  readonly live: Rule | undefined;
  /** `unmanaged`: it is adopted; `overwritten`: another rule of that `ref` is edited into it. */
  readonly whose: "own" | "unmanaged" | "overwritten";
  /** Fields in which the live rule is another one. */
  readonly differs: readonly string[];
}

/** Whose each rule of an entry point is, by the comparison that an update makes itself. */
interface RuleOwners {
  /** Rules of the resource. */
  readonly own: readonly Rule[];
  /** Undefined: what is declared cannot be read. */
  readonly declared?: readonly DeclaredRule[];
  /** Rules of the resource that are no longer declared. */
  readonly dropped: readonly Rule[];
  /** Rules that are neither declared nor its own. */
  readonly foreign: readonly Rule[];
  /** Rules of the zone that change places, where one of two blocks, challenges or skips. */
  readonly reordered: readonly ChangedPlaces[];
}

/** `was`: the resource's state; `live`: the list of the zone, where it was read, else the one in the state. */
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

/** Rules in a state, each with its live one, and the other live rules. */
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
