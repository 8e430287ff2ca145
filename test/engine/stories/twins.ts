import assert from "node:assert/strict";
import { policy } from "../../real-engine/declaration";
import type { AddStory } from "../../real-engine/shared-stories";
import { zoneWithPolicy } from "../../real-engine/story";

export function twins(addStory: AddStory): void {
  describe("one policy in the state for two resources", () => {
    addStory(
      "given a replacement in another zone that failed after its policy was adopted, when it is run again, then the preview says so, both come apart, and what another resource declares is never deleted",
      { zoneA: zoneWithPolicy, zoneB: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA, zoneB } }) => {
        const inBothZones = () =>
          [zoneA, zoneB]
            .flatMap((zoneId) => sim.zone(zoneId).policies.map(({ description }) => description))
            .filter((description) => description !== "unmanaged");
        stack.declare({ second: policy({ zoneId: zoneA, description: "old" }) });
        await stack.up();
        const id = stack.state()["second"]?.id;

        stack.declare({
          first: policy({ zoneId: zoneA, description: "old" }),
          second: policy({ zoneId: zoneB, description: "new" }, { dependsOn: ["first"] }),
        });
        sim.faults.add({ method: "POST", path: `${zoneB}/page_guard/policies`, kind: "status", status: 400 });
        await stack.upFails("--continue-on-error");
        sim.faults.clear();
        assert.deepEqual([stack.state()["first"]?.id, stack.state()["second"]?.id], [id, id], "one for both");

        const { messages } = await stack.preview();
        const findings = messages.filter(({ text }) =>
          text.includes("is also in the state of first, which keeps it"),
        );
        assert.deepEqual(
          findings.map(({ name, severity }) => [name, severity]),
          [["second", "warning"]],
        );
        await stack.up();
        assert.deepEqual(inBothZones(), ["old", "new"]);
        assert.equal(stack.state()["first"]?.id, id, "the policy of the first was never touched");
        await stack.refresh();
        await stack.expectEmptyPreview();
        await stack.destroy();
        assert.deepEqual(inBothZones(), []);
      },
    );
  });
}
