import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { notInState } from "../../command/src/approval/carried-out";
import { entrypoint, migration, outputOf, settings } from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";
import { from, resource, useYaml, migration as yamlMigration } from "./support/yaml-program";

const quiet = { scripts: 0, connections: 0, cookies: 0 };
const enterprise = { ...quiet, plan: "enterprise", waf: { owasp: true, firewallRules: 1 } } as const;

/** What a second run of the same approval finds in the state. */
function othersIn({ file }: Pipeline, { checkpoint: state }: Stack): readonly string[] {
  const [approved, { checkpoint }] = [file, state].map((path) => JSON.parse(readFileSync(path, "utf8")));
  return notInState(approved, checkpoint.latest.resources);
}

describe("On the engine: a ManagedWafEntrypoint with the rules of a migration", function () {
  const begin = useStories(this);

  it("given a validation and a finish, when each is approved and applied, then the rules need no --allow, and the next preview is empty", async () => {
    const { sim, stack } = await begin({ [zoneA]: enterprise });
    const pipeline = new Pipeline(stack);
    const both = (stage: string) => ({
      waf: migration({ zoneId: zoneA, confirm: zoneA, stage }),
      list: entrypoint({
        zoneId: zoneA,
        name: outputOf("waf", "configuration", "name"),
        rules: outputOf("waf", "configuration", "rules"),
      }),
    });
    for (const stage of ["validation", "finished"]) {
      stack.declare(both(stage));
      await pipeline.approve();
      await pipeline.applies();
      assert.deepEqual(othersIn(pipeline, stack), []);
    }
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    assert.ok((sim.zone(zoneA).entrypoint?.rules.length ?? 0) > 0);
    assert.deepEqual(changesOf(await stack.preview()), []);
  });

  it("given a program in YAML, when the finish is approved and applied, then the rules need no --allow, and the next preview is empty", async () => {
    const { sim, stack } = await begin({ [zoneB]: enterprise });
    const declare = await useYaml(stack);
    const pipeline = new Pipeline(stack);
    declare({
      resources: {
        waf: yamlMigration({ zoneId: zoneB }),
        list: resource("ManagedWafEntrypoint", { zoneId: zoneB, rules: from("waf.configuration.rules") }),
      },
    });
    await pipeline.approve();
    await pipeline.applies();
    assert.equal(sim.zone(zoneB).waf.acceptedPending, 1);
    assert.deepEqual(changesOf(await stack.preview()), []);
  });

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
    assert.deepEqual(othersIn(pipeline, stack), [
      "list (ManagedWafEntrypoint) does not have the migration's rules, name",
    ]);
  });
});
