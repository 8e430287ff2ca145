import type { Rule } from "../../api/client-types";
import { groupBy } from "../../text/data";
import { wordMeaning } from "../compare";
import { isWithin, type RuleMeaning, toRuleMeaning } from "./rule-meaning";

/** A live rule, with the index of the declared rule that has the same `ref`. */
interface RuleAtPlace {
  readonly index: number;
  readonly rule: Rule;
}

interface RuleWithMeaning {
  readonly rule: Rule;
  readonly meaning: RuleMeaning;
}

export interface RuleMatch {
  /** Live rule for each declared rule; undefined for a new rule. */
  readonly live: readonly (Rule | undefined)[];
  /** Live rules that the resource created or adopted and that are no longer declared. */
  readonly dropped: readonly Rule[];
  /** Live rules that are neither declared nor in the state, in their order. */
  readonly foreign: readonly Rule[];
  /** Unmanaged rules that have the `ref` of a declared rule and are not adopted. No list can contain a `ref` twice. */
  readonly namesakes: readonly RuleAtPlace[];
}

/**
 * Finds the live rule for each declared rule. `known`: rules in the state. A live rule whose id is in the state is known; any
 * other live rule is unmanaged. A declared rule with a `ref` matches only a live rule with the same `ref`, and only if the live
 * rule is known or equal. A declared rule without a `ref` matches a live rule with the same meaning, preferably a known one. If
 * no rule has the same meaning, the declared rule is treated as an edit of the next known rule that has the same action and
 * managed ruleset, and no `ref` of its own. `unadoptable`: unmanaged rules that must not be adopted.
 */
export function matchRules(
  declared: readonly Rule[],
  known: readonly Rule[],
  live: readonly Rule[],
  unadoptable: ReadonlySet<Rule> = new Set(),
): RuleMatch {
  const knownIds = new Set(known.map((rule) => rule.id));
  const isKnown = (rule: Rule): boolean => rule.id !== undefined && knownIds.has(rule.id);
  const free = new Set(live);
  const found: (Rule | undefined)[] = declared.map(() => undefined);
  const namesakes: RuleAtPlace[] = [];

  // 1. Match by `ref`, which is unique in the list.
  const byRef = new Map(live.map((rule) => [rule.ref, rule]));
  declared.forEach((wanted, index) => {
    const candidate = wanted.ref === undefined ? undefined : byRef.get(wanted.ref);
    if (!candidate) return;
    if (isKnown(candidate) || (!unadoptable.has(candidate) && isSameRule(wanted, candidate))) {
      if (free.delete(candidate)) found[index] = candidate;
    } else {
      namesakes.push({ index, rule: candidate });
    }
  });

  // 2. Match by meaning.
  const inTheWay = new Set(namesakes.map(({ rule }) => rule));
  const isFree = (rule: Rule): boolean => free.has(rule);
  const settle = (find: (wanted: Rule) => Rule | undefined): void => {
    declared.forEach((wanted, index) => {
      if (found[index] || wanted.ref !== undefined) return;
      const candidate = find(wanted);
      if (candidate && free.delete(candidate)) found[index] = candidate;
    });
  };
  settle(ruleFinder(live.filter(isKnown), isFree));
  settle(
    ruleFinder(
      live.filter((rule) => !unadoptable.has(rule) && !inTheWay.has(rule)),
      isFree,
    ),
  );

  // 3. Treat the remaining declared rules as edits of known rules.
  const editable = groupBy(
    live.filter((rule) => free.has(rule) && isKnown(rule) && !hasOwnRef(rule)),
    runs,
  );
  settle((wanted) => editable.get(runs(wanted))?.shift());

  return {
    live: found,
    dropped: [...free].filter(isKnown),
    foreign: [...free].filter((rule) => !isKnown(rule)),
    namesakes,
  };
}

/**
 * Returns a function that finds the first free rule with the meaning of a declared rule. Exact matches come before rules that
 * have further fields. To stay fast with thousands of rules, the search looks only at rules with the same core, and drops each rule
 * that is no longer free.
 */
export function ruleFinder(
  rules: readonly Rule[],
  isFree: (rule: Rule) => boolean,
): (declared: Rule) => Rule | undefined {
  const byKey = new Map<string, Set<RuleWithMeaning>>();
  for (const rule of rules) {
    const one = { rule, meaning: toRuleMeaning(rule) };
    for (const key of [exactKey(one.meaning), one.meaning.core]) {
      const alike = byKey.get(key);
      if (alike) alike.add(one);
      else byKey.set(key, new Set([one]));
    }
  }
  const findFirst = (wanted: RuleMeaning, key: string): Rule | undefined => {
    const alike = byKey.get(key) ?? new Set();
    for (const one of alike) {
      if (!isFree(one.rule)) alike.delete(one);
      else if (isWithin(wanted, one.meaning)) return one.rule;
    }
    return undefined;
  };
  return (declared) => {
    const wanted = toRuleMeaning(declared);
    return findFirst(wanted, exactKey(wanted)) ?? findFirst(wanted, wanted.core);
  };
}

/** Returns a key that only rules with exactly this meaning have. */
function exactKey({ core, extras }: RuleMeaning): string {
  return JSON.stringify([core, [...extras].sort(([left], [right]) => (left < right ? -1 : 1))]);
}

/** Whether a program or a person gave the rule its `ref`. If nobody did, the service sets the `ref` to the rule's id. */
export function hasOwnRef({ ref, id }: { readonly ref?: unknown; readonly id?: unknown }): boolean {
  return ref !== undefined && ref !== id;
}

/** Returns the action and the managed ruleset of a rule in one string, by which an edited rule without a `ref` is recognised. */
function runs({ action, actionParameters }: Rule): string {
  return JSON.stringify([wordMeaning(action), actionParameters?.id]);
}

/**
 * Whether the live rule equals the declared one. Ignores fields that the service created, and `extra` fields that the program does
 * not mention. Overrides must be the same on both sides, because without an override the ruleset's default applies.
 */
export function isSameRule(declared: Rule, live: Rule): boolean {
  return (
    // The cheap comparisons come first: they exclude most pairs.
    wordMeaning(declared.action) === wordMeaning(live.action) &&
    (declared.ref === undefined || declared.ref === live.ref) &&
    isWithin(toRuleMeaning(declared), toRuleMeaning(live))
  );
}

/**
 * Whether two declarations are equal. An `extra` field that only one of them has is a difference; a `ref` that only the state has
 * is not.
 */
export function isSameDeclaration(recorded: Rule, declared: Rule): boolean {
  if (declared.ref !== undefined && declared.ref !== recorded.ref) return false;
  const [before, now] = [toRuleMeaning(recorded), toRuleMeaning(declared)];
  return isWithin(before, now) && isWithin(now, before);
}

/** Whether two lists have equal items in the same order. */
export function isSameInOrder<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): boolean {
  const matchesAt = (one: Left, at: number): boolean => {
    const other = right[at];
    return other !== undefined && isSame(one, other);
  };
  return left.length === right.length && left.every(matchesAt);
}
