import assert from "node:assert/strict";
import type { ZoneRule } from "../../../simulator/src";
import type { Properties } from "../../provider/small-engine/checkpoint";
import { contentOf, isDeclared, nameless } from "../../provider/small-engine/short-rule";
import { meantByContent, ruleIdsIn } from "./checkpoint";
import type { Course } from "./course";
import type { Declarations, EntryDeclaration, Zone } from "./declarations";

/** Book about who owns each rule of a zone's entry point, from the acts of people and programs. */
export class RuleBook {
  /** Unmanaged rules, which the stack must not change or reorder: JSON by id. */
  private readonly strangers = new Map<string, string>();
  /** Ids of rules that the stack may have adopted, or that a death kept out of the state. */
  private readonly loose = new Set<string>();
  /** Ids of rules that people created, whoever owns them now. */
  private readonly byPeople = new Set<string>();
  /** Contents of rules that others have created too, so that nobody knows who owns which. */
  private readonly twins = new Set<string>();
  /** Rules before the stack's first change; undefined if the stack has no entry point here, or if nobody knows. */
  private found: readonly { readonly id: string; readonly content: string }[] | undefined;
  /** Contents of rules found then, also of rules deleted since: a destroy may restore rules that the stack adopted. */
  private everFound = new Set<string>();
  /** Whether somebody has changed the list since, or something was lost. */
  private isDisturbed = false;
  /** Whether somebody has moved a rule during an operation. */
  private isReordered = false;

  constructor(
    private readonly zone: Zone,
    rules: readonly ZoneRule[],
  ) {
    for (const rule of rules) this.strangers.set(rule.id, JSON.stringify(rule));
  }

  /** Notes the rules that the stack found before its first change; undefined if nobody knows them. */
  begin(rules: readonly ZoneRule[] | undefined): void {
    this.found = rules?.map((rule) => ({ id: rule.id, content: contentOf(rule) }));
    this.everFound = new Set(this.found?.map(({ content }) => nameless(content)));
    this.isDisturbed = false;
  }

  moved(): void {
    this.isDisturbed = true;
    this.isReordered = true;
  }

  /** Notes that an operation with this program begins. */
  watch(program: Declarations): void {
    this.isReordered = false;
    this.declares(program);
  }

  /** Notes that somebody added a rule. `live`: the rules before. */
  added(rule: ZoneRule, live: readonly ZoneRule[]): void {
    const content = nameless(contentOf(rule));
    const isLikeOurs = live.some(
      (other) => !this.strangers.has(other.id) && nameless(contentOf(other)) === content,
    );
    // A rule that was written again counts as a copy.
    if (isLikeOurs) {
      this.copied(rule);
      return;
    }
    this.isDisturbed = true;
    this.byPeople.add(rule.id);
    this.strangers.set(rule.id, JSON.stringify(rule));
  }

  /** Notes a copy of a rule, which the stack may not be able to distinguish from its own rule. */
  copied(rule: ZoneRule): void {
    this.isDisturbed = true;
    this.byPeople.add(rule.id);
    this.twins.add(nameless(contentOf(rule)));
    this.loose.add(rule.id);
  }

  deleted(id: string): void {
    this.isDisturbed = true;
    this.strangers.delete(id);
    this.loose.delete(id);
    this.found = this.found?.filter((rule) => rule.id !== id);
  }

  edited(after: ZoneRule): void {
    this.isDisturbed = true;
    // If the stack overwrites it later, a destroy restores this version.
    this.everFound.add(nameless(contentOf(after)));
    if (this.strangers.has(after.id)) this.strangers.set(after.id, JSON.stringify(after));
    else this.loose.add(after.id);
    this.found = this.found?.filter((rule) => rule.id !== after.id);
  }

  /** Notes that these rules may not be in the state from now on. */
  loosen(ids: readonly string[]): void {
    for (const id of ids) if (!this.strangers.has(id)) this.loose.add(id);
  }

  /** Notes that these rules have left the checkpoint, or that it has other ones. */
  forgotten(rules: readonly ZoneRule[]): void {
    this.isDisturbed = true;
    this.found = undefined;
    // A new checkpoint does not know who owns a copy, so the stack may adopt it.
    for (const rule of rules) if (this.twins.has(nameless(contentOf(rule)))) this.strangers.delete(rule.id);
    this.loosen(rules.map(({ id }) => id));
  }

  private declares(program: Declarations): void {
    for (const { rules, foreignRules } of entriesIn(program, this.zone)) {
      for (const rule of this.ofOthers()) {
        const { id } = rule;
        const isTwin = rules.some((content) => isDeclared(content, rule));
        if (isTwin) this.twins.add(nameless(contentOf(rule)));
        if (foreignRules === "overwrite" || isTwin) {
          this.strangers.delete(id);
          this.loose.add(id);
        }
      }
    }
  }

