import type { Entrypoint, Rule } from "../../api/client-types";
import { wordMeaning } from "../../model/compare";
import { toRule } from "../../model/waf-rules/rule-input";
import { isNamed, matchRules, type RuleMatch, ruleFinder } from "../../model/waf-rules/rule-match";
import { isWithin, meaningOf } from "../../model/waf-rules/rule-meaning";
import { fromRecord, recorded } from "./recorded-rule";
import type { Initial, Inputs, Recorded, State } from "./state";

type RuleList = Pick<Entrypoint, "rules">;
const noRules: RuleList = { rules: [] };

/** Live rules of this resource, each with what the state holds of it. */
export type OwnRules = ReadonlyMap<Rule, Recorded>;

/** The zone's list at one moment: what of it is whose. */
export interface ListMatch {
  readonly live: Entrypoint | undefined;
  readonly own: OwnRules;
  readonly match: RuleMatch;
}

/** `strangers`: ids of rules that were there before we wrote and that are not to be adopted. */
export function matchList(
  inputs: Inputs,
  own: OwnRules,
  live: Entrypoint | undefined,
  strangers: ReadonlySet<string> = new Set(),
): ListMatch {
  const rules = live?.rules ?? [];
  const unadopted = new Set(rules.filter(({ id }) => id !== undefined && strangers.has(id)));
  const match = matchRules(inputs.rules.map(toRule), [...own.keys()], rules, unadopted);
  if (inputs.foreignRules !== "overwrite") return { live, own, match };
  // An unmanaged rule that has the `ref` of a declared one is edited into that one.
  const edited = new Map(match.namesakes.map(({ index, rule }) => [index, rule]));
  const isEdited = new Set(edited.values());
  const found = match.live.map((rule, index) => rule ?? edited.get(index));
  const foreign = match.foreign.filter((rule) => !isEdited.has(rule));
  return { live, own, match: { ...match, live: found, foreign } };
}

export function idsOf(rules: readonly { readonly id?: string | undefined }[]): string[] {
  return rules.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/** The live rules with these ids. */
function withIds(
  records: Iterable<readonly [string | undefined, Recorded]>,
  { rules }: RuleList,
): Map<Rule, Recorded> {
  const byId = new Map(records);
  return new Map(
    rules.flatMap((rule) => {
      const record = rule.id === undefined ? undefined : byId.get(rule.id);
      return record ? [[rule, record] as const] : [];
    }),
  );
}

function recordsOf({ rules = [] }: State): readonly (readonly [string | undefined, Recorded])[] {
  return rules.filter((rule) => rule.foreign !== true).map((record) => [record.id, record]);
}

/** Those with a recorded id, and no others: what is merely like them may be anybody's. */
export function ownById(state: State, live: RuleList = noRules): OwnRules {
  return withIds(recordsOf(state), live);
}

/**
 * The same rules at a later reading of the same operation. By their ids alone: what has the content of a rule that we have
 * just deleted is unmanaged.
 */
export function stillOwn(own: OwnRules, live: RuleList = noRules): OwnRules {
  return withIds(
    [...own].map(([{ id }, record]) => [id, record]),
    live,
  );
}

/**
 * The live rules that are this resource's: those with a recorded id; else, where a record has no
 * id (the answer was lost) or none of the recorded ids is there any more (a migration update gives every rule a new
 * one), those with the recorded meaning, under the same name. Rules that were there before us, or that were unmanaged at the
 * last reading, are never among these.
 */
export function ownRules(state: State, live: RuleList = noRules): OwnRules {
  const own = withIds(recordsOf(state), live);
  const areIdsRenewed = own.size === 0;
  const found = new Set(own.values());
  const { initial, foreignIds = [] } = state;
  const taken = new Set(initial?.taken);
  const others = new Set([...idsOf(initial?.rules ?? []).filter((id) => !taken.has(id)), ...foreignIds]);
  const candidates = live.rules.filter(({ id }) => id === undefined || !others.has(id));
  // A declared `ref` may be one that the service made: an exported program names its rules so.
  const byRef = new Map(candidates.map((rule) => [rule.ref, rule]));
  const findUnnamed = ruleFinder(
    candidates.filter((rule) => !isNamed(rule)),
    (rule) => !own.has(rule),
  );
  for (const [id, record] of recordsOf(state)) {
    if (found.has(record) || (id !== undefined && !areIdsRenewed)) continue;
    const rule = fromRecord(record);
    const namesake = byRef.get(record.ref);
    // Under its name, but with another content: someone else may have used the name.
    const sameName = namesake && isWithin(meaningOf(rule), meaningOf(namesake)) ? namesake : undefined;
    const one = isNamed(record) ? sameName : findUnnamed(rule);
    if (one && !own.has(one)) own.set(one, record);
  }
  return own;
}

/**
 * The rules that came into being by our own write, by their places in the list that was sent: a service may store
 * another spelling than it got, and a rule of ours is not to be taken for an unmanaged one by that. None where what
 * came back is not the list that was sent: a reading that is too early shows the one before.
 */
export function written(
  sent: RuleList = noRules,
  live: RuleList = noRules,
  strangers: ReadonlySet<string> = new Set(),
): OwnRules {
  const isStored = (rule: Rule, stored: Rule | undefined): boolean =>
    stored !== undefined &&
    (rule.id === undefined ? stored.id !== undefined && !strangers.has(stored.id) : rule.id === stored.id) &&
    wordMeaning(rule.action) === wordMeaning(stored.action) &&
    rule.actionParameters?.id === stored.actionParameters?.id;
  const isList =
    sent.rules.length === live.rules.length && sent.rules.every((rule, at) => isStored(rule, live.rules[at]));
  if (!isList) return new Map();
  return new Map(
    live.rules.flatMap((stored, at) => {
      const rule = sent.rules[at];
      return rule && rule.id === undefined ? [[stored, recorded(rule)] as const] : [];
    }),
  );
}

/**
 * What is to be put back one day: of the rules found first those that are adopted or overwritten now, as they are
 * right before that; others may have edited theirs since they were found. Also those that were there at the last reading
 * and that an overwriting run may have deleted right before it was cut off.
 */
export function withTaken(initial: Initial, inputs: Inputs, { match }: ListMatch, before: State): Initial {
  const isOverwriting = inputs.foreignRules === "overwrite";
  const touched = new Map(
    [...match.live, ...(isOverwriting ? match.foreign : [])].map((rule) => [rule?.id, rule]),
  );
  // Those that are still there are overwritten now.
  const seen = new Set(isOverwriting ? before.foreignIds : []);
  const taken = new Set(initial.taken);
  const rules = initial.rules.map((found) => {
    if (found.id === undefined || taken.has(found.id)) return found;
    const rule = touched.get(found.id);
    if (rule || seen.has(found.id)) taken.add(found.id);
    return rule ? recorded(rule) : found;
  });
  return { ...initial, rules, taken: [...taken] };
}
