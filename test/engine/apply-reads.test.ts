import assert from "node:assert/strict";
import { useStories, zoneA } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";
import { from, resource, useYaml } from "./support/yaml-program";
import { skip, text, zone } from "./support/zone-of-others";

describe("A read before what deletes, in YAML through review and apply", function () {
  const begin = useStories(this);
  const after = { dependsOn: [from("look")] };
  const look = (kind: string, state: object) => ({
    type: `page-guard:${kind}`,
    get: { id: zoneA, state: { zoneId: zoneA, ...state } },
  });

  it("hides no rule that is lost: what is refused is not approved, what is overwritten is in the review", async () => {
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
    it(`hides no policy that is lost, read ${isReadFirst ? "before" : "after"} the exact set: the review names what it deletes`, async () => {
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