  /** Returns the unmanaged rules, also those that were added during an operation. */
  ofOthers(): readonly ZoneRule[] {
    return [...this.strangers.values()].map((bytes): ZoneRule => JSON.parse(bytes));
  }

  /** Notes that the state has this rule, by its id or by its content. */
  claimed(id: string): void {
    if (this.strangers.delete(id)) this.loose.add(id);
  }

  /** Checks the rules after an operation. `isOnTwo`: whether two resources have the list, after a rename without an alias. */
  judge(live: readonly ZoneRule[], operation: Course, isOnTwo: boolean): void {
    const { programs, before, recorded, mayHaveLost } = operation;
    for (const one of programs) this.declares(one);
    this.expectUntouched(live);
    const order = (rules: readonly ZoneRule[]) =>
      rules.map(({ id }) => id).filter((id) => this.strangers.has(id));
    const was = order(before.rules[this.zone]);
    const is = order(live).filter((id) => was.includes(id));
    if (!this.isReordered) assert.deepEqual(is, was, "unmanaged rules were reordered");
    this.expectIdentity(live, operation);
    if (!isOnTwo) this.expectNoTheft(live, operation);
    for (const { id } of live) {
      if (recorded.has(id)) this.loose.delete(id);
      else if (mayHaveLost && !this.strangers.has(id)) this.loose.add(id);
    }
    if (mayHaveLost) this.noteLoss(live, programs);
    else this.noteSeen(live, operation);
  }

  /** Notes that rules which a refresh has seen but not adopted are unmanaged from now on. */
  private noteSeen(live: readonly ZoneRule[], operation: Course): void {
    const { program, refresh, failure, isDisturbed, recorded } = operation;
    if (!refresh || failure !== "" || isDisturbed || entriesIn(program, this.zone).length === 0) return;
    for (const rule of live) {
      if (!this.byPeople.has(rule.id) || recorded.has(rule.id) || !this.loose.delete(rule.id)) continue;
      this.strangers.set(rule.id, JSON.stringify(rule));
    }
  }

  /** Checks that the stack adopts no unmanaged rule if it already has a rule of its own for each declared one. */
  private expectNoTheft(live: readonly ZoneRule[], operation: Course): void {
    const { programs, before, recorded, recordedBefore, mayHaveLost, failure, writesTo } = operation;
    const entries = programs.flatMap((program) => entriesIn(program, this.zone));
    // After a destroy that was cut off, only the state has the rules: a copy of one that is already gone counts as found again.
    if (entries.length === 0) return;
    const isSure = [...writesTo].every((path) => path.endsWith("/entrypoint"));
    if (mayHaveLost || failure !== "" || !isSure) return;
    if (entries.some(({ foreignRules, name }) => foreignRules === "overwrite" || operation.isNew(name)))
      return;
    const was = before.rules[this.zone];
    for (const rule of live) {
      const isTaken = recorded.has(rule.id) && !recordedBefore.has(rule.id) && rule.ref === rule.id;
      const earlier = was.find(({ id }) => id === rule.id);
      if (!isTaken || !this.byPeople.has(rule.id) || !earlier) continue;
      const hasRoom = (taken: ZoneRule) => {
        const declared = entries
          .flatMap(({ rules }) => rules)
          .filter((content) => content.ref === undefined && isDeclared(content, taken));
        const own = was.filter(
          (other) =>
            recordedBefore.has(other.id) && other.ref === other.id && contentOf(other) === contentOf(taken),
        );
        return own.length < declared.length;
      };
      // Somebody may have edited the rule right before or right after its adoption.
      assert.ok([earlier, rule].some(hasRoom), "the stack adopted an unmanaged rule although it had its own");
    }
  }

  /** Notes losses: an unmanaged rule that a write outside of the state overwrote looks deleted or edited. */
  noteLoss(live: readonly ZoneRule[], programs: readonly Declarations[]): void {
    this.isDisturbed = true;
    const entries = programs.flatMap((program) => entriesIn(program, this.zone));
    if (!entries.some(({ foreignRules }) => foreignRules === "overwrite")) return;
    const there = new Map(live.map((rule) => [rule.id, contentOf(rule)]));
    // The overwritten version may also stay.
    for (const { id } of this.found ?? []) this.everFound.add(nameless(there.get(id) ?? "{}"));
    this.found = this.found?.filter(({ id, content }) => there.get(id) === content);
  }

