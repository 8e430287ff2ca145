import type { Rule } from "../api/client-types";
import { extrasText, isWithin, meaningOf, type RuleMeaning } from "./rule-meaning";

interface Entry {
  readonly rule: Rule;
  readonly meaning: RuleMeaning;
  readonly extras: string;
}

/**
 * Finds, in a list of rules, one that does what is declared and that is still free. It is found by text, so a list of
 * a thousand rules is not compared with another one rule by rule.
 */
export class RuleIndex {
  /** By what the rules do but for `extra`, in their order. */
  private readonly byCore = new Map<string, Entry[]>();

  constructor(
    rules: Iterable<Rule>,
    private readonly isFree: (rule: Rule) => boolean,
  ) {
    for (const rule of rules) {
      const meaning = meaningOf(rule);
      const alike = this.byCore.get(meaning.core) ?? [];
      alike.push({ rule, meaning, extras: extrasText(meaning) });
      this.byCore.set(meaning.core, alike);
    }
  }

  /** One that says exactly the same before one that says more; of several the first in the list. */
  find(declared: RuleMeaning): Rule | undefined {
    const alike = this.byCore.get(declared.core) ?? [];
    const extras = extrasText(declared);
    const exact = alike.find((one) => one.extras === extras && this.isFree(one.rule));
    const found = exact ?? alike.find((one) => isWithin(declared, one.meaning) && this.isFree(one.rule));
    return found?.rule;
  }
}
