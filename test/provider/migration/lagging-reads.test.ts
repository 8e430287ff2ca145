import assert from "node:assert/strict";
import type { WafSeed } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import { QuickStory } from "./support/quick-story";

/** Every read shows the zone as it was half a minute ago. */
const behind = { lagMs: 30_000, lagsEverywhere: true, firewallRules: 1 } satisfies WafSeed;
const restartMs = 4800;

describe("A service whose reads are half a minute behind", () => {
  for (const first of ["old", "validation"] as const)
    it(`given a zone in ${first}, when the machine dies at the finishing request, then the next update sends none, waits until the migration has ended, and adopts it`, async () => {
      const story = new QuickStory(behind);
      if (first === "validation") await story.up({ stage: "validation" });
      story.time.pass(60_000);
      await story.killAtFinish({});
      story.time.pass(restartMs);
      await story.up({});
      const { acceptedPending, repeatedPending } = story.waf;
      assert.deepEqual([acceptedPending, repeatedPending, story.recorded["reached"]], [1, 0, "finished"]);
    });

  it("given an empty or a complete state, then the update reads the zone twice, half a minute apart, and says so once", async () => {
    for (const first of ["old", "validation"] as const) {
      const story = new QuickStory(behind);
      if (first === "validation") await story.up({ stage: "validation" });
      story.time.pass(3_600_000);
      story.looks.length = 0;
      const began = story.time.now();
      await story.up({});
      const [sent = assert.fail()] = story.sent.slice(-1);
      assert.ok(sent.at - began >= 30_000, `${sent.at - began} ms`);
      const codes = story.told.map(placeAndCode).filter((code) => code.includes("settling"));
      assert.deepEqual(codes, ["[migration-settling]"]);
    }
  });

  it("given reads that are further behind, when the service answers that a finish was already accepted, then the update waits for that finish", async () => {
    const story = new QuickStory({ ...behind, lagMs: 300_000 });
    await story.killAtFinish({});
    story.time.pass(restartMs);
    await story.up({});
    const { acceptedPending, refusedPending } = story.waf;
    assert.deepEqual([acceptedPending, refusedPending, story.recorded["reached"]], [1, 1, "finished"]);
    // The update does not wait long enough.
    const other = new QuickStory({ ...behind, lagMs: 3_600_000 });
    await other.killAtFinish({});
    other.time.pass(restartMs);
    // Not every service has an HTTP status of its own for this.
    const message = "the migration of this zone has been accepted already";
    other.sim.faults.add({ method: "PUT", kind: "status", status: 400, message });
    const failure = await other.upFails({ timeoutMinutes: 1 });
    assert.match(
      failure,
      /after 1 min the zone shows .*"the migration of this zone has been accepted already"\. /,
    );
    assert.doesNotMatch(failure, /Nothing has changed/);
    const { length } = other.sent;
    other.time.pass(3_600_000);
    await other.up({});
    assert.deepEqual([other.recorded["reached"], other.sent.length], ["finished", length]);
  });

  it("given a finish without a response, when the zone seems to be not eligible any more, then the update reads again before it refuses", async () => {
    const story = new QuickStory(behind);
    story.sim.faults.add({ method: "PUT", kind: "reset-after", count: 1 });
    assert.match(await story.upFails({}), /the finishing request got no clear response/);
    story.waf.eligible = false;
    await story.up({});
    assert.deepEqual([story.sent.length, story.recorded["reached"]], [1, "finished"]);
  });
});
