import assert from "node:assert/strict";
import type { Transport } from "../../../../provider/src/api/http/transport";
import { wafMigrationStep } from "../../../../provider/src/resources/waf-migration/lifecycle";
import type { Inputs, State } from "../../../../provider/src/resources/waf-migration/state";
import {
  type FaultSpec,
  type JournalEntry,
  Simulator,
  type WafSeed,
  type ZoneSeed,
} from "../../../../simulator/src";
import type { Properties } from "../../small-engine/checkpoint";
import { directWire, nowhere } from "../../small-engine/direct-wire";
import type { Death } from "../../small-engine/mortal";
import { SmallEngine } from "../../small-engine/small-engine";
import { VirtualTime } from "../../virtual-time/virtual-time";

export const zoneId = "0123456789abcdef0123456789abcdef";

/** What a refusal of a preview or an update says, without what every one of them ends with. */
const place = ` (zone ${zoneId})`;

/** One zone and one stack with its migration, without sockets: a story takes milliseconds, and so does an hour in it. */
export class QuickStory {
  readonly time = new VirtualTime();
  readonly sim = new Simulator({ now: this.time.now, token: "story", seed: 3 });
  readonly engine: SmallEngine<Inputs, State>;
  /** Of the CLI, and so of each provider process. */
  readonly env: Record<string, string> = { PAGE_GUARD_BASE_URL: nowhere };
  /** Milliseconds since the story began, of each look at the zone. */
  readonly looks: number[] = [];
  wire: Transport;
  /** Called with each request that was carried out. */
  meanwhile: (entry: JournalEntry) => void = () => undefined;

  constructor(waf: WafSeed = {}, zone: ZoneSeed = {}) {
    this.sim.zones.seed(zoneId, { plan: "enterprise", scripts: 0, connections: 0, cookies: 0, ...zone, waf });
    const began = this.time.now();
    this.wire = directWire(this.sim, {
      arrived: ({ path }) => path.endsWith("/check") && this.looks.push(this.time.now() - began),
      processed: (entry) => this.meanwhile(entry),
    });
    this.engine = new SmallEngine(this.sim, wafMigrationStep, {
      env: this.env,
      time: this.time,
      random: () => 0.5,
      wire: () => this.wire,
    });
  }

  get waf() {
    return this.sim.zones.get(zoneId).waf;
  }

  get rules() {
    return this.sim.zones.get(zoneId).entrypoint?.rules ?? [];
  }

  /** Descriptions of the rules that are in force, with what is switched off. */
  get descriptions(): readonly string[] {
    return this.rules.map(({ description, enabled }) => `${description}${enabled ? "" : " (off)"}`);
  }

  /** Migration updates that have arrived, taken or not. */
  get sent(): readonly JournalEntry[] {
    return this.sim.requests({ zoneId, method: "PUT" });
  }

  get recorded(): Properties {
    return this.engine.outputs("waf");
  }

  /** What the last operation told on the resource. */
  get told(): readonly string[] {
    return this.engine.progress.map(({ text }) => text);
  }

  /** From the first migration update on, which has arrived then. */
  failOnceSent(fault: FaultSpec): void {
    this.meanwhile = ({ method }) => {
      if (method === "PUT" && this.sent.length === 1) this.sim.faults.add(fault);
    };
  }

  /** Gives the decision of the engine, `same` when there is none, and what was told. Nothing may be sent. */
  async preview(args: Properties): Promise<readonly string[]> {
    const { length } = this.sim.changing();
    const [decision = "same waf"] = await this.engine.preview(program(args));
    assert.equal(this.sim.changing().length, length, "a preview has changed something");
    return [decision, ...this.told, ...this.engine.warnings.map(({ text }) => text)];
  }

  async previewFails(args: Properties): Promise<string> {
    return (await this.engine.previewFails(program(args))).replaceAll(place, "");
  }

  up(args: Properties, death?: Death): Promise<void> {
    return this.engine.up(program(args), { death });
  }

  async upFails(args: Properties): Promise<string> {
    return (await this.engine.upFails(program(args))).replaceAll(place, "");
  }
}

function program(args: Properties): Readonly<Record<string, Properties>> {
  return { waf: { zoneId, confirm: zoneId, stage: "finished", ...args } };
}
