import assert from "node:assert/strict";
import { QuickStory } from "./support/quick-story";

const reason = / PULUMI_SKIP_CHECKPOINTS .*\[migration-without-checkpoints\]$/;

describe("A migration without checkpoints", () => {
  let story: QuickStory;
  beforeEach(() => {
    story = new QuickStory();
  });

  it("is refused before the first request, however the variable says yes: by the preview of a create and of an update", async () => {
    for (const value of ["true", "1", "TRUE", " yes "]) {
      story.env["PULUMI_SKIP_CHECKPOINTS"] = value;
      assert.match(await story.upFails({ stage: "finished" }), reason, value);
    }
    assert.deepEqual([story.sim.journal.length, story.engine.state.size], [0, 0]);

    delete story.env["PULUMI_SKIP_CHECKPOINTS"];
    await story.up({ stage: "validation" });
    story.env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    story.sim.journal.clear();
    const refusal = await story.upFails({ stage: "finished" });
    assert.match(refusal, reason);
    assert.equal(story.sim.journal.length, 0);
  });

  it("is refused by the update itself, too, where the preview could not: nothing is sent that may not be recorded", async () => {
    story.sim.faults.add({ method: "PUT", kind: "reset-before", count: 1 });
    await story.upFails({ stage: "finished" });
    story.env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    story.sim.journal.clear();
    // The engine asks for no diff of a change that has failed.
    assert.match(await story.upFails({ stage: "finished" }), reason);
    assert.equal(story.sim.journal.length, 0);
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
