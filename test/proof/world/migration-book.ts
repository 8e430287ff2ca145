import assert from "node:assert/strict";
import type { JournalEntry, Simulator } from "../../../simulator/src";
import type { ZoneWaf } from "../../../simulator/src/state/zone";
import type { Recorded } from "../../provider/small-engine/checkpoint";
import { contentOf } from "../../provider/small-engine/short-rule";
import { isMigration } from "./conduct";
import { type Declarations, type MigrationDeclaration, zones } from "./declarations";

/** Status values whose meaning a client cannot know. */
export const unreadable = { on: "A", off: "B" } as const;

/** Whether a client can understand what the service reports about the migration of a zone. */
function isReadable({ statusValues, stateNames }: ZoneWaf): boolean {
  return statusValues.on !== unreadable.on && ["validation", "2"].includes(stateNames.validation);
}

export function isOver({ stage }: ZoneWaf): boolean {
  return stage === "new" || stage === "finishing";
}

/** Whether a validation looks finished: the previous WAF was always off, and the names do not tell the stage. */
export function looksOver(waf: ZoneWaf): boolean {
  return waf.stage === "validation" && !waf.oldEnabled && !isReadable(waf);
}

/** Book about the migration of zone `m`, which cannot be undone. */
export class MigrationBook {
  private wasFinishDeclared = false;
  private isDisturbed = false;
  /** Whether at most one process worked at any time. */
  private isAlone = true;
  /** The first request after which the migration was finished, by the stack or by others. */
  private over: JournalEntry | undefined;
  private repeated = 0;
  /** Number of updates that were accepted since the last call of `judge`. */
  private accepted = 0;
  /** Rules that the last accepted update wrote. */
  private written = "[]";
  /** Rules in the zone when the current update arrived. */
  private there = "[]";
  /** Whether the first validation was sent after a read that could not show a recent edit of the list yet. */
  private isEditHidden = false;
  /** Rules with another person's edit that an update has undone. */
  private undone: string | undefined;

  constructor(private readonly sim: Simulator) {}

  /** Notes the program of an operation. `isDisturbed`: whether somebody edits the zone meanwhile, maybe before the update. */
  declares(program: Declarations, isDisturbed: boolean): void {
    this.accepted = 0;
    this.isDisturbed = isDisturbed;
    for (const one of program.values())
      if (one.kind === "migration" && one.stage === "finished") this.wasFinishDeclared = true;
  }

  arrived(entry: JournalEntry): void {
    if (!isMigration(entry)) return;
    this.there = this.list();
    const { lagsEverywhere, lagMs, listLag } = this.sim.zones.get(zones.m).waf;
    // The list of rules either never lags, or lags as long as all other reads.
    const seen = this.sim.journal.findLast(
      ({ userAgent, method, path }) =>
        userAgent === entry.userAgent && method === "GET" && path.endsWith("/entrypoint"),
    );
    const isValidation = entry.query["waf_migration"] !== "pending";
    const isListBehind = seen !== undefined && listLag !== null && seen.at < listLag.until;
    this.isEditHidden = isValidation && this.written === "[]" && isListBehind;
    if (isValidation) return;
    const isBefore = !this.over || (seen !== undefined && seen.seq < this.over.seq);
    const isBehind = this.over && seen && lagsEverywhere && seen.at < this.over.at + lagMs;
    assert.ok(seen && (isBefore || isBehind), "a finish was sent after a read that showed a finish");
  }

  processed(entry: JournalEntry): void {
    if (isOver(this.sim.zones.get(zones.m).waf)) this.over ??= entry;
    if (!isMigration(entry) || !entry.changed) return;
    this.accepted += 1;
    const now = this.list();
    const isEdited = this.there !== this.written && this.there !== "[]";
    if (isEdited && now !== this.there && !this.isDisturbed && !this.isEditHidden) this.undone ??= this.there;
    this.written = now;
  }

  /**
   * Checks the migration after an operation. `isAlone`: whether no other process worked in the zone; if two have read it, one
   * may come too late. `isRecorded`: whether the state has the migration; undefined if a death may have removed it.
   */
  judge(isAlone: boolean, isRecorded: boolean | undefined): void {
    if (this.accepted > 0)
      assert.notEqual(isRecorded, false, "an update was accepted, and is not in the state");
    this.accepted = 0;
    const { waf } = this.sim.zones.get(zones.m);
    if (!isAlone) this.isAlone = false;
    // If two processes have read the zone, only the service can refuse the second update.
    if (this.isAlone || waf.repeats === "refuse")
      assert.ok(waf.acceptedPending <= 1, `${waf.acceptedPending} finishes were accepted`);
    if (isAlone)
      assert.equal(waf.repeatedPending, this.repeated, "a finish was sent although one was accepted already");
    this.repeated = waf.repeatedPending;
    assert.ok(this.wasFinishDeclared || waf.acceptedPending === 0, "a finish by accident");
    assert.equal(this.undone, undefined, "a migration update has undone what somebody did to the rules");
  }

  /** Checks that an accepted finish in the state is recognised, even if the service does not report it yet. */
  expectRecognised(failure: string, record: Recorded | undefined): void {
    const { waf } = this.sim.zones.get(zones.m);
    const { acceptedPending, acceptedValidation } = waf;
    const { mode, outcome } = Object(record?.outputs["attempt"] ?? {});
    const accepted = mode === "pending" ? acceptedPending : acceptedValidation;
    assert.ok(
      outcome !== "accepted" || accepted > 0,
      "the state has an update as accepted that the service never accepted",
    );
    assert.ok(
      !(isOver(waf) && mode === "pending" && /not eligible|no previous configuration/.test(failure)),
      "an accepted finish in the state is not recognised",
    );
  }

  /** Checks that the zone is at the declared stage, as far as a client can know. */
  expectDeclared({ stage: wanted }: MigrationDeclaration): void {
    const { waf } = this.sim.zones.get(zones.m);
    // A migration that people have finished stays finished under any declaration.
    const isFinishedByPeople = waf.acceptedPending === 0;
    const ends = wanted === "validation" ? ["validation"] : [];
    if (wanted === "finished" || isFinishedByPeople) ends.push("finishing", "new");
    if (wanted === "finished" && looksOver(waf)) ends.push("validation");
    assert.ok(ends.includes(waf.stage), `${wanted} is declared, and the zone is ${waf.stage}`);
  }

  private list(): string {
    return JSON.stringify((this.sim.zones.get(zones.m).entrypoint?.rules ?? []).map(contentOf));
  }
}
