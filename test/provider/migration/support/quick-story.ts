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
export const managed = "efb7b8c949ac4650a09736fc376e9aee";
export const owasp = "4814384a9e5d4991b9815dcfc25d2f1f";
export const minute = 60_000;
export const hour = 60 * minute;

/** An override that the program adds. */
export const override = { rulesetId: managed, ruleId: "1".repeat(32), action: "log" };

/** A whole configuration that the program declares. */
export const configuration = {
  name: "default",
  rules: [{ action: "execute", expression: "true", actionParameters: { id: managed } }],
};

/** Names of states that say nothing, and words of a status that nobody understands. */
export const nameless = { old: "x0", validation: "x1", finishing: "x2", new: "x3" };
export const mute = { on: "A", off: "B" };

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

  /** Migration request in the state whose result is not. */
  get attempt(): Properties | undefined {
    const { attempt } = this.recorded;
    return attempt === undefined ? undefined : Object(attempt);
  }

  /** Switches the first rule off, as someone does in the dashboard. */
  edit(): void {
    this.sim.dashboard.changeRule(zoneId, this.rules[0]?.id ?? assert.fail("no rule"), { enabled: false });
  }

  /** The machine dies with the answer to its finishing request: the state does not have it. */
  async killAtFinish(args: Properties): Promise<void> {
    for (let request = 0; this.waf.acceptedPending === 0 && request < 40; request += 1)
      await this.up(args, { request, side: "after" });
    assert.equal(this.waf.acceptedPending, 1, "the finish was never sent");
    assert.equal(this.engine.state.get("waf")?.outputs["attempt"], undefined);
  }

  /** An update that asks a person, without a long wait and without a request. Returns the question, and the time for an answer. */
  async asked(args: Properties): Promise<{ readonly question: string; readonly startedAt: string }> {
    const [{ length }, began] = [this.sent, this.time.now()];
    const question = await this.upFails(args);
    assert.match(question, /\[migration-unclear\]$/);
    assert.ok(this.time.now() - began < minute, "nobody waits for what may never come");
    assert.equal(this.sent.length, length, "nothing is sent");
    const [, startedAt] =
      /unclearAttempt: \{ startedAt: "([^"]+)", outcome: "notAccepted" \}/.exec(question) ?? [];
    return { question, startedAt: startedAt ?? assert.fail(question) };
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
