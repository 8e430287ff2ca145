import type { Rule } from "../../api/client-types";
import { grouped } from "../../text/data";
import { isWithin, meaningOf } from "./rule-meaning";

/**
 * Finds, among these rules, one that does what is declared and that is still free: one that says exactly the same before one that
 * says more, of several the first. By text, so a list of a thousand rules is not compared with another one rule by rule.
 */
export function ruleFinder(
  rules: readonly Rule[],
  isFree: (rule: Rule) => boolean,
): (declared: Rule) => Rule | undefined {
  const all = rules.map((rule) => ({ rule, meaning: meaningOf(rule) }));
  const byCore = grouped(all, ({ meaning }) => meaning.core);
  return (declared) => {
    const wanted = meaningOf(declared);
    const alike = byCore.get(wanted.core) ?? [];
    const fits = ({ rule, meaning }: (typeof all)[number]) => isFree(rule) && isWithin(wanted, meaning);
    const exact = alike.find((one) => fits(one) && isWithin(one.meaning, wanted));
    return (exact ?? alike.find(fits))?.rule;
  };
}
