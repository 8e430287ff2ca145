import assert from "node:assert/strict";
import type { JournalEntry, Simulator } from "../../../simulator/src";
import type { ZoneWaf } from "../../../simulator/src/state/zone";
import type { Recorded } from "../../provider/small-engine/checkpoint";
import { contentOf } from "../../provider/small-engine/short-rule";
import { isMigration } from "./conduct";
import { type Declarations, type MigrationDeclaration, zones } from "./declarations";

/** Words of a service that nobody understands. */
export const unreadable = { on: "A", off: "B" } as const;

/** Whether what the service of a zone says of its migration can be understood. */
function isReadable({ statusValues, stateNames }: ZoneWaf): boolean {
  return statusValues.on !== unreadable.on && ["validation", "2"].includes(stateNames.validation);
}

export function isOver({ stage }: ZoneWaf): boolean {
  return stage === "new" || stage === "finishing";
}

/** In validation, where the previous WAF was off all along: as at the end, for whoever cannot read the names. */
export function looksOver(waf: ZoneWaf): boolean {
  return waf.stage === "validation" && !waf.oldEnabled && !isReadable(waf);
}

/** What became of the one-way migration of zone `m`, by what its update was sent over. */
export class MigrationBook {
  private wasFinishDeclared = false;
  private isDisturbed = false;
  /** No two processes were ever at work at the same time. */
  private isAlone = true;
  /** The first request that was answered when a finish was accepted, or made by others. */
  private over: JournalEntry | undefined;
  private repeated = 0;
  /** Updates that were accepted since the last judgement. */
  private accepted = 0;
  /** What the last accepted update has written. */
  private written = "[]";
  /** What was there when the update arrived that is being carried out. */
  private there = "[]";
  /** The first validation was sent after a look that could not show yet what somebody had just done to the list. */
  private isEditHidden = false;
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
    if (!isMigration(entry)) return;
    this.there = this.list();
    const { lagsEverywhere, lagMs, listLag } = this.sim.zones.get(zones.m).waf;
    // The list of rules never lags, or as long as all other reads do.
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
    assert.ok(seen && (isBefore || isBehind), "a finish was sent after a look at one");
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
   * `isAlone`: no other process was at work in the zone. Of two that have looked, one may come too late. `isRecorded`:
   * undefined where a death may have taken the record.
   */
  judge(isAlone: boolean, isRecorded: boolean | undefined): void {
    if (this.accepted > 0) assert.notEqual(isRecorded, false, "an update was accepted, and is on no record");
    this.accepted = 0;
    const { waf } = this.sim.zones.get(zones.m);
    if (!isAlone) this.isAlone = false;
    // Of two that have looked, only the service can refuse the second.
    if (this.isAlone || waf.repeats === "refuse")
      assert.ok(waf.acceptedPending <= 1, `${waf.acceptedPending} finishes were accepted`);
    if (isAlone)
      assert.equal(waf.repeatedPending, this.repeated, "a finish was sent although one was accepted already");
    this.repeated = waf.repeatedPending;
    assert.ok(this.wasFinishDeclared || waf.acceptedPending === 0, "a finish by accident");
    assert.equal(this.undone, undefined, "a migration update has undone what somebody did to the rules");
  }

  /** A finish that was accepted is known to whoever has it on record, however little the service says of it yet. */
  expectRecognised(failure: string, record: Recorded | undefined): void {
    const { waf } = this.sim.zones.get(zones.m);
    const { acceptedPending, acceptedValidation } = waf;
    const { mode, outcome } = Object(record?.outputs["attempt"] ?? {});
    const accepted = mode === "pending" ? acceptedPending : acceptedValidation;
    assert.ok(
      outcome !== "accepted" || accepted > 0,
      "what the service never said yes to is recorded as accepted",
    );
    assert.ok(
      !(isOver(waf) && mode === "pending" && /not eligible|no previous configuration/.test(failure)),
      "a finish that is on record, and was accepted, is not recognised",
    );
  }

  /** The zone is where the program says, as far as anybody can know. */
  expectDeclared({ stage: wanted }: MigrationDeclaration): void {
    const { waf } = this.sim.zones.get(zones.m);
    // What people have finished stays so, whatever is declared.
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
