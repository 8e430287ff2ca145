import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import type { RuleSeed, Simulator, Zone } from "../../../simulator/src";
import { each } from "../../support/each";
import { placeAndCode } from "../../support/place-and-code";
import type { Properties, Recorded } from "../small-engine/checkpoint";
import { quickStory, quietZone, useStories, zoneA, zoneB } from "../small-engine/zones";
import { made, names, rule } from "./support/skip-rules";

const managed = "11111111111111111111111111111111";

const theirs = {
  action: "execute",
  expression: "true",
  description: "theirs",
  action_parameters: { id: "99999999999999999999999999999999" },
} as const;

const sharedZone = { ...quietZone, entrypoint: { name: "shared", rules: [theirs] } };

/** Returns a rule that runs the managed ruleset for every request. */
const run = (more: Properties = {}): Properties => ({
  action: "execute",
  expression: "true",
  description: "managed",
  actionParameters: { id: managed },
  ...more,
});

const parameters = { extra: { ruleset: "current" } };
const skip = { action: "skip", expression: 'http.host eq "a"', actionParameters: parameters };

function rulesOf(sim: Simulator) {
  return sim.zone(zoneA).entrypoint?.rules ?? [];
}

function idsOf(sim: Simulator): string[] {
  return rulesOf(sim).map(({ id }) => id);
}

