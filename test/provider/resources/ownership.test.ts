import assert from "node:assert/strict";
import { toDeclaration } from "../../../provider/src";
import { createClient } from "../../../provider/src/api/create-client";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import type { RuleSeed } from "../../../simulator/src";
import { each } from "../../support/each";
import type { Properties } from "../small-engine/checkpoint";
import { quietZone, useStories, zoneA } from "../small-engine/zones";
import { made, names, rule } from "./support/skip-rules";

const theirs = made("theirs");
const zoneOf = (...rules: RuleSeed[]) => ({ [zoneA]: { ...quietZone, entrypoint: { name: "n", rules } } });

describe("The owner of a rule", () => {
  const begin = useStories(managedWafEntrypoint);

  it("given an import without ids and an unmanaged rule, when the stack is refreshed and edited, then each rule keeps its owner", async () => {
    const { sim, engine } = await begin(zoneOf(theirs, made("one"), made("two")));
    const inputs = { zoneId: zoneA, foreignRules: "keep", rules: [rule("one"), rule("two")] };
    engine.state.set("waf", { id: zoneA, inputs, outputs: inputs, hasInitErrors: false });
    await engine.refresh();
    assert.deepEqual(await engine.preview({ waf: inputs }), []);
    await engine.up({ waf: { ...inputs, rules: [rule("one", { expression: "true" }), rule("two")] } });
    assert.deepEqual(names(sim), ["theirs", "one", "two"]);
  });

  it("given a service that stores another description, when the stack is refreshed, updated and destroyed, then the rule is still ours", async () => {
    const { sim, engine } = await begin(zoneOf(theirs));
    const storeWithout = async (inputs: Properties) => {
      sim.faults.add({ method: "PUT", path: "/entrypoint", kind: "missing-fields", fields: ["description"] });
      await engine.up({ waf: inputs });
      for (const { id } of sim.zone(zoneA).entrypoint?.rules.slice(1) ?? []) {
        sim.dashboard.changeRule(zoneA, id, { description: "as it likes" });
      }
    };
    const inputs = { zoneId: zoneA, foreignRules: "keep", rules: [rule("one"), rule("two")] };
    await storeWithout(inputs);
    await engine.refresh();
    await storeWithout(inputs);
    assert.deepEqual(names(sim), ["theirs", "as it likes", "as it likes"]);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs"]);
  });

  it("given a service that changes case and white space, then that is neither drift nor an unmanaged rule", async () => {
    const { sim, engine } = await begin(zoneOf(theirs));
    const overrides = { action: "log", rules: [{ id: "1".repeat(32), action: "block" }] };
    const run = rule(" two\n", { action: "execute", actionParameters: { id: "2".repeat(32), overrides } });
    const rules = [rule("one", { description: "one " }), run];
    const inputs = { zoneId: zoneA, foreignRules: "keep", rules };
    await engine.up({ waf: inputs });
    const store = (words: (word: string) => string): void => {
      sim.edit(zoneA, ({ entrypoint }) => {
        for (const one of entrypoint?.rules.slice(1) ?? []) {
          Object.assign(one, { action: words(one.action), description: one.description?.trim() });
          const { overrides: there } = one.action_parameters ?? {};
          if (there) Object.assign(there, { action: words("log") });
          for (const override of Object(there)["rules"] ?? []) override.action = words("block");
        }
      });
    };
    store((word) => ` ${word.toUpperCase()}`);
    assert.deepEqual(await engine.drift(), []);
    await engine.refresh();
    assert.deepEqual(await engine.preview({ waf: inputs }), []);
    assert.deepEqual(await engine.preview({ waf: { ...inputs, rules: [rule("one"), run] } }), []);
    store((word) => word.trim().toLowerCase());
    await engine.up({ waf: { ...inputs, rules: [rule("one", { enabled: false }), run] } });
    assert.deepEqual(each(sim.zone(zoneA).entrypoint?.rules, "enabled"), [true, false, true]);
    await engine.destroy();
    assert.deepEqual(names(sim), ["theirs"]);
  });

  it("given rules with null fields, when they are declared without these, then nothing is written, also not after a refresh", async () => {
    const { sim, engine } = await begin(zoneOf(theirs));
    sim.edit(zoneA, ({ entrypoint }) => {
      Object.assign(entrypoint?.rules[0]?.action_parameters ?? {}, { more: { a: null, b: [1, null] } });
    });
    const client = createClient({ baseUrl: sim.url, token: sim.token, service: "page_guard" });
    const live = (await client.getEntrypoint(zoneA)) ?? assert.fail();
    const inputs = { zoneId: zoneA, ...toDeclaration(live) };
    await engine.up({ waf: inputs });
    await engine.refresh();
    assert.deepEqual(await engine.preview({ waf: inputs }), []);
    assert.equal(sim.changing().length, 0);
  });

  it("given an unmanaged rule that a refresh read under overwrite, when the program changes to keep, then the rule stays", async () => {
    const { sim, engine } = await begin({ [zoneA]: quietZone });
    const declared = (foreignRules: string) => ({ zoneId: zoneA, foreignRules, rules: [rule("one")] });
    await engine.up({ waf: declared("overwrite") });
    sim.dashboard.addRule(zoneA, theirs);
    await engine.refresh();
    assert.deepEqual(await engine.preview({ waf: declared("overwrite") }), ["update waf"]);
    await engine.up({ waf: declared("keep") });
    assert.deepEqual(names(sim), ["one", "theirs"]);
  });

  it("given a field that the program no longer declares, when that is applied, then the field is removed; fields that it never declared stay", async () => {
    const { sim, engine } = await begin({ [zoneA]: quietZone });
    const declared = (extra: Properties): Properties => ({
      zoneId: zoneA,
      rules: [rule("one", { actionParameters: { extra } }), rule("two")],
    });
    await engine.up({ waf: declared({ rulesets: ["a"], phases: ["http_request_sbfm"] }) });
    sim.edit(zoneA, ({ entrypoint }) => {
      Object.assign(entrypoint?.rules[1]?.action_parameters ?? {}, { products: ["waf"] });
    });
    assert.deepEqual(await engine.preview({ waf: declared({ rulesets: ["a"] }) }), ["update waf"]);
    await engine.up({ waf: declared({ rulesets: ["a"] }) });
    const [one, two] = sim.zone(zoneA).entrypoint?.rules ?? [];
    assert.equal(one?.action_parameters?.["phases"], undefined);
    assert.deepEqual(two?.action_parameters?.["products"], ["waf"]);
    assert.deepEqual(await engine.preview({ waf: declared({ rulesets: ["a"] }) }), []);
  });
});
