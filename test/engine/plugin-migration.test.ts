import assert from "node:assert/strict";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { expectRefused, harmlessAttempts, lateAttempts, urnsOf } from "./support/refused-migration";
import { from, migration, resource, useYaml, type YamlResource } from "./support/yaml-program";

type Resources = Readonly<Record<string, YamlResource>>;

const watch = resource("PageGuardSettings", { zoneId: zoneA, enabled: true });
const deployed: Resources = { watch, waf: migration({ zoneId: zoneA }) };
const programs = {
  deployed,
  removed: { watch },
  renamed: { watch, renamed: migration({ zoneId: zoneA }) },
  otherZone: { watch, waf: migration({ zoneId: zoneB }) },
  earlierStage: { watch, waf: migration({ zoneId: zoneA, stage: "validation" }) },
};
const urns = urnsOf("page-guard:index:WafMigrationStep");

describe("The migration of the plugin", function () {
  const begin = useStories(this);

  it("given a zone on the previous WAF, when it is migrated, destroyed, removed and released, then it is migrated once, with the refusals of TypeScript", async () => {
    const story = await begin({ [zoneA]: { waf: { firewallRules: 1 } }, [zoneB]: { waf: {} } });
    const { sim, stack } = story;
    const declare = await useYaml(stack);
    const declareAll = (resources: Resources) => declare({ resources });
    const entrypoint = resource("ManagedWafEntrypoint", {
      zoneId: zoneA,
      rules: from("waf.configuration.rules"),
    });
    declare({ resources: { ...deployed, waf: migration({ zoneId: zoneA, confirm: zoneB }) } });
    assert.match(await stack.fails("preview"), /confirm/);
    declare({ resources: { ...deployed, entrypoint } });
    assert.deepEqual(changesOf(await stack.preview()), [
      "create entrypoint",
      "create waf-step",
      "create watch",
    ]);
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 0, "a preview migrates nothing");
    await stack.up();
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    assert.equal(stack.state()["waf-step"]?.protect, true);
    await stack.expectEmptyPreview();
    await stack.expectNoDrift();

    declare({ resources: deployed });
    await stack.up();
    const sent = sim.changing().length;
    for (const attempt of harmlessAttempts<Resources>(programs, urns))
      await expectRefused(story, declareAll, attempt, urns);
    assert.equal((await stack.run("destroy", "--yes", "--skip-preview", "--exclude-protected")).code, 0);
    assert.deepEqual(Object.keys(stack.state()), ["waf-step"]);
    const after = sim.changing().length;
    for (const attempt of lateAttempts(deployed)) await expectRefused(story, declareAll, attempt, urns);

    const keep = stack.state()["waf-step"]?.outputs ?? {};
    const options = { aliases: [{ name: "waf" }], retainOnDelete: true };
    declare({ resources: { moved: migration({ zoneId: zoneA }, options) } });
    await stack.up("--expect-no-changes");
    assert.deepEqual(Object.keys(stack.state()), ["moved-step"]);
    assert.equal(stack.state()["moved-step"]?.retainOnDelete, true);
    assert.deepEqual(stack.state()["moved-step"]?.outputs, keep);
    declare({ resources: { moved: migration({ zoneId: zoneA, allowForget: true }) } });
    await stack.up();
    await stack.destroy();
    assert.deepEqual(stack.resources(), []);
    assert.equal(sim.changing().length, after, "no refusal and no forgetting changes the zone");
    assert.ok(after > sent, "the settings were restored");
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    assert.equal(sim.zone(zoneB).waf.stage, "old");
  });
});
