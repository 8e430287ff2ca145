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

/** What the settings of a zone were when the resource that a checkpoint holds first looked. */
export type Initial = ReadonlyMap<Zone, Partial<Switches>>;

/** Whose what is in each zone, what was found there first, and what is to be left of it. */
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

  /** Gives whether the records are from now on such that only a refresh can tell the truth. */
  judge(course: Course): { readonly isStale: boolean } {
    const { after, mayHaveLost, isDisturbed, failure } = course;
    if (!mayHaveLost && !isDisturbed) this.expectRecorded(course);
    const before = this.initial;
    for (const zone of ourZones) {
      this.noteBeginning(zone, course);
      const { policies, rules, settings } = this.of[zone];
      policies.judge(after.policies[zone], course);
      // An exact copy of a rule that the record has no id for is taken for it: nobody could tell them apart.
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

  /** The zones are as the program declares them, and what is on record is what is there. */
  expectDeclared(sim: Simulator, backup: Backup, program: Declarations): void {
    const { policies, rules, settings } = pictureOf(sim);
    for (const zone of ourZones) {
      const book = this.of[zone];
      book.policies.expectDeclared(policies[zone], program, policyIdsByName(backup, zone));
      if (zone !== "m") book.rules.expectDeclared(rules[zone], program, ruleIdsOf(backup, zone));
      book.settings.expectDeclared(settings[zone], program);
    }
  }

  /** A provider whose CLI has died has worked on: what it made meanwhile is on no record. */
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

  /** Another checkpoint takes the place of the one that the stack had. */
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

  /** What a resource that is new in the checkpoint has found is what a destroy brings back. */
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
    // Two for one zone, of which one is left: what that one has found.
    const [last] = settings;
    if (recordedIn(backupBefore, zone, "s").length > 1 && last) next.set(zone, Object(last["initial"]));
    this.initial = next;
    const [predecessor] = namesIn(backupBefore, zone, "e");
    const { rules } = this.of[zone];
    // What its deletion has put back was there again when it was made anew: nobody else has seen that list.
    if (predecessor !== undefined && course.mayBeDeletedFirst(predecessor))
      rules.forgotten(course.after.rules[zone]);
    if (fresh("e") === undefined) return;
    // What others did in the middle came before its look, or after it. A predecessor may only be waiting for its deletion.
    if (recordedIn(backupBefore, zone, "e").length === 0)
      rules.begin(mayHaveLost || isDisturbed ? undefined : before.rules[zone]);
    // Under another name or made anew: what the old one has made is taken over, or is somebody else's from now on.
    else rules.forgotten(before.rules[zone]);
  }

  /** What is not on record any more was let go of as it was to be, where nothing came between (`found` is given). */
  private noteRelease(course: Course, found: Initial | undefined): boolean {
    const { program, backupBefore, backup, before, after, isOrphaned, isReading } = course;
    // What waits for its deletion lets go of what it had too, each in its own way; what was deleted first is gone for the
    // engine, also where a death has left its successor's work on no record.
    const isWhole = backupBefore.state.every(([, { isPendingReplacement }]) => !isPendingReplacement);
    const initial = backupBefore.pending.length === 0 && isWhole ? found : undefined;
    let isStale = false;
    for (const zone of ourZones) {
      const { rules, settings } = this.of[zone];
      const entries = recordedIn(backupBefore, zone, "e");
      const [entry] = entries;
      // What a resource under another name has not read stays as somebody else's.
      const left = recordedIn(backup, zone, "e");
      if (left.length > 0) rules.loosen(ruleIdsOfGone(backupBefore, backup, zone));
      // A change of name that was cut off and taken back: two for one zone, each of which leaves it to the other.
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

  /** Who has changed something has it on record, whatever went wrong then. */
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
