import assert from "node:assert/strict";
import type { Simulator } from "../../../provider/src/simulator";
import type { VirtualTime } from "../../virtual-time/virtual-time";
import { judge } from "./judge";
import { type Checkpoint, type Ended, Pipeline, type ProcessOptions } from "./pipeline";
import type { Attack, Scenario, Step } from "./scenario";

export interface Outcome {
  /** `unclear`: the zone tells too little for anybody to be sure, the update says so and sends nothing. */
  readonly end: "reached" | "unclear";
  /** The zone's status and state names are such as public material knows. */
  readonly isReadable: boolean;
  readonly isAlone: boolean;
  readonly ups: number;
  readonly requests: number;
  readonly sent: number;
}

const zoneId = "0123456789abcdef0123456789abcdef";
/** What the refusal to act on a zone that tells too little says, in its two forms. */
const unclear =
  /it cannot be told for sure how far the migration of the zone is|compatibility check says that the zone is not eligible/;

/** Plays a scenario to its end and judges it. Throws what is wrong. */
export async function play(sim: Simulator, time: VirtualTime, story: Scenario): Promise<Outcome> {
  sim.journal.clear();
  sim.faults.clear();
  sim.zones.seed(zoneId, { plan: story.plan, waf: story.waf, scripts: 0, connections: 0, cookies: 0 });
  const teller = new Teller(sim, time, story);
  for (const step of story.steps) await teller.take(step);
  return teller.end();
}

class Teller {
  private readonly pipeline: Pipeline;
  private stage = 0;
  private checkpoint: Checkpoint | undefined;
  private readonly backups: (Checkpoint | undefined)[] = [undefined];
  private readonly orphans: Promise<unknown>[] = [];
  private isAlone = true;
  private finishedByOthersAt: number | undefined;
  private ups = 0;

  constructor(
    private readonly sim: Simulator,
    private readonly time: VirtualTime,
    private readonly story: Scenario,
  ) {
    this.pipeline = new Pipeline(sim, time);
  }

  async take(step: Step): Promise<void> {
    switch (step.act) {
      case "up":
        this.save(await this.up(this.checkpoint, step));
        break;
      case "refresh":
        this.save(await this.pipeline.refresh(this.checkpoint, this.under(step)));
        break;
      case "orphan": {
        const going = this.up(this.checkpoint, step);
        this.orphans.push(going);
        this.isAlone = false;
        // Some of its requests are out before the next process comes.
        await Promise.race([going, this.pipeline.sent(3)]);
        break;
      }
      case "two ups": {
        this.isAlone = false;
        const [first, second] = await Promise.all([
          this.up(this.checkpoint, step.first, step.paces[0]),
          this.up(step.isOtherStack ? undefined : this.checkpoint, step.second, step.paces[1]),
        ]);
        this.save(step.keeps === "first" ? first : second);
        break;
      }
      case "next stage":
        this.stage = Math.min(this.stage + 1, this.story.stages.length - 1);
        break;
      case "lose state":
        this.checkpoint = undefined;
        break;
      case "restore backup":
        this.checkpoint = this.backups.at(-1 - step.age) ?? this.checkpoint;
        break;
      case "finish in the dashboard":
        if (this.sim.zones.get(zoneId).waf.stage !== "validation") break;
        this.finishedByOthersAt = this.sim.journal.at(-1)?.seq ?? 0;
        this.sim.dashboard.turnOffPreviousVersion(zoneId);
        break;
      case "wait":
        this.time.pass(step.ms);
        break;
    }
    this.sim.faults.clear();
    this.judge();
  }

  /** Nothing goes wrong any more: the last stage is reached within three updates, and then there is nothing left to do. */
  async end(): Promise<Outcome> {
    await Promise.all(this.orphans);
    this.judge();
    this.stage = this.story.stages.length - 1;
    const changesBefore = this.sim.changing().length;
    let last: Ended | undefined;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      last = await this.up(this.checkpoint, { faults: [] });
      this.save(last);
      if (last.failure === undefined) break;
      // As somebody would who is told to wait.
      this.time.pass(3_600_000);
    }
    const { sent } = this.judge();
    const isReadable = isKnown(this.story);
    const counts = {
      isReadable,
      isAlone: this.isAlone,
      ups: this.ups,
      requests: this.sim.journal.length,
      sent,
    };
    if (last?.failure !== undefined) {
      assert.match(
        last.failure,
        unclear,
        `three undisturbed updates neither reached the stage nor said why not: ${last.failure}`,
      );
      assert.equal(
        this.sim.changing().length,
        changesBefore,
        "an update that says it is unclear has sent something",
      );
      return { end: "unclear", ...counts };
    }
    await this.expectReached();
    return { end: "reached", ...counts };
  }

  private async expectReached(): Promise<void> {
    const wanted = this.story.stages.at(-1)?.["stage"];
    const { waf } = this.sim.zones.get(zoneId);
    if (wanted === "finished") {
      // Where the previous WAF was off all along and the states have no telling names, validation looks like the end.
      const looksFinished = !waf.oldEnabled && !isKnown(this.story);
      const ends = ["finishing", "new", ...(looksFinished ? ["validation"] : [])];
      assert.ok(ends.includes(waf.stage), `it is said to be finished, but the zone is ${waf.stage}`);
    }
    if (wanted === "validation") assert.equal(waf.stage, "validation");
    assert.equal(this.checkpoint?.outputs["incomplete"], undefined, "the state is complete");
    const changes = this.sim.changing().length;
    const again = await this.up(this.checkpoint, { faults: [] });
    assert.equal(again.failure, undefined);
    assert.equal(this.sim.changing().length, changes, "the second update sends no changing request");
    this.judge();
  }

  private up(from: Checkpoint | undefined, attack: Attack, pace?: readonly number[]): Promise<Ended> {
    this.ups += 1;
    const inputs = {
      zoneId,
      confirm: zoneId,
      timeoutMinutes: this.story.timeoutMinutes,
      ...this.story.stages[this.stage],
    };
    return this.pipeline.up(from, inputs, this.under(attack, pace));
  }

  private under({ faults, death }: Attack, pace: readonly number[] = []): ProcessOptions {
    for (const fault of faults) this.sim.faults.add(fault);
    return { death, pace };
  }

  private save({ checkpoint }: Ended): void {
    this.checkpoint = checkpoint;
    this.backups.push(checkpoint);
  }

  private judge() {
    return judge(this.sim, zoneId, { isAlone: this.isAlone, finishedByOthersAt: this.finishedByOthersAt });
  }
}

function isKnown({ waf }: Scenario): boolean {
  return (
    waf.statusValues?.on !== "A" &&
    ["validation", "validating", "2"].includes(waf.stateNames?.validation ?? "")
  );
}
