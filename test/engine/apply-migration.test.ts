import assert from "node:assert/strict";
import { entrypoint, migration, outputOf, settings } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";

const quiet = { scripts: 0, connections: 0, cookies: 0 };
const enterprise = { ...quiet, plan: "enterprise", waf: { owasp: true, firewallRules: 1 } } as const;

describe("On the engine: a ManagedWafEntrypoint with the rules of a migration", function () {
  const begin = useStories(this);

  it("given a zone that has migrated, and another zone, when they are approved and applied, then the rules are compared with those of their own zone", async () => {
    const rule = { action: "log", expression: "true", description: "as found" };
    const { stack } = await begin({ [zoneA]: quiet, [zoneB]: { ...quiet, entrypoint: { rules: [rule] } } });
    const pipeline = new Pipeline(stack);
    stack.declare({
      first: settings({ zoneId: zoneA, enabled: true }),
      waf: migration({ zoneId: zoneB, confirm: zoneB, stage: "finished" }),
      list: entrypoint({
        zoneId: zoneB,
        rules: outputOf("waf", "configuration", "rules"),
        foreignRules: "keep",
      }),
    });
    await pipeline.approve();
    await pipeline.applies();
    assert.deepEqual(pipeline.notInState(), []);
  });

  it("given a program that changes the migration's rules, when it is applied, then apply exits with 2 and names the rules and the name of their list; with overwrite, or in another zone, it refuses before the first change", async () => {
    const { sim, stack } = await begin({ [zoneA]: enterprise, [zoneB]: enterprise });
    const pipeline = new Pipeline(stack);
    const rules = outputOf("waf", "configuration", "rules");
    const waf = migration({ zoneId: zoneA, confirm: zoneA, stage: "finished" });
    for (const list of [
      entrypoint({ zoneId: zoneA, rules, foreignRules: "overwrite" }),
      entrypoint({ zoneId: zoneB, rules }),
    ]) {
      stack.declare({ waf, list });
      await pipeline.approve();
      assert.match(
        await pipeline.refuses(),
        /list \(ManagedWafEntrypoint\): the input rules is only known .*--allow unknown-input=list\.rules\./s,
      );
    }
    assert.deepEqual(sim.changing(), []);
    const first = outputOf("waf", "configuration", "rules", "0");
    const more = { action: "log", expression: "true", description: "of the program" };
    const name = outputOf("waf", "configuration", "rules", "0", "expression");
    const list = entrypoint({ zoneId: zoneA, name, rules: [first, more], foreignRules: "keep" });
    stack.declare({ waf, list });
    await pipeline.approve();
    const { code, out } = await pipeline.apply();
    assert.equal(code, 2, out);
    assert.match(
      out,
      /^The update is done, .*\n {2}zone a0a1\w+: the rules are "bypass 1"; "of the program"; .* instead of "bypass 1"; "Execute.*, the name of the list is "[^"]+" instead of "default"$/m,
    );
    const left = "list (ManagedWafEntrypoint) does not have the migration's rules, name";
    assert.deepEqual(pipeline.notInState(), [left]);
  });
});
