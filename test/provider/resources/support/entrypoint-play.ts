import assert from "node:assert/strict";
import { managedWafEntrypoint } from "../../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import type { Inputs, State } from "../../../../provider/src/resources/managed-waf-entrypoint/state";
import type { RuleSeed, Simulator, ZoneRule } from "../../../../simulator/src";
import type { Properties } from "../../small-engine/checkpoint";
import { ruleInputs, ruleSeed, type ShortRule } from "../../small-engine/short-rule";
import { SmallEngine } from "../../small-engine/small-engine";
import { quietZone, zoneA } from "../../small-engine/zones";
import type { VirtualTime } from "../../virtual-time/virtual-time";
import { Ledger } from "./entrypoint-ledger";
import type { Attack, Program, Scenario, Step } from "./entrypoint-scenario";

/** Refusals that are right whenever others have put something in the way. */
const mayRefuse = /no resource of this stack declares|is the ref of an unmanaged rule/;

/** Plays a scenario to its end. The judge is the simulator's own state. Throws what is wrong. */
export async function play(sim: Simulator, time: VirtualTime, { found, steps }: Scenario): Promise<void> {
  sim.faults.clear();
  sim.journal.clear();
  sim.zones.seed(zoneA, {
    ...quietZone,
    entrypoint: found ? { name: "found", rules: found.map(ruleSeed) } : null,
  });
  const teller = new Teller(sim, time);
  for (const step of steps) await teller.take(step);
  await teller.end();
}

class Teller {
  private readonly engine: SmallEngine<Inputs, State>;
  private readonly ledger: Ledger;
  private people = 0;
  /** What is on record was changed behind the stack's back: only a refresh can see that. */
  private isStale = false;
  private last: Program = { rules: [], foreignRules: "keep" };

  constructor(
    private readonly sim: Simulator,
    time: VirtualTime,
  ) {
    this.engine = new SmallEngine(sim, managedWafEntrypoint, { time });
    this.ledger = new Ledger(this.rules());
  }

  async take(step: Step): Promise<void> {
    switch (step.act) {
      case "up":
        await this.up(step.program, step.attack, { refresh: step.how === "refresh" });
        break;
      case "refresh":
        await this.under(step.attack, async (death) => {
          await this.engine.refresh({ death }).catch(() => undefined);
        });
        break;
      case "destroy":
        await this.destroy(step.attack);
        break;
      default:
        this.act(step);
    }
    this.sim.faults.clear();
    this.judge();
  }

  /** Nothing goes wrong any more: the program is reached, then there is nothing to do, and a destroy restores. */
  async end(): Promise<void> {
    const calm: Attack = { faults: [], meanwhile: false };
    const program = { ...this.last, foreignRules: "keep" as const };
    const refusal = await this.up(program, calm, { refresh: this.isStale });
    if (refusal !== "") {
      assert.match(refusal, mayRefuse);
      assert.equal(await this.up({ ...program, foreignRules: "overwrite" }, calm, {}), "");
      assert.equal(await this.up(program, calm, {}), "");
    }
    this.judge();
    this.expectDeclared(program);
    const changes = this.sim.changing().length;
    assert.deepEqual(await this.engine.preview(this.declared(program)), []);
    // Unmanaged rules that were added since the last refresh are reported once.
    await this.engine.refresh();
    assert.deepEqual(await this.engine.drift(), []);
    assert.equal(await this.up(program, calm, {}), "");
    assert.equal(this.sim.changing().length, changes, "a second up sends nothing");
    await this.destroy(calm);
    assert.equal(this.engine.state.size, 0, "a destroy that nothing disturbs succeeds");
    this.judge();
  }

  private async up(program: Program, attack: Attack, { refresh = false }): Promise<string> {
    const before = this.rules();
    const isNew = this.engine.state.size === 0;
    const previous = this.last;
    this.last = program;
    this.ledger.declares(program);
    const isDying = attack.death !== undefined;
    let refusal = "";
    await this.under(attack, async (death) => {
      refusal = await this.engine.tryUp(this.declared(program), {
        refresh,
        death,
      });
    });
    // Somebody may have come in the middle.
    this.ledger.declares(program);
    if (isDying) {
      this.ledger.died(program);
      this.ledger.mayHaveTakenAway(previous.rules);
    }
    if (isNew && this.engine.state.size > 0) this.ledger.begin(before);
    return refusal;
  }

