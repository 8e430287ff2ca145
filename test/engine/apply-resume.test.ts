import assert from "node:assert/strict";
import { entrypoint, policySet, settings } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";

const quiet = { scripts: 0, connections: 0, cookies: 0 };

describe("On the engine: an approved update that was cut off", function () {
  const begin = useStories(this);

  it("given an apply that was cut off after it deleted policies and rules, when it runs again, then --allow accepts its own deletions, but not those of a colleague, and the rest is done", async () => {
    const { sim, stack } = await begin({
      [zoneA]: quiet,
      [zoneB]: { ...quiet, plan: "enterprise", entrypoint: { rules: [] } },
    });
    const pipeline = new Pipeline(stack);
    for (const description of ["one", "two"])
      sim.dashboard.putPolicy(zoneA, { description, expression: "true" });
    const hosts = ["a", "b"].map((name) => `http.host eq "${name}.example.com"`);
    const rules = hosts.map((expression) => ({ action: "block", expression }));
    const set = (more: object) =>
      policySet({ zoneId: zoneA, policies: { a: {} }, ...more }, { dependsOn: ["list"] });
    stack.declare({ list: entrypoint({ zoneId: zoneB, rules }), set: set({ policies: { a: {}, b: {} } }) });
    await stack.up();
    stack.declare({
      list: entrypoint({ zoneId: zoneB, rules: rules.slice(1) }),
      set: set({ others: "delete" }),
      watch: settings({ zoneId: zoneA, enabled: true }, { dependsOn: ["set"] }),
    });
    await pipeline.approve();

    const revoke = stack.killAt("all", { at: "processed", method: "DELETE", skip: 2 });
    assert.notEqual((await pipeline.apply()).code, 0);
    revoke();
    stack.unlock();
    const descriptions = () => sim.zone(zoneA).policies.map(({ description }) => description);
    assert.deepEqual(descriptions(), ["a"]);
    const refused = await pipeline.refuses();
    assert.match(
      refused,
      /the policy "one" .* is gone.*The only difference is that part of the update has already been done\. Allow it with --allow/s,
    );

    const kept = sim.zone(zoneA).policies;
    sim.edit(zoneA, ({ policies }) => void policies.splice(0));
    const other = await pipeline.refuses("--allow", "no-change,adopted");
    assert.match(other, /\):\n.*the policy "a" .* is gone\nReview it/);
    sim.edit(zoneA, ({ policies }) => void policies.push(...kept));
    await pipeline.applies("--allow", "no-change,adopted");
    assert.deepEqual(descriptions(), ["a"]);
    assert.equal(sim.zone(zoneA).settings.enabled, true);
    assert.equal(sim.zone(zoneB).entrypoint?.rules.length, 1);
  });

  it("given an apply whose pulumi got a signal between two steps, then it exits with 1, and --allow no-change does the rest", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet, [zoneB]: quiet });
    const pipeline = new Pipeline(stack);
    stack.declare({
      one: settings({ zoneId: zoneA, enabled: true }),
      two: settings({ zoneId: zoneB, enabled: true }, { dependsOn: ["one"] }),
    });
    await pipeline.approve();
    const revoke = sim.onRequest(({ method }) => {
      if (method !== "PUT") return;
      revoke();
      const cli = stack.processes().find(({ command }) => command.startsWith("pulumi up "));
      process.kill(cli?.pid ?? assert.fail("no CLI is running"), "SIGTERM");
    });
    const { code, out, err } = await pipeline.apply();
    assert.equal(code, 1, out + err);
    assert.match(out, /PageGuardSettings one created/);
    assert.match(err, /^error: the stack: update canceled$/m);
    assert.equal(sim.changing().length, 1);
    await pipeline.applies("--allow", "no-change,adopted");
    assert.equal(sim.zone(zoneB).settings.enabled, true);
  });
});
