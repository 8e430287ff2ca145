import assert from "node:assert/strict";
import { QuickStory } from "./support/quick-story";

const colleague = { expression: 'ip.src eq "192.0.2.7"', description: "a colleague's" };

/** Returns what the finishing request of a story has sent: its rules, by their descriptions. */
async function finish(story: QuickStory): Promise<readonly string[]> {
  await story.up({});
  assert.equal(story.sent.length, 1);
  return story.descriptions;
}

describe("A rule of the previous WAF that somebody adds while a migration finishes", () => {
  it("is migrated if it was added between the two readings", async () => {
    const story = new QuickStory({ firewallRules: 1 });
    let configurations = 0;
    story.meanwhile = ({ path }) => {
      if (path.includes("/config")) configurations += 1;
      // The first reading is the preview's.
      if (configurations === 2 && story.waf.firewallRules.length === 1)
        story.waf.firewallRules.push(colleague);
    };
    assert.ok((await finish(story)).includes("a colleague's"));
  });

  it("is migrated if it was added while the request waited for the rate limit", async () => {
    const story = new QuickStory({ firewallRules: 1 });
    const { time, wire } = story;
    let configurations = 0;
    story.wire = async (request, signal) => {
      const { answer } = await wire(request, signal);
      assert.ok(answer);
      if (request.url.includes("/config")) configurations += 1;
      // After the second reading, the limit is used up.
      const used = configurations === 3 && { ratelimit: '"default";r=0;t=60' };
      return { answer: { ...answer, headers: { ...answer.headers, ...used } } };
    };
    const pass = time.pass.bind(time);
    time.pass = (milliseconds) => {
      pass(milliseconds);
      if (milliseconds === 10_000 && story.waf.firewallRules.length === 1)
        story.waf.firewallRules.push(colleague);
    };
    assert.ok((await finish(story)).includes("a colleague's"));
    assert.equal(story.waf.firewallRules.length, 2);
  });
});