  private async destroy(attack: Attack): Promise<void> {
    await this.under(attack, async (death) => {
      await this.engine.tryUp({}, { death });
    });
    if (attack.death !== undefined) this.ledger.mayHaveTakenAway(this.last.rules);
    if (this.engine.state.size > 0 || this.engine.pending.length > 0) this.isStale = true;
    else this.ledger.restored(this.rules());
  }

  private async under(
    { faults, death, meanwhile }: Attack,
    work: (death: Attack["death"]) => Promise<void>,
  ): Promise<void> {
    for (const fault of faults) this.sim.faults.add(fault);
    const takeBack = this.sim.onProcessed(({ method }) => {
      if (!meanwhile || method !== "PUT") return;
      takeBack();
      this.add(5);
    });
    await work(death);
    takeBack();
    this.sim.faults.clear();
  }

  /** Somebody at work in the dashboard. */
  private act(step: Exclude<Step, { act: "up" | "refresh" | "destroy" }>): void {
    const rules = this.rules();
    this.isStale = true;
    if (step.act === "add") this.add(step.place, step.content);
    if (step.act === "add" || rules.length === 0) return;
    if (step.act === "move") {
      const moved = [...rules];
      const [rule] = moved.splice(step.from % rules.length, 1);
      if (rule) moved.splice(step.to % rules.length, 0, rule);
      this.sim.edit(zoneA, ({ entrypoint }) => entrypoint && Object.assign(entrypoint, { rules: moved }));
      return;
    }
    const rule = rules[step.place % rules.length];
    assert.ok(rule);
    if (step.act === "twin") {
      const { id: _id, ref: _ref, version: _version, last_updated: _updated, ...content } = rule;
      this.ledger.ambiguous(this.sim.dashboard.addRule(zoneA, content, step.place % (rules.length + 1)));
    } else if (step.act === "delete") {
      this.sim.dashboard.deleteRule(zoneA, rule.id);
      this.ledger.deleted(rule);
    } else {
      this.people += 1;
      const edited = this.sim.dashboard.changeRule(zoneA, rule.id, { description: `edited ${this.people}` });
      this.ledger.edited(rule, edited);
    }
  }

  /** With a content of its own, unless told. */
  private add(position: number, content?: ShortRule): void {
    const rules = this.rules();
    this.people += 1;
    const named = content?.ref !== undefined && rules.some(({ ref }) => ref === content.ref);
    const rule: RuleSeed = content
      ? ruleSeed(named ? { ...content, ref: undefined } : content)
      : {
          action: "skip",
          expression: `ip.src eq 192.0.2.${this.people}`,
          description: `somebody's ${this.people}`,
          action_parameters: { ruleset: "current" },
        };
    this.ledger.added(
      this.sim.dashboard.addRule(zoneA, rule, Math.min(position, rules.length)),
      content !== undefined,
    );
  }

  private judge(): void {
    this.ledger.expectUntouched(this.rules());
    const refused = this.sim
      .changing()
      .filter(({ status, fault }) => status === 400 && fault === undefined)
      .map(({ body }) => JSON.stringify(body));
    assert.deepEqual(refused, [], "a list that the service can't take was sent");
  }

  private expectDeclared({ rules }: Program): void {
    const recorded: unknown = this.engine.outputs("waf")["rules"];
    assert.ok(Array.isArray(recorded));
    const ids = new Set(recorded.map(({ id }: Properties) => id));
    const ours = this.rules().filter(({ id }) => ids.has(id));
    const seeds = rules.map(ruleSeed);
    assert.deepEqual(
      ours.map(({ description, expression }) => [description, expression]),
      seeds.map(({ description, expression }) => [description, expression]),
      "what is declared is there, in its order",
    );
  }

  private declared({ rules, foreignRules, name }: Program) {
    return {
      waf: {
        zoneId: zoneA,
        foreignRules,
        rules: rules.map(ruleInputs),
        ...(name !== undefined && { name }),
      },
    };
  }

  private rules(): readonly ZoneRule[] {
    return this.sim.zone(zoneA).entrypoint?.rules ?? [];
  }
}
