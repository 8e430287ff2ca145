import assert from "node:assert/strict";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA } from "./real-engine/story";
import { expectThree, sharedZone, threeEdited, threeResources } from "./real-engine/three-resources";

const secondEdition = ", second edition";

describe("On the engine: the options that Pulumi gives every resource", function () {
  const begin = useStories(this);

  it("given an edit of all resources, when an up targets one of them, then the next up updates the others", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(threeResources(zoneA));
    await stack.up();
    stack.declare(threeEdited(zoneA));
    await stack.up("--target", "**CspPolicy::csp");
    assert.equal(sim.zone(zoneA).policies.at(-1)?.description, `checkout${secondEdition}`);
    assert.equal(sim.zone(zoneA).settings.use_connection_url_path, false);
    await stack.up();
    expectThree(sim, zoneA, secondEdition);
    await stack.destroy("--target", "**CspPolicy::csp");
    assert.equal(sim.zone(zoneA).policies.length, 1);
    assert.deepEqual(Object.keys(stack.state()).sort(), ["waf", "watch"]);
    assert.deepEqual(changesOf(await stack.preview()), ["create csp"]);
  });

  it("given protected resources, when they are destroyed, then nothing changes; when they are removed with retainOnDelete, then the zone keeps them", async () => {
    const { sim, stack, unmanaged } = await begin({ [zoneA]: sharedZone });
    stack.declare(threeResources(zoneA, {}, { protect: true }));
    await stack.up();
    await stack.expectEmptyPreview();
    assert.match(await stack.fails("destroy", "--yes"), /protect/);
    // waf-migration-refusals.test.ts removes a protected resource from the program.
    assert.equal(sim.changing().length, 3);
    expectThree(sim, zoneA);
    stack.declare(threeResources(zoneA, {}, { retainOnDelete: true }));
    await stack.up();
    stack.declare({});
    await stack.up();
    assert.deepEqual(stack.resources(), []);
    assert.equal(sim.changing().length, 3, "retained resources are not touched");
    expectThree(sim, zoneA);
    await stack.expectEmptyPreview();
    unmanaged.expectUntouched();
  });

  it("given a stack, when its resources are renamed with an alias, then no request is sent; when they are renamed without one, then the preview says what is lost", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(threeResources(zoneA));
    await stack.up();
    const { watch, csp, waf } = threeResources(zoneA);
    assert.ok(watch && csp && waf);
    stack.declare({
      watch2: { ...watch, options: { aliases: [{ name: "watch" }] } },
      csp2: { ...csp, options: { aliases: [{ name: "csp" }] } },
      waf2: { ...waf, options: { aliases: [{ name: "waf" }] } },
    });
    await stack.expectEmptyPreview();
    await stack.up();
    assert.deepEqual(Object.keys(stack.state()).sort(), ["csp2", "waf2", "watch2"]);
    assert.equal(sim.changing().length, 3);

    stack.declare({ watch3: watch, csp3: csp, waf3: waf });
    const { messages } = await stack.preview();
    const lost = messages.filter(({ text }) =>
      /aliases: \[\{ name: .*Other objects in this zone/s.test(text),
    );
    assert.equal(lost.length, 1, "what a rename loses is reported once per zone");
  });
});