describe("ManagedWafEntrypoint", () => {
  const begin = useStories(managedWafEntrypoint);
  const entrypoint = (args: Properties = {}): Properties => ({ zoneId: zoneA, rules: [run()], ...args });

  it("given a zone that was never configured, when rules are declared, then one write creates them, and a preview afterwards sends no request", async () => {
    const { sim, engine } = await begin();
    await engine.up({ waf: entrypoint() });
    assert.deepEqual(each(sim.changing(), "method"), ["PUT"]);
    sim.journal.clear();
    assert.deepEqual(await engine.preview({ waf: entrypoint() }), []);
    assert.equal(sim.journal.length, 0);
    await engine.refresh();
    assert.deepEqual(await engine.preview({ waf: entrypoint() }), []);
    await engine.destroy();
    assert.deepEqual(rulesOf(sim), []);
  });

  it("given an unmanaged rule and foreignRules refuse, then the preview names the rule, and nothing is written", async () => {
    const { sim, engine } = await begin({ [zoneA]: sharedZone });
    const said = await engine.previewFails({ waf: entrypoint() });
    assert.match(said, /1 rule that no resource of this stack declares: "theirs", execute 9+ if true, id /);
    assert.match(
      await engine.upFails({ waf: entrypoint() }),
      /no resource of this stack declares.*being replaced \(replacementTrigger/s,
    );
    assert.equal(sim.changing().length, 0);
  });

  it("given an unmanaged rule and foreignRules keep, then the rule stays first, byte for byte, through create, update and destroy", async () => {
    const { sim, engine } = await begin({ [zoneA]: sharedZone });
    const [before] = rulesOf(sim);
    const keeping = (args: Properties = {}) => entrypoint({ foreignRules: "keep", ...args });
    await engine.up({ waf: keeping() });
    assert.deepEqual(rulesOf(sim)[0], before);
    sim.dashboard.addRule(zoneA, { ...theirs, expression: "false", description: "later" }, 1);
    await engine.refresh();
    assert.deepEqual(await engine.preview({ waf: keeping() }), []);
    await engine.up({ waf: keeping({ rules: [skip, run()] }) });
    assert.deepEqual(each(rulesOf(sim), "description"), ["theirs", "later", undefined, "managed"]);
    assert.deepEqual(rulesOf(sim)[0], before);
    await engine.destroy();
    assert.deepEqual(each(rulesOf(sim), "description"), ["theirs", "later"]);
    assert.deepEqual(rulesOf(sim)[0], before);
    assert.equal(sim.zone(zoneA).entrypoint?.name, "shared");
  });

  it("given an unmanaged rule and foreignRules overwrite, then the preview names the rule, and a destroy restores it if onDestroy is restore", async () => {
    for (const [onDestroy, left] of [
      ["restore", ["theirs"]],
      ["remove", []],
      ["keep", ["managed"]],
    ] as const) {
      const { sim, engine } = await begin({ [zoneA]: sharedZone });
      const overwriting = { waf: entrypoint({ foreignRules: "overwrite", onDestroy }) };
      await engine.preview(overwriting);
      assert.match(engine.warned[0] ?? "", /"overwrite": 1 unmanaged rule will be deleted: "theirs"/);
      await engine.up(overwriting);
      assert.deepEqual(each(rulesOf(sim), "description"), ["managed"]);
      await engine.destroy();
      assert.deepEqual(each(rulesOf(sim), "description"), left, onDestroy);
    }
  });

  it("given rules, when they are moved, edited and removed, then the others keep their ids", async () => {
    const { sim, engine } = await begin();
    await engine.up({ waf: entrypoint({ rules: [skip, run()] }) });
    const [skipId, runId] = idsOf(sim);
    await engine.up({ waf: entrypoint({ rules: [run(), skip] }) });
    assert.deepEqual(idsOf(sim), [runId, skipId]);
    const edited = [run({ expression: "false" }), { ...skip, expression: "true" }];
    await engine.up({ waf: entrypoint({ rules: edited }) });
    assert.deepEqual(idsOf(sim), [runId, skipId]);
    await engine.up({ waf: entrypoint({ rules: [run({ expression: "false" })] }) });
    assert.deepEqual(idsOf(sim), [runId]);
  });

  it("given rules that are adopted with the refs of an export, when someone edits one, then a refresh changes no other input", async () => {
    const { sim, engine } = await begin();
    await engine.up({ waf: entrypoint({ rules: [skip, run()] }) });
    const [skipId, runId] = idsOf(sim);
    const rules = [{ ...skip, ref: skipId }, run({ ref: runId })] as const;
    engine.state.delete("waf");
    await engine.up({ waf: entrypoint({ rules }) });
    sim.dashboard.changeRule(zoneA, skipId ?? "", { expression: "false" });
    await engine.refresh();
    const recorded = engine.state.get("waf")?.inputs["rules"];
    assert.deepEqual(recorded, [{ ...rules[0], expression: "false" }, rules[1]]);
    await engine.up({ waf: entrypoint({ rules }) });
    assert.deepEqual(idsOf(sim), [skipId, runId]);
  });

  it("given overrides, when they are applied, then only declared fields are sent", async () => {
    const { sim, engine } = await begin();
    const log = { id: "a".repeat(32), action: "log" };
    const off = { id: "b".repeat(32), enabled: false };
    const overriding = (...rules: object[]) => ({ id: managed, overrides: { rules } });
    const program = { waf: entrypoint({ rules: [run({ actionParameters: overriding(log, off) })] }) };
    await engine.up(program);
    assert.deepEqual(rulesOf(sim)[0]?.action_parameters?.["overrides"], { rules: [log, off] });
    await engine.refresh();
    assert.deepEqual(await engine.preview(program), []);
    // Somebody adds `enabled` to an override that does not declare it. That is drift.
    const edited = { action_parameters: overriding({ ...log, enabled: true }, off) };
    sim.dashboard.changeRule(zoneA, idsOf(sim)[0] ?? "", edited as object);
    await engine.refresh();
    assert.deepEqual(await engine.preview(program), ["update waf"]);
  });

  it("given reads that lag behind the last write, when rules are removed, refreshed and destroyed at once, then no rule stays or comes back, and nothing drifts", async () => {
    const waf = { stage: "new", lagMs: 20_000, lagsEverywhere: true } as const;
    const descriptions = (sim: Simulator) => each(rulesOf(sim), "description");
    for (const [zone, others] of [
      [quietZone, []],
      [sharedZone, ["theirs"]],
    ] as const) {
      const { sim, engine } = quickStory(managedWafEntrypoint, { [zoneA]: { ...zone, waf } });
      const program = (...rules: readonly Properties[]) => ({
        waf: entrypoint({ rules, foreignRules: "keep" }),
      });
      await engine.up(program(skip, run()));
      await engine.up(program(run()));
      assert.deepEqual(descriptions(sim), [...others, "managed"]);
      const [id] = idsOf(sim).slice(-1);
      await engine.refresh();
      assert.deepEqual(await engine.preview(program(run())), []);
      await engine.up(program(run(), skip));
      assert.ok(idsOf(sim).includes(id ?? ""), "the rule keeps its id");
      await engine.destroy();
      assert.deepEqual(descriptions(sim), others);
    }
  });

  it("given writes that the rate limit refuses, when the list is created, edited and destroyed, then each is sent again after a new reading, and a create that stays refused records nothing", async () => {
    const { sim, engine, time } = quickStory(managedWafEntrypoint);
    const program = (description: string) => ({
      waf: entrypoint({ rules: [run({ description })], foreignRules: "keep" }),
    });
    const refuseWrites = (count: number) =>
      sim.faults.add({ method: "PUT", kind: "429", retryAfter: 2, count });
    refuseWrites(9);
    assert.match(await engine.upFails(program("one")), /too many requests .*\[PG_RATE_LIMITED\]$/);
    assert.deepEqual([...engine.state.keys()], []);
    sim.faults.clear();
    for (const next of [program("one"), program("two"), {}]) {
      refuseWrites(1);
      sim.journal.clear();
      const began = time.now();
      await engine.up(next);
      assert.ok(time.now() - began >= 2000);
      assert.deepEqual(each(sim.journal.slice(-4), "method"), ["GET", "PUT", "GET", "PUT"]);
    }
    assert.deepEqual(rulesOf(sim), []);
  });

  it("given two resources that exchange their zones, when they are applied one after the other, then each zone has only the rules that are declared for it", async () => {
    const { sim, engine } = await begin();
    const names = (zoneId: string) => each(sim.zone(zoneId).entrypoint?.rules ?? [], "description");
    const keep = { foreignRules: "keep" };
    const [one, two] = ["one", "two"].map((description) => ({ ...keep, rules: [run({ description })] }));
    await engine.up({ one: { zoneId: zoneA, ...one }, two: { zoneId: zoneB, ...two } });
    await engine.up({ one: { zoneId: zoneB, ...one }, two: { zoneId: zoneA, ...two } });
    assert.deepEqual([names(zoneA), names(zoneB)], [["two"], ["one"]]);
  });

  it("given two resources that exchange their zones, when the stack is destroyed, then each zone has the rules that were found first", async () => {
    for (const foreignRules of ["keep", "overwrite"]) {
      const theirs = [made("theirs"), made("taken")];
      const zone = { ...quietZone, entrypoint: { name: "shared", rules: theirs } };
      const { sim, engine } = await begin({ [zoneA]: zone, [zoneB]: zone });
      const inZone = (zoneId: string, name: string) => {
        const rules = [rule("taken", { enabled: true }), rule(name)];
        return { zoneId, name, rules, foreignRules };
      };
      await engine.up({ one: inZone(zoneA, "one"), two: inZone(zoneB, "two") });
      await engine.up({ one: inZone(zoneB, "one"), two: inZone(zoneA, "two") }, { parallel: true });
      const kept = foreignRules === "keep" ? ["theirs"] : [];
      assert.deepEqual(
        [names(sim), names(sim, zoneB)],
        [
          [...kept, "taken", "two"],
          [...kept, "taken", "one"],
        ],
      );
      await engine.destroy();
      for (const zoneId of [zoneA, zoneB]) {
        assert.deepEqual(names(sim, zoneId), ["theirs", "taken"], foreignRules);
        assert.equal(sim.zone(zoneId).entrypoint?.name, "shared");
      }
    }
  });

  it("given two resources for one zone, when they are previewed, then the second is refused", async () => {
    const { engine } = await begin();
    const told = await engine.previewFails({ one: entrypoint(), two: entrypoint({ rules: [] }) });
    assert.match(told, / declared by .*::one\..*\[two-for-one-zone\]$/);
  });
});

/** States that the first release has written, each with the list that it left in the zone. */
const statesOf010: Record<string, { recorded: Recorded; entrypoint: Zone["entrypoint"] }> = JSON.parse(
  readFileSync(join(__dirname, "fixtures/entrypoint-states-0.1.0.json"), "utf8"),
);

describe("A state of an entry point that an older version wrote", () => {
  const begin = useStories(managedWafEntrypoint);

  for (const [foreignRules, { recorded, entrypoint }] of Object.entries(statesOf010)) {
    it(`causes no change in a preview or a refresh, and a destroy restores the rules that were found (foreignRules ${foreignRules})`, async () => {
      const { sim, engine } = await begin({ [zoneA]: quietZone });
      sim.edit(zoneA, (zone) => {
        zone.entrypoint = entrypoint;
      });
      engine.state.set("waf", recorded);
      const program = { waf: recorded.inputs };
      assert.deepEqual(await engine.preview(program), []);
      assert.equal(sim.journal.length, 0);
      assert.deepEqual(await engine.drift(), []);
      assert.deepEqual(engine.warnings, []);
      await engine.refresh();
      assert.deepEqual(await engine.preview(program), []);
      await engine.destroy();
      const left = sim.zone(zoneA).entrypoint;
      assert.equal(left?.name, "shared");
      const expected = foreignRules === "refuse" ? ["taken"] : ["theirs", "taken"];
      assert.deepEqual(each(left?.rules, "description"), expected);
      if (foreignRules !== "refuse") {
        const { overrides } = Object(left?.rules[0]?.action_parameters);
        assert.deepEqual(overrides, {
          categories: [{ category: "php", enabled: false }],
          rules: [{ id: "c".repeat(32), score_threshold: 40 }],
        });
      }
    });
  }
});

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const ours = { action: "execute", expression: "true", actionParameters: { id: managed } };
const waf = (args: Properties = {}) => ({ waf: { zoneId: zoneA, rules: [ours], ...args } });

const begin = (rules: readonly RuleSeed[] = [], name?: string) =>
  quickStory(managedWafEntrypoint, {
    [zoneA]: { ...quietZone, entrypoint: { ...(name !== undefined && { name }), rules } },
  });

describe("The preview of an entry point", () => {
  it("refuses a ref that several rules have, at each rule but the first, and ignores unknown refs", async () => {
    const { engine } = begin();
    const named = (ref: unknown) => ({ ...ours, ref });
    const refused = await engine.previewFails(waf({ rules: ["a", "b", "a", "a"].map(named) }));
    const twice = refused.split("\n");
    const places = ["rules[2].ref", "rules[3].ref"].map((place) => `${place} [waf-ref-twice]`);
    assert.deepEqual(twice.map(placeAndCode), places);
    for (const text of twice) assert.match(text, /"a" .* rules\[0\]/);
    const fine = waf({ rules: [named(unknown), named(unknown), ours, ours] });
    assert.deepEqual(await engine.preview(fine), ["create waf"]);
    assert.match(await engine.previewFails(waf({ rules: "x" })), /^rules: .* list of rules/);
    assert.match(await engine.previewFails(waf({ rules: [null, "x"] })), /^rules\[0\]: /);
  });

  it("sends no request if the list is unknown", async () => {
    const { engine, sim } = begin([theirs]);
    await engine.preview(waf({ rules: unknown }));
    assert.deepEqual([engine.progress, engine.warnings, sim.journal.length], [[], [], 0]);
  });
});

describe("The name of an entry point", () => {
  const name = (story: ReturnType<typeof begin>) => story.sim.zone(zoneA).entrypoint?.name;
  const rename = (story: ReturnType<typeof begin>, given: string) =>
    story.sim.edit(zoneA, ({ entrypoint }) => Object.assign(entrypoint ?? {}, { name: given }));

  it("is restored by a destroy, unless someone has changed it since", async () => {
    for (const isRenamed of [false, true]) {
      const story = begin([], "found");
      await story.engine.up(waf({ name: "ours" }));
      assert.equal(name(story), "ours");
      if (isRenamed) rename(story, "theirs");
      await story.engine.destroy();
      assert.equal(name(story), isRenamed ? "theirs" : "found");
    }
  });

  it("stays as found if the program declares none, which is no drift, and changes if the program declares another", async () => {
    const story = begin([], "found");
    const { engine } = story;
    await engine.up(waf());
    assert.equal(name(story), "found");
    assert.deepEqual(await engine.drift(), []);
    await engine.refresh();
    assert.equal(engine.state.get("waf")?.inputs["name"], undefined);
    assert.deepEqual(await engine.preview(waf({ name: "ours" })), ["update waf"]);
    await engine.up(waf({ name: "ours" }));
    assert.deepEqual(await engine.preview(waf()), [], "a name that is no longer declared stays");
    rename(story, "theirs");
    assert.deepEqual(await engine.drift(), ["waf"]);
    rename(story, "ours");
    await engine.up(waf({ rules: [ours, { ...ours, expression: "false" }] }));
    assert.equal(name(story), "ours");
    await engine.destroy();
    assert.equal(name(story), "found");
  });
});
