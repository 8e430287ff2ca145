import assert from "node:assert/strict";
import { createRun } from "../../../provider/src/lifecycle/process-run";

describe("What a run takes from its environment", () => {
  it("is whether checkpoints are skipped, and whether the service may be asked", () => {
    assert.equal(createRun({ env: {} }).skipsCheckpoints, false);
    assert.equal(createRun({ env: { PULUMI_SKIP_CHECKPOINTS: "true" } }).skipsCheckpoints, true);
    assert.equal(createRun({ env: {} }).isOffline, false);
    assert.equal(createRun({ env: { PAGE_GUARD_OFFLINE: "1" } }).isOffline, true);
  });

  it("sleeps where no one gives it another clock, and wakes up", async () => {
    const waits = createRun({ env: {} }).sleep(0);
    const [first] = await Promise.all([
      Promise.race([waits.then(() => "waited"), Promise.resolve("at once")]),
      waits,
    ]);
    assert.equal(first, "at once");
  });
});
