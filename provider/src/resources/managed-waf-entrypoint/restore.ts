import type { Entrypoint, EntrypointBody, Rule } from "../../api/client-types";
import { hasOwnRef } from "../../model/waf-rules/rule-match";
import { makeLostRuleFinder } from "./ownership";
import { fromRecord } from "./recorded-rule";
import { body, isSameList, withIdentity } from "./rule-list";
import type { Initial, RecordedRule, State } from "./state";

/**
 * Returns the list that a destroy writes; undefined if the zone already has it. If the resource has a successor, which determines
 * the rules and the name now, no rules are recreated and the list keeps its name.
 */
export function makeRestoredList(
  state: State,
  own: ReadonlyMap<Rule, RecordedRule>,
  live: Entrypoint,
  hasSuccessor: boolean,
): EntrypointBody | undefined {
  const rules = listRulesLeft(state, own, live.rules, hasSuccessor);
  const initial = readInitial(state);
  const isRenamed =
    !hasSuccessor && live.name !== undefined && live.name === (initial?.renamed ?? state.name);
  const listName = isRenamed ? (initial?.name ?? live.name) : live.name;
  return listName === live.name && isSameList(rules, live.rules) ? undefined : body(live, listName, rules);
}

/** Returns the rules that a destroy leaves in the zone. A rule that the destroy recreates has no id. */
export function listRulesLeft(
  state: State,
  own: ReadonlyMap<Rule, RecordedRule>,
  live: readonly Rule[],
  hasSuccessor: boolean,
): Rule[] {
  const initial = readInitial(state);
  if (!initial) return live.filter((rule) => !own.has(rule));
  const there = new Set(live.map(({ id }) => id));
  const taken = initial.taken.filter((id) => !hasSuccessor || there.has(id));
  return restoreRules({ ...initial, taken }, own, live);
}

function readInitial({ initial, onDestroy = "restore" }: State): Initial | undefined {
  return onDestroy === "restore" ? initial : undefined;
}

/**
 * Restores the list found before the first change, as far as this resource has changed it: puts adopted and overwritten rules
 * back in their places, and removes the resource's own rules. Rules that others have added or moved since then keep their order.
 * A restored list stays as it is, so the write can be repeated after a lost response.
 */
function restoreRules(initial: Initial, own: ReadonlyMap<Rule, RecordedRule>, live: readonly Rule[]): Rule[] {
  const taken = new Set(initial.taken);
  const there = matchInitialRules(initial, taken, own, live);
  /** Rules to put back, by the unmanaged rule that they come after. */
  const behind = new Map<Rule, Rule[]>();
  const first: Rule[] = [];
  const refsOfOthers = new Set(live.filter((rule) => !own.has(rule)).map(({ ref }) => ref));
  let previous: Rule | undefined;
  let next: Rule | undefined;
  for (const record of initial.rules) {
    const rule = there.get(record);
    if (rule && !own.has(rule)) {
      previous = rule;
      next ??= rule;
    } else if (record.id !== undefined && taken.has(record.id)) {
      const back = restoreRule(record, rule, rule && own.get(rule), refsOfOthers);
      if (previous) behind.set(previous, [...(behind.get(previous) ?? []), back]);
      else first.push(back);
    }
  }
  const staying = live.filter((rule) => !own.has(rule));
  const list = staying.flatMap((rule) => [
    ...(rule === next ? first : []),
    rule,
    ...(behind.get(rule) ?? []),
  ]);
  return next ? list : [...first, ...list];
}

/** Maps the rules found before the first change to their live rules, each live rule at most once. */
function matchInitialRules(
  { rules }: Initial,
  taken: ReadonlySet<string>,
  own: ReadonlyMap<Rule, RecordedRule>,
  live: readonly Rule[],
): ReadonlyMap<RecordedRule, Rule> {
  const there = new Map<RecordedRule, Rule>();
  const used = new Set<Rule>();
  const byId = new Map(live.map((rule) => [rule.id, rule]));
  const note = (record: RecordedRule, rule: Rule | undefined): void => {
    if (!rule || used.has(rule)) return;
    there.set(record, rule);
    used.add(rule);
  };
  for (const record of rules) if (record.id !== undefined) note(record, byId.get(record.id));
  // A rule that was deleted and restored has a new id.
  const gone = rules.filter((record) => !there.has(record) && taken.has(record.id ?? ""));
  const isFree = (rule: Rule): boolean => !used.has(rule);
  const isOwn = (rule: Rule): boolean => own.has(rule);
  const findOwn = makeLostRuleFinder(live.filter(isOwn), isFree, true);
  const findOther = makeLostRuleFinder(
    live.filter((rule) => !isOwn(rule)),
    isFree,
  );
  for (const record of gone) note(record, findOwn(record) ?? findOther(record));
  return there;
}

/** Returns a rule as it was found: the live rule, changed back, or a new rule. Leaves out a `ref` that another rule has now. */
function restoreRule(
  found: RecordedRule,
  live: Rule | undefined,
  record: RecordedRule | undefined,
  refsOfOthers: ReadonlySet<string | undefined>,
): Rule {
  const { id: _forgotten, ref, ...rule } = fromRecord(found);
  const asBefore = ref !== undefined && hasOwnRef(found) && !refsOfOthers.has(ref) ? { ...rule, ref } : rule;
  return withIdentity(asBefore, live, record && fromRecord(record));
}