  /** Checks that a rule keeps its id if it is edited and keeps its `ref`. */
  private expectIdentity(live: readonly ZoneRule[], operation: Course): void {
    const { program, before, recordedBefore, mayHaveLost, failure, isDisturbed, isNew } = operation;
    if (mayHaveLost || isDisturbed || failure !== "") return;
    for (const entry of entriesIn(program, this.zone)) {
      if (isNew(entry.name)) continue;
      for (const { ref } of entry.rules) {
        const was = before.rules[this.zone].find((rule) => rule.ref === ref && recordedBefore.has(rule.id));
        const is = live.find((rule) => rule.ref === ref);
        if (ref !== undefined && was) assert.equal(is?.id, was.id, `the rule ${ref} has got another id`);
      }
    }
  }

  expectDeclared(live: readonly ZoneRule[], program: Declarations, recorded: readonly string[]): void {
    this.expectUntouched(live);
    const [entry] = entriesIn(program, this.zone);
    const ours = live.filter(({ id }) => recorded.includes(id));
    if (entry) {
      assert.equal(ours.length, entry.rules.length, "each declared rule is there");
      entry.rules.forEach((content, index) => {
        const rule = ours[index];
        assert.ok(rule && isDeclared(content, rule), `not as declared, or not in its place: ${content.name}`);
      });
      // Equal rules may replace each other.
      assert.equal(recorded.length, ours.length, "the state has exactly these rules");
      if (entry.foreignRules === "overwrite") assert.equal(live.length, entry.rules.length, "nothing else");
    }
    const others = live.filter(({ id }) => !recorded.includes(id) && !this.strangers.has(id));
    assert.deepEqual(
      others.filter((rule) => !this.loose.has(rule.id) && !this.twins.has(nameless(contentOf(rule)))),
      [],
      "rules without an owner",
    );
  }

  /** Notes that the stack has released the zone, so that all its rules are unmanaged. */
  released(live: readonly ZoneRule[]): void {
    this.found = undefined;
    this.loose.clear();
    for (const rule of live) this.strangers.set(rule.id, JSON.stringify(rule));
  }

  /** Checks the rules after an undisturbed destroy, by the `onDestroy` in the state. */
  expectReleased(live: readonly ZoneRule[], before: readonly ZoneRule[], record: Properties): void {
    this.expectUntouched(live);
    const { onDestroy } = record;
    if (onDestroy === "keep") {
      assert.deepEqual(live, before, "everything stays");
      return;
    }
    if (onDestroy === "remove") {
      const recorded = ruleIdsIn(record);
      const there = new Set(live.map(({ id }) => id));
      const others = before.filter(({ id }) => !recorded.includes(id));
      // Rules without an id in the state are identified by their content. `expectUntouched` has checked the unmanaged rules.
      const meant = meantByContent(record, before);
      const gone = others.filter((rule) => !there.has(rule.id) && !meant.includes(rule));
      assert.deepEqual(gone, [], "only ours are gone");
      const left = others.filter(({ id }) => there.has(id));
      assert.deepEqual(live, left, "only ours are gone");
      return;
    }
    if (!this.found) return;
    const wanted = this.found.map(({ content }) => content);
    const left = live.map(contentOf);
    if (!this.isDisturbed) {
      assert.deepEqual(left, wanted, "the list is as it was found");
      return;
    }
    const names = new Set(live.map(({ ref }) => ref));
    for (const content of wanted) {
      // A rule is restored without its `ref` if somebody has given the `ref` to another rule since.
      const { ref } = JSON.parse(content);
      const isThere = left.includes(content) || (names.has(ref) && left.includes(nameless(content)));
      assert.ok(isThere, `what was found first is gone: ${content}`);
    }
    const isFound = (rule: ZoneRule) => this.everFound.has(nameless(contentOf(rule)));
    const orphans = live.filter(
      (rule) =>
        !this.strangers.has(rule.id) &&
        !this.loose.has(rule.id) &&
        !this.twins.has(nameless(contentOf(rule))) &&
        !isFound(rule),
    );
    assert.deepEqual(orphans, [], "left behind");
  }

  private expectUntouched(live: readonly ZoneRule[]): void {
    const now = new Map(live.map((rule) => [rule.id, JSON.stringify(rule)]));
    for (const [id, bytes] of this.strangers)
      assert.equal(now.get(id), bytes, "an unmanaged rule was changed");
  }
}

export function entriesIn(program: Declarations, zone: Zone): EntryDeclaration[] {
  return [...program.values()].flatMap((one) => (one.kind === "entry" && one.zone === zone ? [one] : []));
}
