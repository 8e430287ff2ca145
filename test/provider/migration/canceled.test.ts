import assert from "node:assert/strict";
import { hour, minute, QuickStory } from "./support/quick-story";

/** Lets the engine cancel the running update once `isDue` is true of the path of a request. */
function cancelAfter(story: QuickStory, isDue: (path: string) => boolean): void {
  const controller = new AbortController();
  story.ending.cancellation = controller.signal;
  story.meanwhile = ({ path }) => isDue(path) && controller.abort();
}

describe("An update of a migration whose engine ends", () => {
  it("sends nothing if it was canceled before its request, and the next update finishes", async () => {
    for (const stage of ["validation", "finished"]) {
      const story = new QuickStory();
      cancelAfter(story, (path) => path.endsWith("/check"));
      const failure = await story.upFails({ stage });
      assert.match(failure, /the update was canceled\. Nothing was sent\. .*\[migration-canceled\]$/);
      assert.deepEqual([story.sent.length, story.engine.state.size], [0, 0]);
      story.ending.cancellation = new AbortController().signal;
      await story.up({ stage });
      assert.deepEqual([story.sent.length, story.recorded["reached"]], [1, stage]);
    }
  });

  it("sends nothing if it was canceled while its request waited for the rate limit", async () => {
    for (const stage of ["validation", "finished"]) {
      const story = new QuickStory();
      const controller = new AbortController();
      story.ending.cancellation = controller.signal;
      const { time, wire } = story;
      /** Responses to the last reading before the request. They say that the limit is used up. */
      let responses = 0;
      story.wire = async (...request) => {
        const { answer } = await wire(...request);
        assert.ok(answer);
        if (story.looks.length > 2) responses += 1;
        const used = responses > 0 && { ratelimit: '"default";r=0;t=60' };
        return { answer: { ...answer, headers: { ...answer.headers, ...used } } };
      };
      // The limiter waits ten seconds at a time: after three responses, it makes the request of the migration wait.
      const { pass } = time;
      time.pass = (milliseconds) => {
        if (milliseconds === 10_000 && responses === 3) controller.abort();
        pass.call(time, milliseconds);
      };
      assert.match(await story.upFails({ stage }), /canceled\. Nothing was sent\. .*\[migration-canceled\]$/);
      assert.deepEqual([controller.signal.aborted, story.sent.length], [true, 0]);
    }
  });

  it("sends nothing if the engine was killed", async () => {
    const story = new QuickStory();
    story.ending.isEngineGone = true;
    assert.match(await story.upFails({}), /the Pulumi engine has stopped\. Nothing was sent\./);
    assert.equal(story.sent.length, 0);
  });

  it("stops waiting if it was canceled after its request, and the next update waits and sends nothing", async () => {
    const story = new QuickStory({ finishMs: hour });
    cancelAfter(story, (path) => path.endsWith("/status") && story.sent.length > 0);
    const began = story.time.now();
    const failure = await story.upFails({});
    assert.match(
      failure,
      /finish .* was accepted, but when the update was canceled the zone shows new WAF off/,
    );
    assert.ok(story.time.now() - began < minute);
    assert.equal(story.attempt?.["outcome"], "accepted");
    story.ending.cancellation = new AbortController().signal;
    story.time.pass(hour);
    await story.up({});
    assert.deepEqual([story.sent.length, story.recorded["reached"]], [1, "finished"]);
  });
});
