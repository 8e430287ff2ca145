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

/** State names without a meaning, and status values that the code does not know. */
export const nameless = { old: "x0", validation: "x1", finishing: "x2", new: "x3" };
export const mute = { on: "A", off: "B" };

/** End of every refusal, which the stories remove. */
const place = ` (zone ${zoneId})`;

/** One zone and one stack with its migration, without sockets and in virtual time: an hour takes milliseconds. */
export class QuickStory {
  readonly time = new VirtualTime();
  readonly sim = new Simulator({ now: this.time.now, token: "story", seed: 3 });
  readonly engine: SmallEngine<Inputs, State>;
  /** Environment of the CLI, and so of each provider process. */
  readonly env: Record<string, string> = { PAGE_GUARD_BASE_URL: nowhere };
  /** Times of the compatibility checks, in milliseconds since the story began. */
  readonly looks: number[] = [];
  /** How the engine ends during an update. */
  readonly ending = { cancellation: new AbortController().signal, isEngineGone: false };
  wire: Transport;
  /** Called with each request after the service has carried it out. */
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
      ending: this.ending,
      wire: () => this.wire,
    });
  }

  get waf() {
    return this.sim.zones.get(zoneId).waf;
  }

  get rules() {
    return this.sim.zones.get(zoneId).entrypoint?.rules ?? [];
  }

  /** Descriptions of the zone's rules. Rules that are switched off are marked. */
  get descriptions(): readonly string[] {
    return this.rules.map(({ description, enabled }) => `${description}${enabled ? "" : " (off)"}`);
  }

  /** Migration requests that have arrived, accepted or not. */
  get sent(): readonly JournalEntry[] {
    return this.sim.requests({ zoneId, method: "PUT" });
  }

  get recorded(): Properties {
    return this.engine.outputs("waf");
  }

  /** Messages of the last operation at the resource. */
  get told(): readonly string[] {
    return this.engine.progress.map(({ text }) => text);
  }

  /** Migration request in the state whose result is unknown. */
  get attempt(): Properties | undefined {
    const { attempt } = this.recorded;
    return attempt === undefined ? undefined : Object(attempt);
  }

  /** Switches off the first rule in the dashboard. */
  edit(): void {
    this.sim.dashboard.changeRule(zoneId, this.rules[0]?.id ?? assert.fail("no rule"), { enabled: false });
  }

  /** Kills the machine when the response to its finishing request arrives, so that the state does not contain the request. */
  async killAtFinish(args: Properties): Promise<void> {
    for (let request = 0; this.waf.acceptedPending === 0 && request < 40; request += 1)
      await this.up(args, { request, side: "after" });
    assert.equal(this.waf.acceptedPending, 1, "the finish was never sent");
    assert.equal(this.engine.state.get("waf")?.outputs["attempt"], undefined);
  }

  /** Runs an update that asks a person at once and sends nothing. Returns the question and the `startedAt` of an answer. */
  async asked(args: Properties): Promise<{ readonly question: string; readonly startedAt: string }> {
    const [{ length }, began] = [this.sent, this.time.now()];
    const question = await this.upFails(args);
    assert.match(question, /\[migration-unclear\]$/);
    assert.ok(this.time.now() - began < minute, "the update does not wait for an end that may never come");
    assert.equal(this.sent.length, length, "nothing is sent");
    const [, startedAt] =
      /unclearAttempt: \{ startedAt: "([^"]+)", outcome: "notAccepted" \}/.exec(question) ?? [];
    return { question, startedAt: startedAt ?? assert.fail(question) };
  }

  /** Adds a fault after the first migration request has arrived. */
  failOnceSent(fault: FaultSpec): void {
    this.meanwhile = ({ method }) => {
      if (method === "PUT" && this.sent.length === 1) this.sim.faults.add(fault);
    };
  }

  /** Returns the engine's decision, `same` without one, and the messages. Asserts that the preview changes nothing. */
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
