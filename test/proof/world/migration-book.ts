import assert from "node:assert/strict";
import type { JournalEntry, Simulator } from "../../../simulator/src";
import type { Recorded } from "../../provider/small-engine/checkpoint";
import { contentOf } from "../../provider/small-engine/short-rule";
import { isMigration } from "./conduct";
import { type Declarations, zones } from "./declarations";

/** What became of the one-way migration of zone `m`, by what its update was sent over. */
export class MigrationBook {
  private wasFinishDeclared = false;
  private isDisturbed = false;
  private repeated = 0;
  /** Updates that were accepted since the last judgement. */
  private accepted = 0;
  /** What the last accepted update has written. */
  private written = "[]";
  /** What was there when the update arrived that is being carried out. */
  private there = "[]";
  /** What somebody has done to the list that an update has undone. */
  private undone: string | undefined;

  constructor(private readonly sim: Simulator) {}

  /** `isDisturbed`: somebody is going to be at work in the zone, maybe between a look and the update. */
  declares(program: Declarations, isDisturbed: boolean): void {
    this.accepted = 0;
    this.isDisturbed = isDisturbed;
    for (const one of program.values())
      if (one.kind === "migration" && one.stage === "finished") this.wasFinishDeclared = true;
  }

  arrived(entry: JournalEntry): void {
    if (isMigration(entry)) this.there = this.list();
  }

  processed(entry: JournalEntry): void {
    if (!isMigration(entry) || !entry.changed) return;
    this.accepted += 1;
    const now = this.list();
    const isEdited = this.there !== this.written && this.there !== "[]";
    if (isEdited && now !== this.there && !this.isDisturbed) this.undone ??= this.there;
    this.written = now;
  }

  /**
   * `isAlone`: no other process was at work in the zone. Of two that have looked, one may come too late. `isRecorded`:
   * undefined where a death may have taken the record.
   */
  judge(isAlone: boolean, isRecorded: boolean | undefined): void {
    if (this.accepted > 0) assert.notEqual(isRecorded, false, "an update was accepted, and is on no record");
    this.accepted = 0;
    const { waf } = this.sim.zones.get(zones.m);
    assert.ok(waf.acceptedPending <= 1, `${waf.acceptedPending} finishes were accepted`);
    if (isAlone)
      assert.equal(waf.repeatedPending, this.repeated, "a finish was sent although one was accepted already");
    this.repeated = waf.repeatedPending;
    assert.ok(this.wasFinishDeclared || waf.acceptedPending === 0, "a finish by accident");
    assert.equal(this.undone, undefined, "a migration update has undone what somebody did to the rules");
  }

  /** A finish that was accepted is known to whoever has it on record, however little the service says of it yet. */
  expectRecognised(failure: string, record: Recorded | undefined): void {
    const { stage } = this.sim.zones.get(zones.m).waf;
    const isOver = stage === "new" || stage === "finishing";
    const { mode } = Object(record?.outputs["attempt"] ?? {});
    assert.ok(
      !(isOver && mode === "pending" && /not eligible|no previous configuration/.test(failure)),
      "a finish that is on record, and was accepted, is not recognised",
    );
  }

  private list(): string {
    return JSON.stringify((this.sim.zones.get(zones.m).entrypoint?.rules ?? []).map(contentOf));
  }
}
