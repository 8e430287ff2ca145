import assert from "node:assert/strict";
import { useStories, zoneA } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";
import { from, resource, useYaml } from "./support/yaml-program";
import { skip, text, zone } from "./support/zone-of-others";

describe("On the engine: reads in a YAML program, beside resources that delete", function () {
  const begin = useStories(this);
  const after = { dependsOn: [from("look")] };
  const look = (kind: string, state: object) => ({
    type: `page-guard:${kind}`,
    get: { id: zoneA, state: { zoneId: zoneA, ...state } },
  });

  it("given a read of an unmanaged rule, when an entry point would lose the rule, then it is not approved; with overwrite, the review names the rule", async () => {
    const { sim, stack, unmanaged } = await begin({ [zoneA]: zone });
    const declare = await useYaml(stack);
    const pipeline = new Pipeline(stack);
    const [rule] = sim.zone(zoneA).entrypoint?.rules ?? [];
    const args = { zoneId: zoneA, rules: [{ ...skip, expression: "false", description: "mine" }] };
    const program = (more: object) => ({
      look: look("ManagedWafEntrypoint", { rules: [{ ...skip, id: rule?.id }] }),
      waf: resource("ManagedWafEntrypoint", { ...args, ...more }, after),
    });
    declare({ resources: program({}) });
    await assert.rejects(pipeline.approve(), /theirs/);
    declare({ resources: program({ foreignRules: "overwrite" }) });
    assert.match(await pipeline.approve(), /theirs/);
    unmanaged.release(String(rule?.id));
    await pipeline.applies();
    const left = sim.zone(zoneA).entrypoint?.rules.map(({ description }) => description);
    assert.deepEqual(left, ["mine"]);
  });

  for (const isReadFirst of [true, false]) {
    it(`given a read ${isReadFirst ? "before" : "after"} an exact set, when it is reviewed, then the review names the policy that the set deletes`, async () => {
      const { sim, stack, unmanaged } = await begin({ [zoneA]: zone });
      const declare = await useYaml(stack);
      const pipeline = new Pipeline(stack);
      const mine = { ...text, expression: "true" };
      const args = { zoneId: zoneA, policies: { mine }, others: "delete" };
      const read = look("CspPolicySet", {});
      declare({
        resources: {
          look: isReadFirst ? read : { ...read, options: { dependsOn: [from("set")] } },
          set: resource("CspPolicySet", args, isReadFirst ? after : {}),
        },
      });
      assert.match(await pipeline.approve(), /checkout/);
      for (const { id } of [...sim.zone(zoneA).policies]) unmanaged.release(id);
      await pipeline.applies();
      const left = sim.zone(zoneA).policies.map(({ description }) => description);
      assert.deepEqual(left, ["mine"]);
    });
  }
});
