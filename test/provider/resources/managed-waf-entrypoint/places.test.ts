import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { managedWafEntrypoint } from "../../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { placeAndCode } from "../../../support/place-and-code";
import type { Properties } from "../../small-engine/checkpoint";
import { quickStory, quietZone, zoneA } from "../../small-engine/zones";
import { inspected } from "../support/asked-kind";
import { names } from "../support/skip-rules";

const block = (description: string, more: Properties = {}): Properties => ({
  action: "block",
  expression: 'http.request.uri.path eq "/admin"',
  description,
  ...more,
});
const challenge = { action: "managed_challenge", expression: "true", description: "challenge" };
const running = { action: "execute", expression: "true", description: "run" };
const execute = { ...running, action_parameters: { id: "9".repeat(32) } };
const actionParameters = { extra: { ruleset: "current" } };
const skipping = { action: "skip", expression: 'http.host eq "a"', description: "exception" };
const skip: Properties = { ...skipping, actionParameters };

const waf = (rules: readonly Properties[], more: Properties = {}) => ({
  waf: { zoneId: zoneA, foreignRules: "keep", rules, ...more },
});

describe("The places of an entry point's rules in the zone", () => {
  const begin = (...rules: readonly object[]) =>
    quickStory(managedWafEntrypoint, {
      [zoneA]: { ...quietZone, entrypoint: { name: "shared", rules: [...rules] as never } },
    });

  it("given an unmanaged challenge behind our block, when we add a rule, then the block is still first", async () => {
    const { sim, engine } = begin();
    await engine.up(waf([block("admin")]));
    sim.dashboard.addRule(zoneA, challenge as never, 1);
    await engine.refresh();
    await engine.up(waf([block("admin"), block("more")]));
    assert.deepEqual(names(sim), ["admin", "more", "challenge"]);
    sim.journal.clear();
    await engine.up(waf([block("admin"), block("more")]));
    assert.deepEqual(sim.changing(), []);
    await engine.up(waf([block("admin", { expression: "true" })]));
    assert.deepEqual(names(sim), ["admin", "challenge"]);
    await engine.destroy();
    assert.deepEqual(names(sim), ["challenge"]);
  });

  it("given a new order of our rules, when it is previewed, then the pairs that change places are named; the unmanaged rule keeps its place", async () => {
    const { sim, engine } = begin();
    const [a, b] = [block("a"), block("b")];
    await engine.up(waf([a, b]));
    sim.dashboard.addRule(zoneA, challenge as never, 1);
    await engine.refresh();
    await engine.preview(waf([b, a]));
    const [text = "", ...others] = engine.warned;
    assert.deepEqual(others, []);
    assert.match(text, /^rules: rules change places: .*\[waf-rules-reordered\]$/);
    assert.deepEqual(text.match(/"\w+"(?=, )/g), ['"b"', '"challenge"', '"b"', '"a"', '"challenge"', '"a"']);
    await engine.up(waf([b, a]));
    assert.deepEqual(names(sim), ["b", "challenge", "a"]);
  });

  it("given a new order of rules of which none stops requests or skips, or only switched-off ones do, when it is previewed, then warns of nothing", async () => {
    const log = { action: "log", expression: "true", description: "log" };
    const off = block("off", { enabled: false });
    for (const [first, second] of [
      [log, { ...log, description: "other" }],
      [off, log],
      [off, block("another", { enabled: false })],
    ]) {
      const { sim, engine } = begin();
      await engine.up(waf([first ?? {}, second ?? {}]));
      assert.deepEqual(await engine.preview(waf([second ?? {}, first ?? {}])), ["update waf"]);
      assert.deepEqual(engine.warned, []);
      await engine.up(waf([second ?? {}, first ?? {}]));
      assert.deepEqual(
        names(sim),
        [second, first].map((rule) => rule?.["description"]),
      );
    }
  });

  it("given a change of the input order, when it is applied, then our rules move to that end once, and the preview says so", async () => {
    const { sim, engine } = begin(execute);
    const first = { order: "beforeForeign" };
    await engine.up(waf([skip]));
    assert.deepEqual(names(sim), ["run", "exception"]);
    assert.deepEqual(await engine.preview(waf([skip], first)), ["update waf"]);
    const told = engine.warned.join("\n");
    assert.match(
      told,
      /^order: .* this update moves all declared rules ahead of the unmanaged rules; rules change places: /,
    );
    assert.match(told, / "exception", .* will run before "run", .*\[waf-rules-reordered\]$/);
    await engine.up(waf([skip], first));
    assert.deepEqual(names(sim), ["exception", "run"]);
    sim.dashboard.addRule(zoneA, challenge as never, 0);
    await engine.refresh();
    await engine.up(waf([{ ...skip, expression: "true" }], first));
    assert.deepEqual(names(sim), ["challenge", "exception", "run"], "once");
    assert.deepEqual(await engine.preview(waf([{ ...skip, expression: "true" }])), ["update waf"]);
    await engine.up(waf([{ ...skip, expression: "true" }]));
    assert.deepEqual(names(sim), ["challenge", "run", "exception"]);
  });

  it("given a change of order whose update is cut off before or after its write, when it runs again, then our rules have moved", async () => {
    for (const isDone of [false, true]) {
      const { sim, engine } = begin(execute);
      await engine.up(waf([skip]));
      sim.faults.add({ method: "PUT", kind: isDone ? "reset-after" : "reset-before" });
      // The reads of the preview and of the update before its write succeed.
      if (isDone) sim.faults.add({ method: "GET", path: "entrypoint", kind: "status", status: 403, skip: 2 });
      await engine.upFails(waf([skip], { order: "beforeForeign" }));
      sim.faults.clear();
      assert.equal(engine.outputs("waf")["incomplete"], true);
      await engine.up(waf([skip], { order: "beforeForeign" }));
      assert.deepEqual(names(sim), ["exception", "run"], String(isDone));
    }
  });

  it("given rules that someone moves, when the stack is refreshed, then that is drift only if the order among our rules has changed", async () => {
    const { sim, engine } = begin(execute);
    const rules = [block("a"), block("b")];
    await engine.up(waf(rules));
    const order = (...wanted: readonly string[]) => {
      const all = sim.zone(zoneA).entrypoint?.rules ?? [];
      const moved = wanted.flatMap((name) => all.filter((one) => one.description === name));
      sim.dashboard.putEntrypoint(zoneA, { rules: moved } as never);
    };
    order("a", "run", "b");
    await engine.refresh();
    assert.deepEqual(await engine.preview(waf(rules)), []);
    order("b", "run", "a");
    await engine.refresh();
    assert.deepEqual(await engine.preview(waf(rules)), ["update waf"]);
    await engine.up(waf(rules));
    assert.deepEqual(names(sim), ["a", "run", "b"]);
  });

  it("given a skip rule without a managed ruleset after it in the new list, when it is previewed, then the preview says so", async () => {
    const { engine } = begin(execute);
    const run = { ...running, actionParameters: { id: "9".repeat(32) } };
    const said = async (more: Properties) => {
      await engine.preview(waf([skip], more));
      return engine.warnings.map(({ text }) => placeAndCode(text));
    };
    assert.deepEqual(await said({}), ["rules[0] [waf-skips-nothing]"]);
    assert.deepEqual(await said({ order: "beforeForeign" }), []);
    // Without unmanaged rules, the check of the program finds it.
    for (const [rules, places] of [
      [[skip], ["rules[0]"]],
      [[skip, run], []],
      [[run, skip], ["rules[1]"]],
      [[skip, unknownValue], []],
    ] as const) {
      const found = inspected(managedWafEntrypoint, { zoneId: zoneA, rules });
      const told = found.map(({ code, property }) => `${property} ${code}`);
      assert.deepEqual(
        told,
        places.map((place) => `${place} waf-skips-nothing`),
      );
    }
  });

  it("given order without foreignRules keep, when it is previewed, then it is refused", async () => {
    for (const foreignRules of ["refuse", "overwrite", undefined]) {
      const { engine } = begin();
      const said = await engine.previewFails(waf([block("a")], { foreignRules, order: "afterForeign" }));
      assert.match(said, /order requires foreignRules "keep":.*\[input-invalid\]/);
    }
  });
});
