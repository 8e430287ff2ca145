import assert from "node:assert/strict";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import { each } from "../../../support/each";
import type { Properties } from "../../small-engine/checkpoint";
import { ourPolicies, policy, quietZone, useStories, zoneA, zoneB } from "../../small-engine/zones";
import { set } from "../support/policy-set";

describe("CspPolicySet and undeclared policies", () => {
  const begin = useStories(cspPolicySet);
  const declared = (others: string, policies: Record<string, Properties> = { a: {} }) => ({
    set: set(policies, { others }),
  });

  it("given keep, when the zone has undeclared policies, then they stay and are not reported, and a preview without changes sends no request", async () => {
    const { sim, engine } = await begin();
    await engine.up(declared("keep"));
    assert.deepEqual(engine.warnings, []);
    sim.journal.clear();
    await engine.preview(declared("keep"));
    assert.equal(sim.journal.length, 0);
    await engine.destroy();
    assert.equal(sim.zone(zoneA).policies.length, 1);
  });

  it("given refuse, when the zone has undeclared policies, then each preview fails and names them; without them, a preview reads the list once and passes", async () => {
    const { sim, engine } = await begin();
    const told = await engine.previewFails(declared("refuse"));
    assert.match(told, /^others: .*"somebody's".*\[csp-undeclared\]/);
    for (const { id } of sim.zone(zoneA).policies) sim.dashboard.deletePolicy(zoneA, id);
    await engine.up(declared("refuse"));
    sim.journal.clear();
    assert.deepEqual(await engine.preview(declared("refuse")), []);
    assert.deepEqual(each(sim.journal, "method"), ["GET"]);
    sim.dashboard.putPolicy(zoneA, { ...policy({ description: "late" }), id: "late" });
    assert.match(await engine.previewFails(declared("refuse")), /"late"/);
    assert.match(await engine.upFails(declared("refuse")), /"late"/);
    assert.ok(sim.zone(zoneA).policies.some(({ id }) => id === "late"));
  });

  it("given delete, when the zone has many undeclared policies, then each is named", async () => {
    const { sim, engine } = await begin({ [zoneA]: { ...quietZone, policies: [] } });
    for (let at = 0; at < 70; at += 1)
      sim.dashboard.putPolicy(zoneA, { ...policy({ description: `p${at}` }), id: `id${at}` });
    await engine.preview(declared("delete"));
    const told = engine.warnings.filter(({ text }) =>
      /the policy "p\d+", so the update deletes it. Its id/.test(text),
    );
    assert.equal(told.length, 70);
  });

  it("given delete, when someone adds a policy, then a refresh reports drift once, the preview plans an update that names the policy, and the update deletes it", async () => {
    const { sim, engine } = await begin();
    await engine.up(declared("delete"));
    assert.match(engine.warned[0] ?? "", /^others: .*"somebody's".*\[csp-undeclared-deleted\]$/);
    assert.deepEqual(each(sim.zone(zoneA).policies, "description"), ["a"]);
    assert.deepEqual(await engine.preview(declared("delete")), []);
    assert.deepEqual(await engine.drift(), []);
    sim.dashboard.putPolicy(zoneA, { ...policy({ description: "late\u001b[2J" }), id: "late" });
    assert.deepEqual(await engine.drift(), ["set"]);
    await engine.refresh();
    assert.deepEqual(engine.outputs("set")["undeclared"], ['"late[2J"']);
    assert.deepEqual(await engine.drift(), [], "reported once");
    assert.deepEqual(await engine.preview(declared("delete")), ["update set"]);
    assert.match(engine.warned[0] ?? "", /"late\[2J"/);
    await engine.up(declared("delete"));
    assert.match(engine.warned[0] ?? "", /"late\[2J"/);
    assert.deepEqual(ourPolicies(sim), ["a"]);
    assert.deepEqual(engine.outputs("set")["undeclared"], []);
    assert.deepEqual(await engine.preview(declared("delete")), []);
  });

  it("given delete, when a policy is added after the update has read the list, then it is not deleted without having been named", async () => {
    const { sim, engine } = await begin();
    await engine.up(declared("delete"));
    const stop = sim.onProcessed(({ method, path }) => {
      if (method === "GET" && path.endsWith("/policies"))
        sim.dashboard.putPolicy(zoneA, { ...policy({ description: "late" }), id: "late" });
      return undefined;
    });
    await engine.up(declared("delete", { a: { enabled: false } }));
    stop();
    assert.deepEqual(ourPolicies(sim), ["a", "late"]);
  });

  it("given an exact set and another set of the same zone, when they are previewed, then they are refused, in either order", async () => {
    const { engine } = await begin({ [zoneA]: { ...quietZone, policies: [] }, [zoneB]: quietZone });
    const program = (one: string, two: string, zoneId = zoneA) => ({
      one: set({ a: {} }, { others: one }),
      two: set({ b: {} }, { others: two, zoneId }),
    });
    for (const refused of [program("refuse", "keep"), program("keep", "delete"), program("delete", "delete")])
      assert.match(await engine.previewFails(refused), /\[csp-set-not-alone\]/);
    for (const fine of [program("keep", "keep"), program("refuse", "keep", zoneB)])
      await engine.preview(fine);
  });
});
