import type { Rule } from "../../api/client-types";
import { wordMeaning } from "../compare";
import { stoppingActions } from "./known-actions";
import { hasAction } from "./rule-meaning";

/** A rule in the list to write. */
export interface PlacedRule {
  readonly rule: Rule;
  /** The rule in the zone that matches this rule; undefined for a new rule. */
  readonly live: Rule | undefined;
}

/** Whether declared rules go after or before unmanaged ones if the zone has no declared rule yet, or if `order` changes. */
export type RuleOrder = "afterForeign" | "beforeForeign";

interface Lists {
  readonly live: readonly Rule[];
  /** Unmanaged rules in the zone that stay. */
  readonly kept: ReadonlySet<Rule>;
  readonly declared: readonly PlacedRule[];
  readonly order: RuleOrder;
  /** Whether the program has changed `order`. This update then moves all declared rules before or after the unmanaged ones. */
  readonly isOrderChanged: boolean;
}

/**
 * Returns the list to write. Rules that stay in the zone keep their order. If the program reorders its own rules, only those
 * rules exchange places. A new rule goes directly after the declared rule that precedes it. New rules at the start of the
 * declaration go directly before the first declared rule that is in the zone.
 */
export function placeRules({ live, kept, declared, order, isOrderChanged }: Lists): PlacedRule[] {
  const ours = new Set(declared.flatMap((one) => one.live ?? []));
  const unmanaged = (rule: Rule): PlacedRule => ({ rule, live: rule });
  if (isOrderChanged || ours.size === 0) {
    const others = live.filter((rule) => kept.has(rule)).map(unmanaged);
    return order === "beforeForeign" ? [...declared, ...others] : [...others, ...declared];
  }
  // Each group has one declared rule that is in the zone, and the new rules that go next to it.
  const groups: PlacedRule[][] = [[]];
  let hasPlace = false;
  for (const one of declared) {
    if (one.live && hasPlace) groups.push([]);
    hasPlace ||= one.live !== undefined;
    groups.at(-1)?.push(one);
  }
  let next = 0;
  return live.flatMap((rule) => {
    if (ours.has(rule)) return groups[next++] ?? [];
    return kept.has(rule) ? [unmanaged(rule)] : [];
  });
}

/**
 * Returns the pairs of live rules that change places, if at least one rule of the pair stops requests or skips. `first`: the
 * rule that ran second until now, and will run first.
 */
export function findChangedPlaces(live: readonly Rule[], written: readonly PlacedRule[]) {
  const places = new Map(live.map((rule, place) => [rule, place]));
  const staying = written.flatMap(({ rule, live: there }) => {
    const place = there && places.get(there);
    if (!there || place === undefined || !(isEnabled(rule) || isEnabled(there))) return [];
    return [{ rule: there, place, isDecisive: isDecisive(rule) || isDecisive(there) }];
  });
  return staying.flatMap((second, at) => {
    const overtaking = staying
      .slice(0, at)
      .filter((first) => first.place > second.place && (first.isDecisive || second.isDecisive));
    return overtaking.map((first) => ({ first: first.rule, second: second.rule }));
  });
}

function isDecisive(rule: Rule): boolean {
  const action = wordMeaning(rule.action);
  return isEnabled(rule) && (action === "skip" || stoppingActions.has(action));
}

function isEnabled({ enabled }: Rule): boolean {
  return enabled !== false;
}

/** Returns the skip rules that skip nothing, because no later rule in the list runs a managed ruleset. */
export function idleSkips(list: readonly Rule[]): Rule[] {
  const runs = (rule: Rule): boolean => isEnabled(rule) && hasAction(rule, "execute");
  return list.slice(list.findLastIndex(runs) + 1).filter((rule) => {
    const { phases, products } = rule.actionParameters?.extra ?? {};
    // A rule that skips other `phases`, or other security `products`, has an effect wherever it is in the list.
    return isEnabled(rule) && hasAction(rule, "skip") && !phases && !products;
  });
}
