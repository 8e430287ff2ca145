import assert from "node:assert/strict";
import type { FaultSpec } from "../../../provider/src/simulator";
import type { AddStory } from "../../real-engine/shared-stories";
import {
  expectNoneOfThree,
  expectThree,
  sharedZone,
  threeEdited,
  threeResources,
} from "../../real-engine/three-resources";

export function lostAnswers(addStory: AddStory): void {
  describe("answers that are lost, and a service that fails", () => {
    const edition = ", second edition";
    const changes: readonly Pick<FaultSpec, "method" | "path">[] = [
      { method: "POST", path: "/policies" },
      { method: "PUT", path: "/policies/" },
      { method: "PUT", path: /page_guard$/ },
      { method: "PUT", path: "entrypoint" },
      { method: "DELETE", path: "/policies/" },
    ];

    addStory(
      "given a network that loses the answer of every first change, when the stack is applied, edited and destroyed, then each run succeeds and nothing is done twice",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        const loseAnswers = () => {
          sim.faults.clear();
          for (const route of changes) sim.faults.add({ ...route, kind: "reset-after", count: 1 });
        };
        loseAnswers();
        stack.declare(threeResources(zoneA));
        await stack.up();
        expectThree(sim, zoneA);
        assert.equal(sim.requests({ method: "POST" }).length, 1, "a POST is never sent again blindly");
        await stack.expectEmptyPreview();
        loseAnswers();
        stack.declare(threeEdited(zoneA));
        await stack.up();
        expectThree(sim, zoneA, edition);
        await stack.expectEmptyPreview();
        loseAnswers();
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
      },
    );

    addStory(
      "given a service that acts but never answers, when the stack is applied, then it fails with the reason, and the next up finds all done",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        for (const route of changes) sim.faults.add({ ...route, kind: "reset-after" });
        stack.declare(threeResources(zoneA));
        const output = await stack.upFails("--continue-on-error");
        sim.faults.clear();
        expectThree(sim, zoneA);
        assert.match(output, /connection/i);
        // The refresh in between clears the engine's own note of the failure.
        await stack.refresh();
        await stack.up();
        expectThree(sim, zoneA);
        assert.deepEqual(
          stack.resources().map(({ outputs }) => outputs["incomplete"]),
          [undefined, undefined, undefined],
        );
        await stack.expectEmptyPreview();
        // What was found before the failure is not forgotten.
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
      },
    );

    addStory(
      "given an edit whose answers were all lost, when the program takes it back, then the next up takes it back at the service too",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA));
        await stack.up();
        for (const route of changes) sim.faults.add({ ...route, kind: "reset-after" });
        stack.declare(threeEdited(zoneA));
        await stack.upFails("--continue-on-error");
        sim.faults.clear();
        expectThree(sim, zoneA, edition);
        stack.declare(threeResources(zoneA));
        await stack.up();
        expectThree(sim, zoneA);
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given a service that answers 500 to every change, when the stack is applied, edited and made smaller, then nothing changes, and the next up repairs it",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        const fail = () => {
          for (const route of changes) sim.faults.add({ ...route, kind: "500" });
        };
        fail();
        stack.declare(threeResources(zoneA));
        assert.match(await stack.upFails("--continue-on-error"), /HTTP 500/);
        expectNoneOfThree(sim, zoneA);
        sim.faults.clear();
        await stack.up();
        expectThree(sim, zoneA);
        await stack.expectEmptyPreview();

        // Updates, and the deletion of what is in the program no more.
        fail();
        const { csp: _, ...others } = threeEdited(zoneA);
        stack.declare(others);
        const output = await stack.upFails("--continue-on-error");
        for (const name of ["watch", "waf", "csp"])
          assert.match(output, new RegExp(`\\(${name}\\):\\n {4}error: (1 error occurred:\\n)?.*HTTP 500`));
        expectThree(sim, zoneA);
        sim.faults.clear();
        stack.declare(threeEdited(zoneA));
        await stack.refresh();
        await stack.up();
        expectThree(sim, zoneA, edition);
        await stack.expectEmptyPreview();
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
      },
    );

    addStory(
      "given reads that fail, when the stack is refreshed, then nothing is taken for gone",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA));
        await stack.up();
        sim.faults.add({ method: "GET", path: "/policies", kind: "status", status: 403 });
        sim.faults.add({ method: "GET", path: /page_guard$/, kind: "status", status: 502 });
        const said = await stack.fails("refresh", "--yes", "--skip-preview");
        assert.match(said, /refused the API token/);
        assert.match(said, /HTTP 502/);
        sim.faults.clear();
        assert.equal(Object.keys(stack.state()).length, 3);
        await stack.expectEmptyPreview();
      },
    );
  });
}
