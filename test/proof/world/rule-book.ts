import assert from "node:assert/strict";
import type { ZoneRule } from "../../../simulator/src";
import type { Properties } from "../../provider/small-engine/checkpoint";
import { contentOf, isDeclared, nameless } from "../../provider/small-engine/short-rule";
import { meantByContent, ruleIdsIn } from "./checkpoint";
import type { Course } from "./course";
import type { Declarations, EntryDeclaration, Zone } from "./declarations";

/** Whose each rule of a zone's entry point is, by what people and programs did. */
export class RuleBook {
  /** Rules of others that nobody may touch or reorder: id to bytes. */
  private readonly strangers = new Map<string, string>();
  /** Those that the stack may have taken for its own, or that a death has left without a record. */
  private readonly loose = new Set<string>();
  /** Those that people have made, whosever they are by now. */
  private readonly byPeople = new Set<string>();
  /** Contents that others have made, too: which of two is whose, nobody can tell. */
  private readonly twins = new Set<string>();
  /** As found before the stack's first change; undefined: the stack has no entry point here, or nobody can tell. */
  private found: readonly { readonly id: string; readonly content: string }[] | undefined;
  /** What it held then: also what somebody has deleted since, which may come back if the stack had taken it over. */
  private everFound = new Set<string>();
  /** Somebody has changed the list since, or something was lost. */
  private isDisturbed = false;
  /** Somebody has moved a rule in the middle of an operation. */
  private isReordered = false;

  constructor(
    private readonly zone: Zone,
    rules: readonly ZoneRule[],
  ) {
    for (const rule of rules) this.strangers.set(rule.id, JSON.stringify(rule));
  }

  /** The stack has made its first change. Undefined: nobody can tell what it has found. */
  begin(rules: readonly ZoneRule[] | undefined): void {
    this.found = rules?.map((rule) => ({ id: rule.id, content: contentOf(rule) }));
    this.everFound = new Set(this.found?.map(({ content }) => nameless(content)));
    this.isDisturbed = false;
  }

  moved(): void {
    this.isDisturbed = true;
    this.isReordered = true;
  }

  /** An operation begins. */
  watch(program: Declarations): void {
    this.isReordered = false;
    this.declares(program);
  }

  /** `live`: what was there before. */
  added(rule: ZoneRule, live: readonly ZoneRule[]): void {
    const content = nameless(contentOf(rule));
    const isLikeOurs = live.some(
      (other) => !this.strangers.has(other.id) && nameless(contentOf(other)) === content,
    );
    // Whether it was copied or written once more makes no difference.
    if (isLikeOurs) {
      this.copied(rule);
      return;
    }
    this.isDisturbed = true;
    this.byPeople.add(rule.id);
    this.strangers.set(rule.id, JSON.stringify(rule));
  }

