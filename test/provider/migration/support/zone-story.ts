import assert from "node:assert/strict";
import { type Simulator, startSimulator, type WafSeed } from "../../../../simulator/src";
import { EventClock } from "./event-clock";
import { type Checkpoint, type Ended, Pipeline } from "./pipeline";

export const zoneId = "0123456789abcdef0123456789abcdef";

type Arguments = Readonly<Record<string, unknown>>;

/** One Enterprise zone, one stack, and time that costs nothing. */
export class ZoneStory {
  checkpoint: Checkpoint | undefined;
  readonly pipeline: Pipeline;
  /** Of the CLI, and so of each provider process. */
  readonly env: Record<string, string> = {};

  private constructor(
    readonly sim: Simulator,
    readonly clock: EventClock,
    waf: WafSeed,
  ) {
    sim.zones.seed(zoneId, { plan: "enterprise", waf, scripts: 0, connections: 0, cookies: 0 });
    this.pipeline = new Pipeline(sim, clock, this.env);
  }

  static async begin(waf: WafSeed = {}): Promise<ZoneStory> {
    const clock = new EventClock();
    const sim = await startSimulator({ now: clock.now, token: "story" });
    return new ZoneStory(sim, clock, waf);
  }

  get waf() {
    return this.sim.zones.get(zoneId).waf;
  }

  /** Descriptions of the rules that are in force, with what is switched off. */
  get rules(): readonly string[] {
    return (this.sim.zones.get(zoneId).entrypoint?.rules ?? []).map(
      ({ description, enabled }) => `${description}${enabled ? "" : " (off)"}`,
    );
  }

  /** Migration updates that have arrived, taken or not. */
  get sent(): number {
    return this.sim.requests({ zoneId }).filter(({ query }) => "waf_migration" in query).length;
  }

  get recorded(): Arguments {
    return this.checkpoint?.outputs ?? {};
  }

  async up(args: Arguments): Promise<void> {
    const { failure } = await this.tried(args);
    assert.equal(failure, undefined);
  }

  /** The reason for which an update fails. */
  async upFails(args: Arguments): Promise<string> {
    return (await this.tried(args)).failure ?? assert.fail("the update was to fail");
  }

  private async tried(args: Arguments): Promise<Ended> {
    const ended = await this.pipeline.up(this.checkpoint, { zoneId, confirm: zoneId, ...args });
    this.checkpoint = ended.checkpoint;
    this.sim.faults.clear();
    return ended;
  }
}
