import type { Rule } from "../../api/client-types";
import { grouped } from "../../text/data";
import { wordMeaning } from "../compare";
import { isWithin, meaningOf, type RuleMeaning } from "./rule-meaning";

/** A live rule, and the place of the declared one that it is compared with. */
interface RuleAtPlace {
  readonly index: number;
  readonly rule: Rule;
}

interface RuleWithMeaning {
  readonly rule: Rule;
  readonly meaning: RuleMeaning;
}

/** What of a zone's rule list belongs to whom. */
export interface RuleMatch {
  /** For each declared rule the live one that it is, if there is one. */
  readonly live: readonly (Rule | undefined)[];
  /** Live rules that we made or took over and that are no longer declared. */
  readonly dropped: readonly Rule[];
  /** Live rules that are neither declared nor known from our state, in their order. */
  readonly foreign: readonly Rule[];
  /** Unmanaged rules that have the `ref` of a declared rule. The list cannot hold both. */
  readonly namesakes: readonly RuleAtPlace[];
}

/**
 * Finds the live rule of each declared one: a known one by its `ref`, any by equal meaning, known ones first, else the
 * edited one in the same place among the known rules that run the same managed ruleset. `known` are the rules of our
 * state, by id. An unmanaged rule is never taken for an edited one, whatever its `ref`. `strangers` are surely unmanaged: never
 * adopted.
 */
export function matchRules(
  declared: readonly Rule[],
  known: readonly Rule[],
  live: readonly Rule[],
  strangers: ReadonlySet<Rule> = new Set(),
): RuleMatch {
  const knownIds = new Set(known.map((rule) => rule.id));
  const isKnown = (rule: Rule): boolean => rule.id !== undefined && knownIds.has(rule.id);
  const free = new Set(live);
  const found: (Rule | undefined)[] = declared.map(() => undefined);
  const namesakes: RuleAtPlace[] = [];

  // 1. By its ref, which no other rule can have.
  const byRef = new Map(live.map((rule) => [rule.ref, rule]));
  declared.forEach((wanted, index) => {
    const candidate = wanted.ref === undefined ? undefined : byRef.get(wanted.ref);
    if (!candidate) return;
    if (isKnown(candidate) || (!strangers.has(candidate) && isSameRule(wanted, candidate))) {
      if (free.delete(candidate)) found[index] = candidate;
    } else {
      namesakes.push({ index, rule: candidate });
    }
  });

  // 2. By what it does.
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
      live.filter((rule) => !strangers.has(rule) && !inTheWay.has(rule)),
      isFree,
    ),
  );

  // 3. As an edit.
  const editable = grouped(
    live.filter((rule) => free.has(rule) && isKnown(rule) && !isNamed(rule)),
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
 * Returns a function that finds, among these rules, the first free one that does what is declared: one that says exactly the
 * same before one that says more. A rule that is no longer free is never looked at again, and only rules that share the
 * rarest of the declared fields are compared: thousands of rules take no more than a few looks each.
 */
export function ruleFinder(
  rules: readonly Rule[],
  isFree: (rule: Rule) => boolean,
): (declared: Rule) => Rule | undefined {
  const byKey = new Map<string, Set<RuleWithMeaning>>();
  for (const rule of rules) {
    const one = { rule, meaning: meaningOf(rule) };
    for (const key of [exactKey(one.meaning), ...sharedKeys(one.meaning)]) {
      const alike = byKey.get(key);
      if (alike) alike.add(one);
      else byKey.set(key, new Set([one]));
    }
  }
  const findFirst = (wanted: RuleMeaning, alike: Set<RuleWithMeaning>): Rule | undefined => {
    for (const one of alike) {
      if (!isFree(one.rule)) alike.delete(one);
      else if (isWithin(wanted, one.meaning)) return one.rule;
    }
    return undefined;
  };
  return (declared) => {
    const wanted = meaningOf(declared);
    const withKey = (key: string): Set<RuleWithMeaning> => byKey.get(key) ?? new Set();
    const rarest = sharedKeys(wanted)
      .map(withKey)
      .reduce((one, other) => (other.size < one.size ? other : one));
    return findFirst(wanted, withKey(exactKey(wanted))) ?? findFirst(wanted, rarest);
  };
}

/** Returns the key that only rules with exactly this meaning have. */
function exactKey({ core, extras }: RuleMeaning): string {
  return JSON.stringify([core, [...extras].sort(([left], [right]) => (left < right ? -1 : 1))]);
}

/** Returns the keys that every rule has that does at least this: one for what each rule says, and one for each further field. */
function sharedKeys({ core, extras }: RuleMeaning): [string, ...string[]] {
  return [core, ...[...extras].map((field) => JSON.stringify([core, ...field]))];
}

/** A name given by a program or a person. The service makes the id the ref of a rule that got none. */
export function isNamed({ ref, id }: { readonly ref?: unknown; readonly id?: unknown }): boolean {
  return ref !== undefined && ref !== id;
}

/** What an edit leaves as it is. */
function runs({ action, actionParameters }: Rule): string {
  return JSON.stringify([wordMeaning(action), actionParameters?.id]);
}

/**
 * Whether the live rule is what is declared. Server-made fields and fields that the program does not mention make no
 * difference; overrides do in both directions, because an absent one means "leave it".
 */
export function isSameRule(declared: Rule, live: Rule): boolean {
  return (
    // What costs nothing to compare tells most pairs apart.
    wordMeaning(declared.action) === wordMeaning(live.action) &&
    (declared.ref === undefined || declared.ref === live.ref) &&
    isWithin(meaningOf(declared), meaningOf(live))
  );
}

/** Whether two declarations say the same: what one of them no longer mentions is a change too. */
export function isSameDeclaration(recorded: Rule, declared: Rule): boolean {
  if (declared.ref !== undefined && declared.ref !== recorded.ref) return false;
  const [before, now] = [meaningOf(recorded), meaningOf(declared)];
  return isWithin(before, now) && isWithin(now, before);
}

/** Whether two lists are the same rule by rule: their order is their order of running. */
export function isSameInOrder<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): boolean {
  const isSameAt = (one: Left, at: number): boolean => {
    const other = right[at];
    return other !== undefined && isSame(one, other);
  };
  return left.length === right.length && left.every(isSameAt);
}
