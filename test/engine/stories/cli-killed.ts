import assert from "node:assert/strict";
import type { Tell } from "../../real-engine/told-together";
import { editedTrio, expectNoTrio, expectTrio, inOrder, sharedZone, trio } from "../../real-engine/trio";
import { killedMigration } from "../support/killed-migration";

export function cliKilled(tell: Tell): void {
  describe("the CLI is killed in the middle", () => {
    const newPolicy = { method: "POST", path: "/policies" };
    const entrypointPut = { method: "PUT", path: "entrypoint" };

    tell(
      "given an up, when the CLI is killed and its orphans finish the work, then the next up takes it over",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(inOrder(trio(zoneA)));
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
        expectTrio(sim, zoneA);
        await stack.expectEmptyPreview();
        await stack.refresh("--clear-pending-creates");
        await stack.expectEmptyPreview();
        await stack.destroy();
        expectNoTrio(sim, zoneA);
      },
    );

    tell(
      "given an up, when everything dies at once before a request is carried out, then the next up starts from there",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(inOrder(trio(zoneA)));
        stack.killAllAt({ at: "arrival", ...entrypointPut });
        assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.up();
        expectTrio(sim, zoneA);
        await stack.expectEmptyPreview();
        await stack.destroy();
        expectNoTrio(sim, zoneA);
      },
    );

    tell(
      "given an update and a destroy, when everything dies at once after a request was carried out, then the next run reaches what was wanted",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(inOrder(trio(zoneA)));
        await stack.up();
        stack.declare(inOrder(editedTrio(zoneA)));
        stack.killAllAt({ at: "processed", method: "PUT", path: "/policies/" });
        assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.up();
        expectTrio(sim, zoneA, ", second edition");
        await stack.expectEmptyPreview();
        stack.killAllAt({ at: "processed", ...entrypointPut });
        assert.equal((await stack.run("destroy", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.destroy();
        expectNoTrio(sim, zoneA);
        assert.deepEqual(stack.resources(), []);
      },
    );

    tell(
      "given a replacement in another zone, when everything dies between the new and the old ones, then the next up leaves none behind",
      { zoneA: sharedZone, otherZone: sharedZone },
      async ({ sim, stack, zones: { zoneA, otherZone } }) => {
        stack.declare(inOrder(trio(zoneA)));
        await stack.up();
        stack.declare(inOrder(trio(otherZone)));
        // What is replaced is deleted at the very end.
        stack.killAllAt({ at: "arrival", method: "DELETE", path: "/policies/", isAlone: true });
        assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
        stack.unlock();
        await stack.up();
        expectNoTrio(sim, zoneA);
        expectTrio(sim, otherZone);
        assert.equal(stack.resources().length, 3);
        await stack.expectEmptyPreview();
      },
    );

    killedMigration(tell, "cli");
    killedMigration(tell, "all");
  });
}
