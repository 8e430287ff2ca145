import type { Entrypoint, Rule } from "../../api/client-types";
import { wordMeaning } from "../../model/compare";
import type { Properties } from "../../model/properties";
import { differingFields, readFields } from "../../model/waf-rules/rule-difference";
import { anyWafRule, toRule } from "../../model/waf-rules/rule-input";
import { hasOwnRef, matchRules, type RuleMatch, ruleFinder } from "../../model/waf-rules/rule-match";
import { isWithin, toRuleMeaning } from "../../model/waf-rules/rule-meaning";
import { fromRecord, toRecorded } from "./recorded-rule";
import { type Initial, type Inputs, type RecordedRule, type State, stateSchema } from "./state";

type RuleList = Pick<Entrypoint, "rules">;

/** A zone's list at one moment, with the resource's own rules, and with the matches between live and declared rules. */
export interface ListMatch {
  readonly list: Entrypoint | undefined;
  /** The resource's own live rules, each with its entry in the state. */
  readonly own: ReadonlyMap<Rule, RecordedRule>;
  readonly match: RuleMatch;
}

/** Matches the declared rules with the live ones. `unmanagedIds`: ids of unmanaged rules that must not be adopted. */
export function matchList(
  inputs: Inputs,
  own: ReadonlyMap<Rule, RecordedRule>,
  list: Entrypoint | undefined,
  unmanagedIds: ReadonlySet<string> = new Set(),
): ListMatch {
  const rules = list?.rules ?? [];
  const unmanaged = new Set(rules.filter(({ id }) => id !== undefined && unmanagedIds.has(id)));
  const match = matchRules(inputs.rules.map(toRule), [...own.keys()], rules, unmanaged);
  return { list, own, match: inputs.foreignRules === "overwrite" ? withNamesakes(match) : match };
}

/** Adds the unmanaged rules with the `ref` of a declared rule to a match, because "overwrite" changes those rules. */
function withNamesakes({ live, foreign, ...match }: RuleMatch): RuleMatch {
  const overwritten = new Map(match.namesakes.map(({ index, rule }) => [index, rule]));
  const namesakes = new Set(overwritten.values());
  return {
    ...match,
    live: live.map((rule, index) => rule ?? overwritten.get(index)),
    foreign: foreign.filter((rule) => !namesakes.has(rule)),
  };
}