  /** A copy of a rule that the stack may not be able to tell from its own. */
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
    // Overwritten later, it comes back as it is now.
    this.everFound.add(nameless(contentOf(after)));
    if (this.strangers.has(after.id)) this.strangers.set(after.id, JSON.stringify(after));
    else this.loose.add(after.id);
    this.found = this.found?.filter((rule) => rule.id !== after.id);
  }

  /** These may be on no record from now on. */
  loosen(ids: readonly string[]): void {
    for (const id of ids) if (!this.strangers.has(id)) this.loose.add(id);
  }

  /** The checkpoint has forgotten these, or has other ones on record. */
  forgotten(rules: readonly ZoneRule[]): void {
    this.isDisturbed = true;
    this.found = undefined;
    // Who has not seen whose a rule is may find his own in it.
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

  /** Also those that came in the middle of an operation. */
  ofOthers(): readonly ZoneRule[] {
    return [...this.strangers.values()].map((bytes): ZoneRule => JSON.parse(bytes));
  }

  /** A record says that this is the stack's, by its id or by what it says. */
  claimed(id: string): void {
    if (this.strangers.delete(id)) this.loose.add(id);
  }

  /** `isOnTwo`: two resources have the list in their states, and neither has read the other one's (a rename without an alias). */
  judge(live: readonly ZoneRule[], operation: Course, isOnTwo: boolean): void {
    const { programs, before, recorded, mayHaveLost } = operation;
    for (const one of programs) this.declares(one);
    this.expectUntouched(live);
    const order = (rules: readonly ZoneRule[]) =>
      rules.map(({ id }) => id).filter((id) => this.strangers.has(id));
    const was = order(before.rules[this.zone]);
    const is = order(live).filter((id) => was.includes(id));
    if (!this.isReordered) assert.deepEqual(is, was, "rules of others were put into another order");
    this.expectIdentity(live, operation);
    if (!isOnTwo) this.expectNoTheft(live, operation);
    for (const { id } of live) {
      if (recorded.has(id)) this.loose.delete(id);
      else if (mayHaveLost && !this.strangers.has(id)) this.loose.add(id);
    }
    if (mayHaveLost) this.noteLoss(live, programs);
    else this.noteSeen(live, operation);
  }

  /** What the stack has seen and not taken for its own is somebody else's from now on, whatever it is like. */
  private noteSeen(live: readonly ZoneRule[], operation: Course): void {
    const { program, refresh, failure, isDisturbed, recorded } = operation;
    if (!refresh || failure !== "" || isDisturbed || entriesIn(program, this.zone).length === 0) return;
    for (const rule of live) {
      if (!this.byPeople.has(rule.id) || recorded.has(rule.id) || !this.loose.delete(rule.id)) continue;
      this.strangers.set(rule.id, JSON.stringify(rule));
    }
  }

  /** A rule of somebody else is not taken over where the stack had one of its own for all that it declares. */
  private expectNoTheft(live: readonly ZoneRule[], operation: Course): void {
    const { programs, before, recorded, recordedBefore, mayHaveLost, failure, writesTo } = operation;
    const entries = programs.flatMap((program) => entriesIn(program, this.zone));
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
      // Somebody may have edited it before it was taken over, or right after that.
      assert.ok([earlier, rule].some(hasRoom), "somebody else's rule was taken for the stack's own");
    }
  }

  /** Overwritten by a write that is on no record, a rule of others looks as if somebody had deleted or edited it. */
  noteLoss(live: readonly ZoneRule[], programs: readonly Declarations[]): void {
    this.isDisturbed = true;
    const entries = programs.flatMap((program) => entriesIn(program, this.zone));
    if (!entries.some(({ foreignRules }) => foreignRules === "overwrite")) return;
    const there = new Map(live.map((rule) => [rule.id, contentOf(rule)]));
    // As it was overwritten it may stay, too.
    for (const { id } of this.found ?? []) this.everFound.add(nameless(there.get(id) ?? "{}"));
    this.found = this.found?.filter(({ id, content }) => there.get(id) === content);
  }

  /** A rule that is edited under its name stays the same rule: whatever speaks of its id goes on speaking of it. */
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
      // Twins may stand for one another.
      assert.equal(recorded.length, ours.length, "the record names just these rules");
      if (entry.foreignRules === "overwrite") assert.equal(live.length, entry.rules.length, "nothing else");
    }
    const others = live.filter(({ id }) => !recorded.includes(id) && !this.strangers.has(id));
    assert.deepEqual(
      others.filter((rule) => !this.loose.has(rule.id) && !this.twins.has(nameless(contentOf(rule)))),
      [],
      "rules of nobody",
    );
  }

  /** The stack has let go of the zone: whatever is there now is somebody else's to it. */
  released(live: readonly ZoneRule[]): void {
    this.found = undefined;
    this.loose.clear();
    for (const rule of live) this.strangers.set(rule.id, JSON.stringify(rule));
  }

  /** What a destroy has left that nothing has disturbed, where the resource was to be let go of in that way. */
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
      // Without their ids the rules are known by what they say; and nobody's was touched, as was seen above.
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
      // A name that somebody has given to another rule since does not come back with its rule.
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
      assert.equal(now.get(id), bytes, "somebody else's rule was touched");
  }
}

export function entriesIn(program: Declarations, zone: Zone): EntryDeclaration[] {
  return [...program.values()].flatMap((one) => (one.kind === "entry" && one.zone === zone ? [one] : []));
}
