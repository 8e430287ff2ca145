import assert from "node:assert/strict";
import type { ZoneRule } from "../../../../simulator/src";
import { contentOf, isDeclared, nameless, type ShortRule } from "../../small-engine/short-rule";
import type { Program } from "./entrypoint-scenario";

/** A rule as it was found first, and whether it is the stack's to put back. */
interface Found {
  readonly id: string;
  content: string;
  isOurs: boolean;
}

/** Whose each rule of the zone is, by what the people and the programs of a story did. Knows nothing of the state. */
export class Ledger {
  /** Rules of others that nobody may touch: id to bytes. */
  private readonly strangers = new Map<string, string>();
  private found: Found[] = [];
  /** Contents that others have made and that the stack may have taken for its own: any number of them may be left. */
  private readonly loose = new Map<string, number>();
  /** What a died run may have taken away without a record: a copy of it by others is taken for it. */
  private readonly mayBeGone: ShortRule[] = [];
  /** Descriptions that a died run may have left behind without a record. */
  private readonly leftBehind = new Set<string>();

  constructor(rules: readonly ZoneRule[]) {
    for (const rule of rules) this.strangers.set(rule.id, JSON.stringify(rule));
  }

  /** The stack's first change: what is there now is what a destroy brings back. */
  begin(rules: readonly ZoneRule[]): void {
    this.found = rules.map((rule) => ({
      id: rule.id,
      content: contentOf(rule),
      isOurs: !this.strangers.has(rule.id),
    }));
  }

  /** What is equal to a declared rule may be taken over; what is overwritten is given up by name. */
  declares({ rules, foreignRules }: Program): void {
    for (const bytes of this.strangers.values()) {
      const rule: ZoneRule = JSON.parse(bytes);
      if (foreignRules === "overwrite" || rules.some((content) => isDeclared(content, rule)))
        this.release(rule);
    }
  }

  private release(rule: ZoneRule): void {
    this.strangers.delete(rule.id);
    const found = this.found.find(({ id }) => id === rule.id);
    if (found) found.isOurs = true;
    else this.loosen(rule);
  }

  private loosen(rule: ZoneRule): void {
    const content = contentOf(rule);
    this.loose.set(content, (this.loose.get(content) ?? 0) + 1);
  }

  added(rule: ZoneRule, isLike: boolean): void {
    this.strangers.set(rule.id, JSON.stringify(rule));
    if (isLike) this.loosen(rule);
    this.mistake(this.mayBeGone);
  }

  /** A run has died that may have taken these rules of the stack away. */
  mayHaveTakenAway(rules: readonly ShortRule[]): void {
    this.mayBeGone.push(...rules);
    this.mistake(rules);
  }

  private mistake(rules: readonly ShortRule[]): void {
    for (const bytes of this.strangers.values()) {
      const rule: ZoneRule = JSON.parse(bytes);
      if (rules.some((content) => isDeclared(content, rule))) this.release(rule);
    }
  }

  /** A copy of a rule that the stack may not be able to tell from its own. */
  ambiguous(rule: ZoneRule): void {
    this.loosen(rule);
  }

  /**
   * Whether it comes back depends on whether the stack had taken it over already; and an overwriting run that has seen
   * it before can't tell whether somebody deleted it, or a run that died.
   */
  deleted({ id }: ZoneRule): void {
    const found = this.found.find((rule) => rule.id === id);
    this.strangers.delete(id);
    if (found) this.loose.set(found.content, 1 + (this.loose.get(found.content) ?? 0));
    this.found = this.found.filter((rule) => rule !== found);
  }

  /** As with a deletion. */
  edited(before: ZoneRule, after: ZoneRule): void {
    this.loosen(after);
    const isTheirs = this.strangers.has(before.id);
    if (!isTheirs) {
      this.deleted(before);
      return;
    }
    this.strangers.set(after.id, JSON.stringify(after));
    const found = this.found.find(({ id }) => id === before.id);
    if (found) found.content = contentOf(after);
  }

  /** A run has died: what it made may be there without a record, and what it overwrote may be gone without one. */
  died({ rules, foreignRules }: Program): void {
    for (const { name } of rules) this.leftBehind.add(name);
    if (foreignRules !== "overwrite") return;
    for (const { content, isOurs } of this.found) {
      if (isOurs) this.loose.set(content, 1 + (this.loose.get(content) ?? 0));
    }
    this.found = this.found.filter(({ isOurs }) => !isOurs);
  }

  expectUntouched(live: readonly ZoneRule[]): void {
    const now = new Map(live.map((rule) => [rule.id, JSON.stringify(rule)]));
    for (const [id, bytes] of this.strangers)
      assert.equal(now.get(id), bytes, "somebody else's rule was touched");
  }

  /** The stack is gone: what was found first is there, and nothing of its own. */
  restored(live: readonly ZoneRule[]): void {
    const left = live.map(contentOf);
    const refs = new Set(live.map(({ ref }) => ref));
    const count = (list: readonly string[], content: string) =>
      list.filter((other) => other === content).length;
    const wanted = this.found.map(({ content }) => content);
    for (const content of new Set(wanted)) {
      const loose = this.loose.get(content) ?? 0;
      const least = Math.max(1, count(wanted, content) - loose);
      // A name that somebody has given to another rule since does not come back with its rule.
      const { ref, ...rest } = JSON.parse(content);
      const there = refs.has(ref) ? count(left, JSON.stringify(rest)) : 0;
      assert.ok(count(left, content) + there >= least, `what was found first is gone: ${content}`);
    }
    const isFound = (rule: ZoneRule): boolean =>
      wanted.some(
        (content) => content === contentOf(rule) || nameless(content) === nameless(contentOf(rule)),
      );
    for (const [index, rule] of live.entries()) {
      const content = left[index] ?? "";
      const isLoose = [...this.loose.keys()].some((other) => nameless(other) === nameless(content));
      const isKnown = this.strangers.has(rule.id) || isFound(rule) || isLoose;
      assert.ok(isKnown || this.leftBehind.has(rule.description ?? ""), `left behind: ${content}`);
    }
    // Whatever is there now is somebody else's to the next stack.
    this.found = [];
    this.strangers.clear();
    for (const rule of live) this.strangers.set(rule.id, JSON.stringify(rule));
  }
}
