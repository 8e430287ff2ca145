import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Transport } from "../../../../provider/src/api/http/transport";
import type { Simulator } from "../../../../simulator/src";
import type { EventClock } from "./event-clock";
import { judge } from "./judge";
import { People } from "./people";
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
  /the state of the zone's migration is ambiguous|compatibility check says that the zone is not eligible/;

/** Plays a scenario to its end and judges it, over sockets or another `wire`. Throws what is wrong. */
export async function play(
  sim: Simulator,
  clock: EventClock,
  story: Scenario,
  wire?: Transport,
): Promise<Outcome> {
  sim.journal.clear();
  sim.faults.clear();
  sim.zones.seed(zoneId, { plan: story.plan, waf: story.waf, scripts: 0, connections: 0, cookies: 0 });
  const teller = new Teller(sim, clock, story, wire);
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
  /** What a person has added to the program because a refusal asked for it. */
  private answers: Readonly<Record<string, unknown>> = {};
  private readonly people: People;

  constructor(
    private readonly sim: Simulator,
    private readonly clock: EventClock,
    private readonly story: Scenario,
    wire: Transport | undefined,
  ) {
    this.pipeline = new Pipeline(sim, clock, {}, wire);
    this.people = new People(sim, zoneId);
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
        await Promise.race([going, this.clock.sleep(step.aheadMs)]);
        break;
      }
      case "two ups": {
        this.isAlone = false;
        const [first, second] = await Promise.all([
          this.up(this.checkpoint, step.first, step.paces[0]),
          this.clock
            .sleep(step.apartMs)
            .then(() => this.up(step.isOtherStack ? undefined : this.checkpoint, step.second, step.paces[1])),
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
      case "edit":
        this.people.edit(step);
        break;
      case "become ineligible":
        this.sim.dashboard.setWaf(zoneId, { eligible: false });
        break;
      case "wait":
        await this.clock.sleep(step.ms);
        break;
    }
    this.sim.faults.clear();
    this.judge();
  }

  /**
   * Nothing goes wrong any more, and people do what they are asked for: the last stage is reached within three further
   * updates, and then there is nothing left to do.
   */
  async end(): Promise<Outcome> {
    await Promise.all(this.orphans);
    this.judge();
    this.stage = this.story.stages.length - 1;
    const changesBefore = this.sim.changing().length;
    let last: Ended | undefined;
    for (let left = 3; left > 0; ) {
      last = await this.up(this.checkpoint, { faults: [] });
      this.save(last);
      this.judge();
      if (last.failure === undefined) break;
      // As somebody would who is asked something, or told to wait.
      if (this.answer(last.failure)) continue;
      left -= 1;
      await this.clock.sleep(3_600_000);
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

  /** Does what a refusal asks of a person; once each. */
  private answer(refusal: string): boolean {
    const { waf } = this.sim.zones.get(zoneId);
    if (/not eligible|compatible: false/.test(refusal) && !waf.eligible) {
      this.sim.dashboard.setWaf(zoneId, { eligible: true });
      return true;
    }
    const asked = /unclearAttempt: \{ startedAt: "([^"]+)"/.exec(refusal)?.[1];
    if (asked !== undefined && Object(this.answers["unclearAttempt"])["startedAt"] !== asked) {
      const wasTaken = waf.stage === "finishing" || waf.stage === "new";
      const outcome = wasTaken ? "accepted" : "notAccepted";
      this.answers = { ...this.answers, unclearAttempt: { startedAt: asked, outcome } };
      return true;
    }
    if (/since the configuration was sent/.test(refusal)) {
      const configuration = this.people.configuration();
      if (isDeepStrictEqual(this.answers["configuration"], configuration)) return false;
      this.answers = { ...this.answers, configuration };
      return true;
    }
    if (/does not run a managed ruleset/.test(refusal) && !("ruleOverrides" in this.answers)) {
      this.answers = { ...this.answers, ruleOverrides: undefined };
      return true;
    }
    return false;
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
    const inputs: Readonly<Record<string, unknown>> = {
      zoneId,
      confirm: zoneId,
      timeoutMinutes: this.story.timeoutMinutes,
      ...this.story.stages[this.stage],
      ...this.answers,
    };
    const isStatedAnew = !isDeepStrictEqual(inputs["configuration"], from?.inputs["configuration"]);
    if (isStatedAnew || (!from && !isKnown(this.story))) this.people.letGo();
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
    // Who looked before an edit and sends after it cannot know: only where no process is left over.
    if (this.orphans.length === 0) {
      assert.ok(!this.people.isUndone(), "a migration update has undone what somebody did to the rules");
    }
    const { acceptedPending, acceptedValidation } = this.sim.zones.get(zoneId).waf;
    const { mode, outcome } = Object(this.checkpoint?.outputs["attempt"]);
    if (outcome === "accepted") {
      const accepted = mode === "pending" ? acceptedPending : acceptedValidation;
      assert.ok(accepted > 0, "an attempt is recorded as accepted that the service never said yes to");
    }
    return judge(this.sim, zoneId, { isAlone: this.isAlone, finishedByOthersAt: this.finishedByOthersAt });
  }
}

function isKnown({ waf }: Scenario): boolean {
  return (
    waf.statusValues?.on !== "A" &&
    ["validation", "validating", "2"].includes(waf.stateNames?.validation ?? "")
  );
}
