import assert from "node:assert/strict";
import { createRun } from "../../../provider/src/lifecycle/run";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import { QuickStory, zoneId } from "./support/quick-story";

const reason = / PULUMI_SKIP_CHECKPOINTS .*\[migration-without-checkpoints\]$/;

describe("A migration without checkpoints", () => {
  const refused = async (story: QuickStory, value: string) => {
    story.env["PULUMI_SKIP_CHECKPOINTS"] = value;
    story.sim.journal.clear();
    assert.match(await story.upFails({ stage: "finished" }), reason, value);
    assert.equal(story.sim.journal.length, 0);
  };

  it("is refused before the first request, for each spelling of the variable, by the previews of a create and of an update, and by the update itself", async () => {
    const story = new QuickStory();
    for (const value of ["true", "1", "TRUE", " yes "]) await refused(story, value);
    assert.equal(story.engine.state.size, 0);
    delete story.env["PULUMI_SKIP_CHECKPOINTS"];
    await story.up({ stage: "validation" });
    await refused(story, "true");
    // An engine that updates without a diff before it.
    const run = createRun({ env: story.env });
    const inputs = wafMigrationStep.parseInputs({ zoneId, stage: "finished", confirm: zoneId });
    const state = wafMigrationStep.parseState(story.recorded);
    const request = { run, id: zoneId, state, inputs, urn: "urn:waf" };
    await assert.rejects(async () => wafMigrationStep.update(request), / PULUMI_SKIP_CHECKPOINTS /);
  });

  it("is accepted if the variable is false, and after the migration has ended", async () => {
    const story = new QuickStory();
    story.env["PULUMI_SKIP_CHECKPOINTS"] = "false";
    await story.up({});
    story.env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    await story.up({ allowForget: true });
    assert.equal(story.sent.length, 1);
  });
});
