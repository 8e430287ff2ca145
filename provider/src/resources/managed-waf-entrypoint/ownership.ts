import type { Entrypoint, Rule } from "../../api/client-types";
import { wordMeaning } from "../../model/compare";
import { toRule } from "../../model/waf-rules/rule-input";
import { isNamed, matchRules, type RuleMatch, ruleFinder } from "../../model/waf-rules/rule-match";
import { isWithin, meaningOf } from "../../model/waf-rules/rule-meaning";
import { fromRecord, recorded } from "./recorded-rule";
import type { Initial, Inputs, Recorded, State } from "./state";

type RuleList = Pick<Entrypoint, "rules">;

/** The zone's list at one moment, and the owners of its rules. */
export interface ListMatch {
  readonly live: Entrypoint | undefined;
  /** The resource's own live rules, each with its entry in the state. */
  readonly own: ReadonlyMap<Rule, Recorded>;
  readonly match: RuleMatch;
}

/**
 * Matches the declared rules with the live ones. `strangers`: ids of unmanaged rules that existed before the write and must not
 * be adopted.
 */
export function matchList(
  inputs: Inputs,
  own: ReadonlyMap<Rule, Recorded>,
  live: Entrypoint | undefined,
  strangers: ReadonlySet<string> = new Set(),
): ListMatch {
  const rules = live?.rules ?? [];
  const unadopted = new Set(rules.filter(({ id }) => id !== undefined && strangers.has(id)));
  const match = matchRules(inputs.rules.map(toRule), [...own.keys()], rules, unadopted);
  return { live, own, match: inputs.foreignRules === "overwrite" ? withNamesakes(match) : match };
}

/** Matches declared rules with the unmanaged rules that have the same `ref`: "overwrite" edits these. */
function withNamesakes({ live, foreign, ...match }: RuleMatch): RuleMatch {
  const edited = new Map(match.namesakes.map(({ index, rule }) => [index, rule]));
  const taken = new Set(edited.values());
  return {
    ...match,
    live: live.map((rule, index) => rule ?? edited.get(index)),
    foreign: foreign.filter((rule) => !taken.has(rule)),
  };
}

export function idsOf(rules: readonly { readonly id?: string | undefined }[]): string[] {
  return rules.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/**
 * Returns the resource's own live rules, each with its entry in the state. Finds a rule by its id. If an entry has no id (the
 * response was lost), or if none of the ids in the state exists any more (a migration gives every rule a new id), finds the
 * rule by its meaning; a rule with a `ref` of its own must have the same `ref`, too. Rules that existed before the resource, or
 * that were unmanaged at the last reading, never count as its own.
 */
export function ownRules(
  state: State,
  { rules: live }: RuleList = { rules: [] },
): ReadonlyMap<Rule, Recorded> {
  const records = (state.rules ?? []).filter((rule) => rule.foreign !== true);
  const own = new Map<Rule, Recorded>();
  const byId = new Map(live.map((rule) => [rule.id, rule]));
  const lost = records.filter((record) => {
    const rule = record.id === undefined ? undefined : byId.get(record.id);
    if (rule) own.set(rule, record);
    return !rule;
  });
  const areIdsRenewed = own.size === 0;
  const others = idsOfOthers(state);
  const candidates = live.filter(({ id }) => id === undefined || !others.has(id));
  // Includes rules without a name: exported programs declare the `ref` that the service gave to such a rule.
  const byRef = new Map(candidates.map((rule) => [rule.ref, rule]));
  const findUnnamed = ruleFinder(
    candidates.filter((rule) => !isNamed(rule)),
    (rule) => !own.has(rule),
  );
  for (const record of lost) {
    if (record.id !== undefined && !areIdsRenewed) continue;
    const rule = fromRecord(record);
    const named = byRef.get(record.ref);
    // A rule with the same `ref` but other content may belong to somebody else.
    const sameName = named && isWithin(meaningOf(rule), meaningOf(named)) ? named : undefined;
    const found = isNamed(record) ? sameName : findUnnamed(rule);
    if (found && !own.has(found)) own.set(found, record);
  }
  return own;
}

/** Returns the live rules whose id is in the state. An equal rule with another id may belong to somebody else. */
export function ownById(state: State, list?: RuleList): ReadonlyMap<Rule, Recorded> {
  const own = [...ownRules(state, list)];
  return new Map(own.filter(([{ id }, record]) => id !== undefined && id === record.id));
}

/**
 * Returns the resource's rules that its successor has not adopted. The successor was created without this state, because it has
 * another name and no alias, or because of `--replace`. `held`: ids of the successor's rules.
 */
export function leftOver(
  state: State,
  held: ReadonlySet<string>,
  live: RuleList | undefined,
): ReadonlyMap<Rule, Recorded> {
  return new Map([...ownById(state, live)].filter(([{ id }]) => id !== undefined && !held.has(id)));
}

/**
 * Returns the resource's own rules in a later reading of the same operation. Compares ids only: another rule with the
 * content of one that the resource has just deleted is unmanaged.
 */
export function stillOwn(
  own: ReadonlyMap<Rule, Recorded>,
  { rules: live }: RuleList = { rules: [] },
): ReadonlyMap<Rule, Recorded> {
  const records = new Map([...own].map(([{ id }, record]) => [id, record]));
  const still = new Map<Rule, Recorded>();
  for (const rule of live) {
    const record = rule.id === undefined ? undefined : records.get(rule.id);
    if (record) still.set(rule, record);
  }
  return still;
}

/**
 * Returns the rules that the write has just created. Finds them by their places in the sent list, because a service can store
 * another spelling: a comparison of meanings would then count them as unmanaged. Empty if the live list is not the one that was
 * sent: a reading right after the write can still show the previous list.
 */
export function written(
  sent: RuleList | undefined,
  { rules: live }: RuleList = { rules: [] },
): ReadonlyMap<Rule, Recorded> {
  const pairs = (sent?.rules ?? []).flatMap((rule, index) => {
    const stored = live[index];
    return stored && isStored(rule, stored) ? [[rule, stored] as const] : [];
  });
  if (sent?.rules.length !== live.length || pairs.length !== live.length) return new Map();
  return new Map(
    pairs.flatMap(([rule, stored]) => (rule.id === undefined ? [[stored, recorded(rule)]] : [])),
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
  const found = idsOf(initial?.rules ?? []).filter((id) => !taken.has(id));
  return new Set([...found, ...seen]);
}

/**
 * Updates the list that a destroy restores. Records the rules that this update adopts or overwrites as they are right before
 * the update, because someone may have edited them since they were found. With "overwrite", unmanaged rules of the last reading
 * count as overwritten even if they are gone: an interrupted update may have deleted them.
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
    return rule ? recorded(rule) : found;
  });
  return { ...initial, rules, taken: [...taken] };
}
