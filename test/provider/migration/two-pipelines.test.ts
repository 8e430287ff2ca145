import assert from "node:assert/strict";
import { ZoneStory, zoneId } from "./support/zone-story";

const pairs = 40;

describe("Two pipelines that finish one zone", () => {
  let story: ZoneStory;
  afterEach(() => story.sim.stop());

  /**
   * What both wait for (a zone that has just been changed) would wake them at the same moment, and then only the service
   * could keep the finish at one. This one accepts whatever comes.
   */
  it(`given that both begin within 100 ms right after someone has started validation, then one finish is sent in nearly all of ${pairs} times`, async () => {
    story = await ZoneStory.begin();
    const { sim, clock, pipeline } = story;
    const sent: number[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      sim.journal.clear();
      sim.zones.seed(zoneId, { plan: "enterprise", waf: { repeats: "accept", finishMs: 5000 } });
      sim.dashboard.deployNewWaf(zoneId);
      await clock.sleep(2000);
      const up = () =>
        pipeline.up(undefined, { zoneId, confirm: zoneId, stage: "finished", timeoutMinutes: 5 });
      const ended = await Promise.all([up(), clock.sleep(pair % 100).then(up)]);
      assert.deepEqual(
        ended.map(({ failure }) => failure),
        [undefined, undefined],
      );
      sent.push(story.sent);
    }
    const twice = sent.filter((times) => times > 1).length;
    assert.ok(twice <= pairs / 10, `two were sent in ${twice} of ${pairs}`);
  });
});
