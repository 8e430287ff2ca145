import type { Rule } from "../api/client-types";
import { extrasText, isWithin, meaningOf, type RuleMeaning } from "./rule-meaning";

interface Entry {
  readonly rule: Rule;
  /** In the list. */
  readonly place: number;
}

/** Rules that do exactly the same, in their order. */
interface Group {
  readonly meaning: RuleMeaning;
  readonly entries: Entry[];
  /** Those before this one are taken. */
  next: number;
}

/**
 * Finds, in a list of rules, one that does what is declared and that is still free. Looking is by text, so a list of
 * a thousand rules is not compared with another one rule by rule.
 */
export class RuleIndex {
  /** By what the rules do but for `extra`, then by `extra`. */
  private readonly groups = new Map<string, Map<string, Group>>();

  constructor(
    rules: Iterable<Rule>,
    /** Once a rule is taken it stays so. */
    private readonly isFree: (rule: Rule) => boolean,
  ) {
    let place = 0;
    for (const rule of rules) {
      const meaning = meaningOf(rule);
      const alike = this.groups.get(meaning.core) ?? new Map<string, Group>();
      const group = alike.get(extrasText(meaning)) ?? { meaning, entries: [], next: 0 };
      group.entries.push({ rule, place });
      alike.set(extrasText(meaning), group);
      this.groups.set(meaning.core, alike);
      place += 1;
    }
  }

  /** One that says exactly the same before one that says more; of several the first in the list. */
  find(declared: RuleMeaning): Rule | undefined {
    const alike = this.groups.get(declared.core);
    if (!alike) return undefined;
    const same = alike.get(extrasText(declared));
    const exact = same && this.first(same);
    if (exact) return exact.rule;
    let best: Entry | undefined;
    for (const group of alike.values()) {
      if (!isWithin(declared, group.meaning)) continue;
      const candidate = this.first(group);
      if (candidate && (best === undefined || candidate.place < best.place)) best = candidate;
    }
    return best?.rule;
  }

  private first(group: Group): Entry | undefined {
    let candidate = group.entries[group.next];
    while (candidate && !this.isFree(candidate.rule)) {
      group.next += 1;
      candidate = group.entries[group.next];
    }
    return candidate;
  }
}