export function collectIds(rules: readonly { readonly id?: string | undefined }[]): string[] {
  return rules.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/**
 * Returns the resource's own live rules, each with its entry in the state. Finds a rule by its id, and by its meaning in two
 * cases: its entry has no id, because the response was lost; or none of the ids in the state is in the live list, because a
 * migration gives every rule a new id. If a program or a person gave the entry its `ref`, the rule must have that `ref`, too. The
 * search by meaning skips rules that were unmanaged at the last reading. It also skips rules that existed before the resource,
 * unless the resource adopted or overwrote them.
 */
export function ownRules(state: State, list?: RuleList): ReadonlyMap<Rule, RecordedRule> {
  const own = ownById(state, list);
  const records = selectOwnRecords(state).filter(({ id }) => id === undefined || own.size === 0);
  const others = idsOfOthers(state);
  const candidates = list?.rules.filter(({ id }) => id === undefined || !others.has(id)) ?? [];
  const find = makeLostRuleFinder(candidates, (rule) => !own.has(rule));
  for (const record of records) {
    const rule = find(record);
    if (rule) own.set(rule, record);
  }
  return own;
}

/** Returns the live rules whose id is in the state. An equal rule with another id may belong to somebody else. */
export function ownById(state: State, list?: RuleList): Map<Rule, RecordedRule> {
  return withIds(
    selectOwnRecords(state).map((record) => [record.id, record]),
    list,
  );
}

/**
 * Returns the resource's own rules in a list that is read again during an update or a destroy. Compares ids only, so a rule with
 * another id is unmanaged even if it equals a rule that the resource has just deleted.
 */
export function selectStillOwn(
  own: ReadonlyMap<Rule, RecordedRule>,
  list?: RuleList,
): Map<Rule, RecordedRule> {
  return withIds(
    [...own].map(([{ id }, record]) => [id, record]),
    list,
  );
}

/** Returns the rules in a state, each with its live rule and the arguments that differ. `others`: all other live rules. */
export function recordedRules(was: Properties | undefined, live: readonly Rule[]) {
  const state = recordedState(was);
  const own = ownRules(state, { rules: live });
  const liveOf = new Map([...own].map(([rule, record]) => [record, rule]));
  return {
    recorded: state.rules.map((record) => {
      const [rule, found] = [fromRecord(record), liveOf.get(record)];
      if (!found) return { rule, live: found, differing: [] };
      // Several fields of one argument may differ, for example of `actionParameters`.
      const names = new Set(differingFields(rule, found).map((field) => field.split(".")[0] ?? ""));
      const [declared, actual] = [readFields(rule), readFields(found)];
      const differing = [...names].map((name) => ({ name, declared: declared[name], actual: actual[name] }));
      return { rule, live: found, differing };
    }),
    others: live.filter((rule) => !own.has(rule)),
  };
}

/** Reads a state without failing. Returns the valid rules of the resource, and the other fields only if all of them are valid. */
export function recordedState(was: Properties | undefined) {
  const { data = [] } = stateSchema.shape.rules.safeParse(was?.["rules"]);
  const rules = data.filter((rule) => rule.foreign !== true && anyWafRule.safeParse(rule).success);
  return { ...stateSchema.safeParse({ ...was, rules: [], connection: undefined }).data, rules };
}

function selectOwnRecords({ rules = [] }: State): RecordedRule[] {
  return rules.filter(({ foreign }) => foreign !== true);
}

/** Returns the live rules that have the id of one of `records`, in the order of `records`, each mapped to its entry. */
function withIds(
  records: readonly (readonly [id: string | undefined, RecordedRule])[],
  { rules }: RuleList = { rules: [] },
): Map<Rule, RecordedRule> {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const found = records.map(([id, record]) => [id === undefined ? undefined : byId.get(id), record] as const);
  return new Map(found.flatMap(([rule, record]) => (rule ? [[rule, record] as const] : [])));
}

/**
 * Returns a function that finds the live rule for an entry in the state that has no id, or whose id no longer exists. It searches
 * the rules for which `isFree` returns true. It looks for the same `ref` first. If it finds none, and the service created the `ref`
 * of the entry, it compares the meanings alone. `mayDiffer`: whether to accept a rule with the same `ref` and another meaning.
 */
export function makeLostRuleFinder(
  candidates: readonly Rule[],
  isFree: (rule: Rule) => boolean,
  mayDiffer = false,
): (record: RecordedRule) => Rule | undefined {
  // Also contains rules whose `ref` the service created, because exported programs declare such a `ref`.
  const byRef = new Map(candidates.map((rule) => [rule.ref, rule]));
  const findWithoutRef = ruleFinder(
    candidates.filter((rule) => !hasOwnRef(rule)),
    isFree,
  );
  return (record) => {
    const rule = fromRecord(record);
    const namesake = record.ref === undefined ? undefined : byRef.get(record.ref);
    // A rule with the same `ref` but other content may belong to somebody else.
    const isNamed = hasOwnRef(record);
    const isSame =
      namesake && ((isNamed && mayDiffer) || isWithin(toRuleMeaning(rule), toRuleMeaning(namesake)));
    if (isSame && isFree(namesake)) return namesake;
    return isNamed ? undefined : findWithoutRef(rule);
  };
}

/**
 * Returns the rules that a write has just created. Finds them by their places in the sent list, because the service may store a
 * rule in another spelling, and a comparison of meanings would then take it for an unmanaged rule. Returns an empty map if the
 * live list is not the sent one: a reading right after the write may still show the previous list.
 */
export function matchWritten(
  sent: RuleList | undefined,
  { rules: live }: RuleList = { rules: [] },
): ReadonlyMap<Rule, RecordedRule> {
  const pairs = (sent?.rules ?? []).flatMap((rule, index) => {
    const stored = live[index];
    return stored && isStored(rule, stored) ? [[rule, stored] as const] : [];
  });
  if (sent?.rules.length !== live.length || pairs.length !== live.length) return new Map();
  return new Map(
    pairs.flatMap(([rule, stored]) => (rule.id === undefined ? [[stored, toRecorded(rule)]] : [])),
  );
}

function isStored(rule: Rule, stored: Rule): boolean {
  return (
    (rule.id === undefined ? stored.id !== undefined : rule.id === stored.id) &&
    wordMeaning(rule.action) === wordMeaning(stored.action) &&
    rule.actionParameters?.id === stored.actionParameters?.id
  );
}

function idsOfOthers({ initial, foreignIds: seen = [] }: State): ReadonlySet<string> {
  const taken = new Set(initial?.taken);
  const found = collectIds(initial?.rules ?? []).filter((id) => !taken.has(id));
  return new Set([...found, ...seen]);
}

/**
 * Updates the list that a destroy restores. If this update adopts or overwrites a rule, records the rule as it is now, because
 * someone may have edited it since it was found. With "overwrite", unmanaged rules of the last reading are recorded as
 * overwritten even if they are gone, because an interrupted update may have deleted them.
 */
export function withTaken(initial: Initial, inputs: Inputs, { match }: ListMatch, before: State): Initial {
  const isOverwriting = inputs.foreignRules === "overwrite";
  const touched = new Map(
    [...match.live, ...(isOverwriting ? match.foreign : [])].map((rule) => [rule?.id, rule]),
  );
  const lastForeignIds = new Set(isOverwriting ? before.foreignIds : []);
  const taken = new Set(initial.taken);
  const rules = initial.rules.map((found) => {
    if (found.id === undefined || taken.has(found.id)) return found;
    const rule = touched.get(found.id);
    if (rule || lastForeignIds.has(found.id)) taken.add(found.id);
    return rule ? toRecorded(rule) : found;
  });
  return { ...initial, rules, taken: [...taken] };
}

/**
 * Returns the list that a destroy restores: `initial` or, if this resource takes over the zone from another resource,
 * `predecessor`, the list before the first change of that other resource. Rules that this resource has adopted or overwritten are
 * then added to `taken` of `predecessor`, with the contents that they have in `initial`.
 */
export function inheritInitial(initial: Initial, predecessor: Initial | undefined): Initial {
  if (!predecessor) return initial;
  const taken = new Set(predecessor.taken);
  const rules = predecessor.rules.map((found) => {
    if (found.id === undefined || taken.has(found.id) || !initial.taken.includes(found.id)) return found;
    taken.add(found.id);
    return initial.rules.find(({ id }) => id === found.id) ?? found;
  });
  return { ...predecessor, renamed: initial.renamed ?? predecessor.renamed, rules, taken: [...taken] };
}
