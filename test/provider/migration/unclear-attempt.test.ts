import assert from "node:assert/strict";
import { placeAndCode } from "../../support/place-and-code";
import { configuration, hour, mute, nameless, override, QuickStory, zoneId } from "./support/quick-story";

const finished = { stage: "finished", timeoutMinutes: 2 };
const rules = [{ ...configuration.rules[0], enabled: false }];
/** The declared configuration with its rule switched off. */
const off = { configuration: { ...configuration, rules } };

describe("A finish that got no answer", () => {
  it("given that it was taken by a service that no one understands, when someone edits a rule, then the next update asks; notAccepted is refused, and accepted is waited for and never sent again", async () => {
    const story = new QuickStory({
      ...{ firewallRules: 2, stateNames: { ...nameless, new: "x2" }, statusValues: mute },
    });
    await story.up({ stage: "validation" });
    story.sim.faults.add({ method: "PUT", kind: "reset-after", count: 1 });
    await story.upFails(finished);
    assert.equal(story.attempt?.["outcome"], "unknown");
    story.edit();
    story.time.pass(2 * hour);
    const { startedAt } = await story.asked(finished);
    assert.equal(startedAt, story.attempt?.["sentAt"]);

    const answered = (outcome: string, at = startedAt) => ({
      ...finished,
      unclearAttempt: { startedAt: at, outcome },
    });
    const outdated = await story.upFails(answered("notAccepted", "2025-01-01T00:00:00.000Z"));
    assert.equal(placeAndCode(outdated), "unclearAttempt.startedAt [migration-answer-outdated]");
    const refusal = await story.upFails(answered("notAccepted"));
    assert.equal(placeAndCode(refusal), "unclearAttempt [migration-answer-contradicted]");
    assert.match(refusal, /\(compatible: false/);
    await story.up(answered("accepted"));
    assert.deepEqual([story.recorded["reached"], story.recorded["attempt"]], ["finished", undefined]);
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 2]);
    assert.equal(story.descriptions[0], "bypass 1 (off)");
  });
});

describe("A finish that was killed before it was recorded", () => {
  for (const [what, changed] of [
    ["a service that still calls it validation", {}],
    ["that the same update changed the rules", off],
  ] as const)
    it(`given ${what}, then no second finish is sent, and accepted is waited for`, async () => {
      const finish = { ...finished, configuration, ...changed };
      // Check and status go on to say validation for ten minutes after each change, and the list of rules does not.
      const story = new QuickStory({ firewallRules: 2, lagMs: 600_000, repeats: "accept" });
      await story.up({ stage: "validation", configuration });
      story.time.pass(hour);
      await story.killAtFinish(finish);
      // The service does not refuse the question for a configuration.
      story.sim.faults.add({ path: "/waf_migration/config", kind: "status", status: 404 });
      const { question, startedAt } = await story.asked(finish);
      assert.match(question, /a finish of this stack was cut off .* or someone saved the list again/);
      assert.equal(startedAt, story.sim.zones.get(zoneId).entrypoint?.last_updated);
      const back = { stage: "validation", allowForget: true, ruleOverrides: [override] };
      if (changed !== off) assert.equal((await story.asked(back)).startedAt, startedAt);
      const answered = { ...finish, unclearAttempt: { startedAt, outcome: "accepted" } };
      assert.match(await story.upFails(answered), /unclearAttempt says .* new WAF on, previous WAF on/);
      story.time.pass(600_000);
      await story.up(answered);
      assert.deepEqual([story.recorded["reached"], story.waf.stage], ["finished", "new"]);
      assert.deepEqual([story.waf.acceptedPending, story.sent.length], [1, 2]);
    });
});
