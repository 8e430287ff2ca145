import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Simulator } from "../../../simulator/src";
import type { Backup } from "../../provider/small-engine/checkpoint";
import {
  meantByContent,
  namesIn,
  policyIdsByName,
  recordedIds,
  recordedIn,
  ruleIdsOf,
  ruleIdsOfGone,
} from "./checkpoint";
import type { Course } from "./course";
import { type Declarations, ourZones, type Zone } from "./declarations";
import { type Picture, pictureOf } from "./picture";
import { PolicyBook } from "./policy-book";
import { RuleBook } from "./rule-book";
import { declaredIn, expectLetGo, SettingsBook, type Switches, switchesOf } from "./settings-book";

/** Settings of each zone when its resource in the checkpoint first read them. */
export type Initial = ReadonlyMap<Zone, Partial<Switches>>;

/** Books about each zone: who owns each object, what the stack found first, and what has to remain. */
export class Books {
  readonly of: Readonly<Record<Zone, { policies: PolicyBook; rules: RuleBook; settings: SettingsBook }>>;
  initial: Initial = new Map();

  constructor(found: Picture) {
    const bookOf = (zone: Zone) => ({
      policies: new PolicyBook(zone, found.policies[zone]),
      rules: new RuleBook(zone, found.rules[zone]),
      settings: new SettingsBook(zone, found.settings[zone]),
    });
    this.of = { a: bookOf("a"), b: bookOf("b"), m: bookOf("m") };
  }

  declares(program: Declarations): void {
    for (const zone of ourZones) {
      const { policies, rules, settings } = this.of[zone];
      policies.declares(program);
      rules.watch(program);
      settings.declares(program);
    }
  }

  /** Checks the result of an operation. `isStale`: whether only a refresh can find out the truth from now on. */
  judge(course: Course): { readonly isStale: boolean } {
    const { after, mayHaveLost, isDisturbed, failure } = course;
    if (!mayHaveLost && !isDisturbed) this.expectRecorded(course);
    const before = this.initial;
    for (const zone of ourZones) {
      this.noteBeginning(zone, course);
      const { policies, rules, settings } = this.of[zone];
      policies.judge(after.policies[zone], course);
      // An exact copy of a rule whose id is not in the state counts as that rule, because nobody can distinguish them.
      const records = recordedIn(course.backupBefore, zone, "e");
      for (const record of records)
        for (const { id } of meantByContent(record, [...course.before.rules[zone], ...rules.ofOthers()]))
          rules.claimed(id);
      if (zone !== "m") rules.judge(after.rules[zone], course, records.length > 1);
      settings.judge(after.settings[zone]);
    }
    const isCalm = failure === "" && !mayHaveLost && !isDisturbed;
    return { isStale: this.noteRelease(course, isCalm ? before : undefined) };
  }

  /** Checks that the zones equal the program, and that the state equals the zones. */
  expectDeclared(sim: Simulator, backup: Backup, program: Declarations): void {
    const { policies, rules, settings } = pictureOf(sim);
    for (const zone of ourZones) {
      const book = this.of[zone];
      book.policies.expectDeclared(policies[zone], program, policyIdsByName(backup, zone));
      if (zone !== "m") book.rules.expectDeclared(rules[zone], program, ruleIdsOf(backup, zone));
      book.settings.expectDeclared(settings[zone], program);
    }
  }

  /** Notes that a provider continued after its CLI died: the objects that it created are not in the state. */
  orphaned(before: Picture, after: Picture, program: Declarations): void {
    for (const zone of ourZones) {
      const known = new Set([...before.policies[zone], ...before.rules[zone]].map(({ id }) => id));
      const idsOf = (made: readonly { readonly id: string }[]) =>
        made.map(({ id }) => id).filter((id) => !known.has(id));
      this.of[zone].policies.forgotten(idsOf(after.policies[zone]));
      this.of[zone].rules.loosen(idsOf(after.rules[zone]));
      this.of[zone].rules.noteLoss(after.rules[zone], [program]);
    }
  }

  /** Notes that another checkpoint has replaced the one of the stack. */
  replaced(before: Backup, now: Backup, live: Picture, initial: Initial): void {
    const known = recordedIds(before);
    for (const zone of ourZones) {
      const { policies, rules } = this.of[zone];
      policies.forgotten(live.policies[zone].map(({ id }) => id).filter((id) => known.has(id)));
      rules.forgotten(live.rules[zone]);
      for (const id of recordedIds(now)) {
        policies.claimed(id);
        rules.claimed(id);
      }
    }
    this.initial = initial;
  }

