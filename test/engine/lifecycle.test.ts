import assert from "node:assert/strict";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA } from "./real-engine/story";
import { expectNoneOfThree, expectThree, sharedZone, threeResources } from "./real-engine/three-resources";

describe("On the engine: from the first up to the last destroy", function () {
  const begin = useStories(this);

  it("given a new stack, when it is previewed, applied twice and destroyed twice, then nothing is done twice and the zone ends as it began", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(threeResources(zoneA));
    assert.deepEqual(changesOf(await stack.preview()), ["create csp", "create waf", "create watch"]);
    assert.equal(sim.changing().length, 0, "a preview changes nothing");
    await stack.up();
    expectThree(sim, zoneA);
    assert.equal(sim.changing().length, 3, "one request for each resource");
    await stack.up();
    assert.equal(sim.changing().length, 3, "the second up sends no changing request");
    await stack.expectEmptyPreview();
    await stack.destroy();
    expectNoneOfThree(sim, zoneA);
    sim.journal.clear();
    await stack.destroy();
    assert.equal(sim.journal.length, 0);
  });
});
