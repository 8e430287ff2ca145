import assert from "node:assert/strict";
import type { AddStory } from "../../real-engine/shared-stories";
import {
  expectNoneOfThree,
  expectThree,
  inOrder,
  sharedZone,
  threeEdited,
  threeResources,
} from "../../real-engine/three-resources";
import { killedMigration } from "../support/killed-migration";

export function cliKilled(addStory: AddStory): void {
  describe("the CLI is killed in the middle", () => {
    const newPolicy = { method: "POST", path: "/policies" };
    const entrypointPut = { method: "PUT", path: "entrypoint" };

    addStory(
      "given an up, when the CLI is killed and its orphans finish the work, then the next up takes it over",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(inOrder(threeResources(zoneA)));
        stack.killCliAt({ at: "processed", ...newPolicy });
        assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
        await stack.letOrphansFinish();
        assert.match(
          await stack.upFails(),
          /locked/,
          "the engine wants to hear that nobody is at work any more",
        );
        await stack.run("cancel", "--yes");
        await stack.up();
        expectThree(sim, zoneA);
        await stack.expectEmptyPreview();
        await stack.refresh("--clear-pending-creates");
        await stack.expectEmptyPreview();
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
      },
    );

    addStory(
      "given an up, when everything dies at once before a request is carried out, then the next up starts from there",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(inOrder(threeResources(zoneA)));
        stack.killAllAt({ at: "arrival", ...entrypointPut });
        assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.up();
        expectThree(sim, zoneA);
        await stack.expectEmptyPreview();
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
      },
    );

    addStory(
      "given an update and a destroy, when everything dies at once after a request was carried out, then the next run reaches what was wanted",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(inOrder(threeResources(zoneA)));
        await stack.up();
        stack.declare(inOrder(threeEdited(zoneA)));
        stack.killAllAt({ at: "processed", method: "PUT", path: "/policies/" });
        assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.up();
        expectThree(sim, zoneA, ", second edition");
        await stack.expectEmptyPreview();
        stack.killAllAt({ at: "processed", ...entrypointPut });
        assert.equal((await stack.run("destroy", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
        assert.deepEqual(stack.resources(), []);
      },
    );

    addStory(
      "given a replacement in another zone, when everything dies between the new and the old ones, then the next up leaves none behind",
      { zoneA: sharedZone, otherZone: sharedZone },
      async ({ sim, stack, zones: { zoneA, otherZone } }) => {
        stack.declare(inOrder(threeResources(zoneA)));
        await stack.up();
        stack.declare(inOrder(threeResources(otherZone)));
        // What is replaced is deleted at the very end.
        stack.killAllAt({ at: "arrival", method: "DELETE", path: "/policies/", isAlone: true });
        assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.up();
        expectNoneOfThree(sim, zoneA);
        expectThree(sim, otherZone);
        assert.equal(stack.resources().length, 3);
        await stack.expectEmptyPreview();
      },
    );

    killedMigration(addStory, "cli");
    killedMigration(addStory, "all");
  });
}
