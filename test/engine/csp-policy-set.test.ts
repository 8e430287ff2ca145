import assert from "node:assert/strict";
import { policy, policySet } from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";
import { from, resource, useYaml } from "./support/yaml-program";

const entries = { a: {}, b: { value: "img-src 'self'" }, c: { value: "font-src 'self'" } };

const set = (policies: Record<string, Record<string, unknown>>) => policySet({ zoneId: zoneA, policies });

/** Program that declares the three policies of the set, each as a CspPolicy. */
const apart = Object.fromEntries(
  Object.entries(entries).map(([key, entry]) => [key, policy({ zoneId: zoneA, description: key, ...entry })]),
);

describe("On the engine: a set of policies", function () {
  const begin = useStories(this);

  it("given a set, when it is applied, edited, changed in the dashboard, renamed with an alias and destroyed, then each preview shows only the keys and fields that differ", async () => {
    const { sim, stack } = await begin({ [zoneA]: zoneWithPolicy });
    stack.declare({ set: set(entries) });
    await stack.up();
    assert.equal(sim.changing().length, 3);
    // Another order and another spelling are no changes.
    const spelt = { b: { value: "  IMG-SRC 'self';" }, c: entries.c, a: { enabled: false }, d: {} };
    stack.declare({ set: set(spelt) });
    assert.deepEqual(changesOf(await stack.preview()), ["update set: policies.a.enabled, policies.d"]);
    await stack.up();
    const id = Object(stack.state()["set"]?.outputs["policyIds"]).b;
    sim.dashboard.putPolicy(zoneA, { id, action: "allow" });
    assert.match(await stack.seesDrift(), /action\s*: "log" => "allow"/);
    await stack.refresh();
    assert.deepEqual(changesOf(await stack.preview()), ["update set: policies.b.action"]);
    await stack.up();
    stack.declare({ renamed: { ...set(spelt), options: { aliases: [{ name: "set" }] } } });
    await stack.expectEmptyPreview();
    await stack.destroy();
    assert.equal(sim.zone(zoneA).policies.length, 1);
  });

  it("given policies, when they move into a set and back, then the zone does not change", async () => {
    const { sim, stack } = await begin();
    stack.declare(apart);
    await stack.up();
    const before = sim.zone(zoneA).policies;
    sim.journal.clear();
    for (const declaration of [{ set: set(entries) }, apart]) {
      stack.declare(declaration);
      await stack.up();
      assert.deepEqual(sim.changing(), []);
      assert.deepEqual(sim.zone(zoneA).policies, before);
    }
    await stack.expectEmptyPreview();
  });

  it("given an exact set and a CspPolicy of one zone, in YAML, when they are previewed in either order, then the preview refuses them", async () => {
    const { sim, stack } = await begin();
    const declare = await useYaml(stack);
    const content = { action: "log", expression: "true", value: "script-src 'self'; object-src 'none'" };
    const single = { zoneId: zoneA, description: "single", ...content };
    declare({ resources: { single: resource("CspPolicy", single) } });
    await stack.up();
    const before = sim.zone(zoneA).policies;
    const exact = { zoneId: zoneA, policies: { a: content }, others: "delete" };
    for (const resources of [
      { single: resource("CspPolicy", single), set: resource("CspPolicySet", exact, behind("single")) },
      { set: resource("CspPolicySet", exact), single: resource("CspPolicy", single, behind("set")) },
    ]) {
      declare({ resources });
      assert.match(await stack.fails("preview"), /\bset\b.*\bsingle\b.*\[csp-set-not-alone\]/);
    }
    assert.deepEqual(sim.zone(zoneA).policies, before);
    declare({});
    await stack.up();
  });
});

const behind = (name: string) => ({ dependsOn: [from(name)] });
