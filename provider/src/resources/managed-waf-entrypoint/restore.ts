import type { Entrypoint, EntrypointBody, Rule } from "../../api/client-types";
import { isNamed, matchRules } from "../../model/waf-rules/rule-match";
import type { OwnRules } from "./ownership";
import { fromRecord } from "./recorded-rule";
import { body, isSameList, withIdentity } from "./rule-list";
import type { Initial, Recorded, State } from "./state";

/**
 * The list without our work; undefined when that is what is there. With a successor nothing is recreated: it has decided what
 * else is in the list, and what it is called.
 */
export function undone(
  { initial: found, onDestroy = "restore", name }: State,
  own: OwnRules,
  live: Entrypoint,
  hasSuccessor: boolean,
): EntrypointBody | undefined {
  const there = new Set(live.rules.map(({ id }) => id));
  const initial = onDestroy === "restore" ? found : undefined;
  const taken = initial?.taken.filter((id) => !hasSuccessor || there.has(id)) ?? [];
  const rules = initial
    ? restored({ ...initial, taken }, own, live.rules)
    : live.rules.filter((rule) => !own.has(rule));
  const isRenamed = !hasSuccessor && live.name !== undefined && live.name === (initial?.renamed ?? name);
  const listName = isRenamed ? (initial?.name ?? live.name) : live.name;
  return listName === live.name && isSameList(rules, live.rules) ? undefined : body(live, listName, rules);
}

/**
 * The list as found, as far as it was this resource that changed it: adopted or overwritten rules come back to
 * where they were, our own go, and what others did since stays, in their order. Says the same again for a list that
 * was restored already: an answer may get lost.
 */
export function restored(initial: Initial, own: OwnRules, live: readonly Rule[]): Rule[] {
  const taken = new Set(initial.taken);
  const there = stillThere(initial, own, live);
  const staying = live.filter((rule) => !own.has(rule));
  const refsOfOthers = new Set(staying.map(({ ref }) => ref));
  /** What comes back, by the unmanaged rule that it follows; undefined: none. */
  const behind = new Map<Rule | undefined, Rule[]>();
  let previous: Rule | undefined;
  let first: Rule | undefined;
  for (const record of initial.rules) {
    const rule = there.get(record);
    if (rule && !own.has(rule)) {
      previous = rule;
      first ??= rule;
    } else if (record.id !== undefined && taken.has(record.id)) {
      const back = asFound(record, rule, rule && own.get(rule), refsOfOthers);
      behind.set(previous, [...(behind.get(previous) ?? []), back]);
    }
  }
  const leading = behind.get(undefined) ?? [];
  const list = staying.flatMap((rule) => [
    ...(rule === first ? leading : []),
    rule,
    ...(behind.get(rule) ?? []),
  ]);
  return first ? list : [...leading, ...list];
}

/** For each rule found first the live one that it is now, each live one at most once. */
function stillThere(
  { rules, taken }: Initial,
  own: OwnRules,
  live: readonly Rule[],
): ReadonlyMap<Recorded, Rule> {
  const byId = new Map(live.map((rule) => [rule.id, rule]));
  const there = new Map<Recorded, Rule>();
  for (const record of rules) {
    const rule = record.id === undefined ? undefined : byId.get(record.id);
    if (rule) there.set(record, rule);
  }
  // The service forgets the id of a deleted rule: what we took away may be back already, under a new one.
  const gone = rules.filter((record) => !there.has(record) && taken.includes(record.id ?? ""));
  const used = new Set(there.values());
  const declared = gone.map((record): Rule => {
    const { ref, ...rule } = fromRecord(record);
    return isNamed(record) && ref !== undefined ? { ...rule, ref } : rule;
  });
  // A name that someone else has given says that it is another rule.
  const refs = new Set(declared.map(({ ref }) => ref));
  const mayBe = (rule: Rule): boolean => own.has(rule) || !isNamed(rule) || refs.has(rule.ref);
  const free = live.filter((rule) => !used.has(rule) && mayBe(rule));
  const { live: found } = matchRules(declared, [...own.keys()], free);
  for (const [index, record] of gone.entries()) {
    const rule = found[index];
    if (rule) there.set(record, rule);
  }
  return there;
}

/** A rule as it was found: the one of ours that it has become, edited back, or recreated. A list holds a ref once. */
function asFound(
  found: Recorded,
  live: Rule | undefined,
  record: Recorded | undefined,
  refsOfOthers: ReadonlySet<string | undefined>,
): Rule {
  const { id: _forgotten, ref, ...rule } = fromRecord(found);
  const asBefore = ref !== undefined && isNamed(found) && !refsOfOthers.has(ref) ? { ...rule, ref } : rule;
  return withIdentity(asBefore, live, record && fromRecord(record));
}