  /** Notes what a new resource in the checkpoint found, because a destroy restores that. */
  private noteBeginning(zone: Zone, course: Course): void {
    const { backupBefore, backup, before, mayHaveLost, isDisturbed, isSwitchDisturbed } = course;
    const fresh = (letter: string) => {
      const known = namesIn(backupBefore, zone, letter);
      return namesIn(backup, zone, letter).find((name) => !known.includes(name) || course.isMadeAnew(name));
    };
    const next = new Map(this.initial);
    const settings = recordedIn(backup, zone, "s");
    const newSettings = fresh("s");
    if (settings.length === 0) next.delete(zone);
    else if (newSettings !== undefined) {
      const [, record] = backup.state.find(([name]) => name === newSettings) ?? [];
      const isAmbiguous = mayHaveLost || isSwitchDisturbed || course.mayBeDeletedFirst(newSettings);
      const found: Partial<Switches> = isAmbiguous
        ? Object(record?.outputs["initial"])
        : switchesOf(before.settings[zone]);
      next.set(zone, found);
    }
    // If one of two resources for a zone is left, a destroy restores what that one found.
    const [last] = settings;
    if (recordedIn(backupBefore, zone, "s").length > 1 && last) next.set(zone, Object(last["initial"]));
    this.initial = next;
    const [predecessor] = namesIn(backupBefore, zone, "e");
    const { rules } = this.of[zone];
    // Its deletion restored rules, which the new resource then found. Nobody else has seen that list.
    if (predecessor !== undefined && course.mayBeDeletedFirst(predecessor))
      rules.forgotten(course.after.rules[zone]);
    if (fresh("e") === undefined) return;
    // Changes by others may have come before or after the resource read the list. A predecessor may still wait for its deletion.
    if (recordedIn(backupBefore, zone, "e").length === 0)
      rules.begin(mayHaveLost || isDisturbed ? undefined : before.rules[zone]);
    // A renamed or recreated resource adopts the rules of the old one, or they are unmanaged from now on.
    else rules.forgotten(before.rules[zone]);
  }

  /** Checks that resources that left the state released their objects as declared, if nothing interfered (`found` is given). */
  private noteRelease(course: Course, found: Initial | undefined): boolean {
    const { program, backupBefore, backup, before, after, isOrphaned, isReading } = course;
    // A resource that waits for its deletion also releases its objects, in its own way. If it was deleted first, it is gone for
    // the engine, even if a death kept the work of its successor out of the state.
    const isWhole = backupBefore.state.every(([, { isPendingReplacement }]) => !isPendingReplacement);
    const initial = backupBefore.pending.length === 0 && isWhole ? found : undefined;
    let isStale = false;
    for (const zone of ourZones) {
      const { rules, settings } = this.of[zone];
      const entries = recordedIn(backupBefore, zone, "e");
      const [entry] = entries;
      // Rules that a renamed resource has not read stay as unmanaged rules.
      const left = recordedIn(backup, zone, "e");
      if (left.length > 0) rules.loosen(ruleIdsOfGone(backupBefore, backup, zone));
      // After an interrupted rename that was undone, two resources have the zone, and each leaves it to the other.
      if (entries.length > 1 || recordedIn(backupBefore, zone, "s").length > 1) isStale = true;
      if (entries.length > 1) rules.loosen(after.rules[zone].map(({ id }) => id));
      if (entry && left.length === 0) {
        if (initial && entries.length === 1)
          rules.expectReleased(after.rules[zone], before.rules[zone], entry);
        if (isOrphaned) rules.forgotten(after.rules[zone]);
        else rules.released(after.rules[zone]);
      }
      const [switched, another] = recordedIn(backupBefore, zone, "s");
      if (initial && switched && !another && recordedIn(backup, zone, "s").length === 0) {
        const was = switchesOf(before.settings[zone]);
        settings.expectReleased(after.settings[zone], switched, was, initial.get(zone) ?? {});
      }
      const [name] = namesIn(backupBefore, zone, "s");
      const isKept = name !== undefined && namesIn(backup, zone, "s").includes(name) && !course.isNew(name);
      if (initial && switched && !another && isKept && !isReading)
        expectLetGo(after.settings[zone], switched, declaredIn(program, zone), initial.get(zone) ?? {});
    }
    return isStale;
  }

  /** Checks that the state has each resource that changed something, even after a failure. */
  private expectRecorded({ backupBefore, backup, before, after }: Course): void {
    const isKnown = (zone: Zone, letter: string) =>
      recordedIn(backupBefore, zone, letter).length + recordedIn(backup, zone, letter).length > 0;
    for (const zone of ourZones) {
      const wasSwitched = !isDeepStrictEqual(
        switchesOf(before.settings[zone]),
        switchesOf(after.settings[zone]),
      );
      assert.ok(!wasSwitched || isKnown(zone, "s"), "settings were changed without a record");
      const wasWritten = zone !== "m" && !isDeepStrictEqual(before.rules[zone], after.rules[zone]);
      assert.ok(!wasWritten || isKnown(zone, "e"), "a list was changed without a record");
    }
  }
}
