import assert from "node:assert/strict";
import { oneAtATime } from "../../../provider/src/lifecycle/one-at-a-time";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import { zoneA, zoneB } from "../small-engine/zones";

describe("Work on a zone", () => {
  it("is done one after the other for one zone, in any spelling, also after a failure; side by side for others", async () => {
    const run = createRun({ env: {} });
    const done: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        done.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        done.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const [first, second, other] = await Promise.allSettled([
      oneAtATime(run, zoneA, work("first", true)),
      oneAtATime(run, zoneA.toUpperCase(), work("second")),
      oneAtATime(run, zoneB, work("other")),
    ]);
    assert.deepEqual([first.status, second.status, other.status], ["rejected", "fulfilled", "fulfilled"]);
    assert.deepEqual(
      done.filter((what) => !what.startsWith("other")),
      ["first begins", "first ends", "second begins", "second ends"],
    );
    assert.ok(done.indexOf("other begins") < done.indexOf("first ends"));
  });
});
