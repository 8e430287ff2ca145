import assert from "node:assert/strict";
import { createRun } from "../../../provider/src/lifecycle/run";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import { QuickStory, zoneId } from "./support/quick-story";

const reason = / PULUMI_SKIP_CHECKPOINTS .*\[migration-without-checkpoints\]$/;

describe("A migration without checkpoints", () => {
  let story: QuickStory;
  beforeEach(() => {
    story = new QuickStory();
  });

  it("is refused before the first request, however the variable says yes: by the preview of a create and of an update, and by the update itself", async () => {
    for (const value of ["true", "1", "TRUE", " yes "]) {
      story.env["PULUMI_SKIP_CHECKPOINTS"] = value;
      assert.match(await story.upFails({ stage: "finished" }), reason, value);
    }
    assert.deepEqual([story.sim.journal.length, story.engine.state.size], [0, 0]);

    delete story.env["PULUMI_SKIP_CHECKPOINTS"];
    await story.up({ stage: "validation" });
    story.env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    story.sim.journal.clear();
    assert.match(await story.upFails({ stage: "finished" }), reason);
    assert.equal(story.sim.journal.length, 0);
    // An engine that carries out an update without a comparison before it.
    const run = createRun({ env: story.env });
    const inputs = wafMigrationStep.parseInputs({ zoneId, stage: "finished", confirm: zoneId });
    const state = wafMigrationStep.parseState(story.recorded);
    const request = { run, id: zoneId, state, inputs, urn: "urn:waf" };
    await assert.rejects(async () => wafMigrationStep.update(request), / PULUMI_SKIP_CHECKPOINTS /);
  });

  it("is no matter where it says no, and once the migration is finished", async () => {
    story.env["PULUMI_SKIP_CHECKPOINTS"] = "false";
    await story.up({ stage: "finished" });
    story.env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    await story.up({ stage: "finished" });
    await story.up({ stage: "finished", allowForget: true });
    assert.equal(story.sent.length, 1);
  });
});
