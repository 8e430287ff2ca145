import assert from "node:assert/strict";
import type { WafSeed } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import { configuration, hour, mute, nameless, override, QuickStory, zoneId } from "./support/quick-story";

const finished = { stage: "finished", timeoutMinutes: 2 };
const rules = [{ ...configuration.rules[0], enabled: false }];
/** The declared configuration with its rule switched off. */
const off = { configuration: { ...configuration, rules } };

describe("A finish that got no answer", () => {
  let story: QuickStory;

  /** Brings a zone into validation, then loses a finish (`reset-before`) or the response to it (`reset-after`). */
  async function lose(kind: "reset-before" | "reset-after", waf: WafSeed = {}): Promise<void> {
    story = new QuickStory({ firewallRules: 2, ...waf });
    await story.up({ stage: "validation" });
    story.sim.faults.add({ method: "PUT", kind, count: 1 });
    await story.upFails(finished);
    assert.equal(story.attempt?.["outcome"], "unknown");
  }

  /** Like `lose`, but then lets someone edit a rule, so that the next update asks. Returns the `startedAt` of the answer. */
  async function loseAndEdit(...how: Parameters<typeof lose>): Promise<string> {
    await lose(...how);
    story.edit();
    story.time.pass(2 * hour);
    return (await story.asked(finished)).startedAt;
  }

  it("given that it never arrived and that someone then edits a rule, then the next update asks, follows the answer, and refuses to undo the edit", async () => {
    const startedAt = await loseAndEdit("reset-before");
    assert.equal(startedAt, story.attempt?.["sentAt"]);
    const other = { startedAt: "2025-01-01T00:00:00.000Z", outcome: "notAccepted" };
    const outdated = await story.upFails({ ...finished, unclearAttempt: other });
    assert.equal(placeAndCode(outdated), "unclearAttempt.startedAt [migration-answer-outdated]");

    const notAccepted = { ...finished, unclearAttempt: { startedAt, outcome: "notAccepted" } };
    assert.match(
      await story.upFails(notAccepted),
      /: changed: "bypass 1", .*: enabled \(in the zone: false, in this stack: true\)\. .*\[migration-edited\]$/,
    );
    const live = ["bypass 1 (off)", ...story.descriptions.slice(1)];
    assert.deepEqual([story.descriptions, story.sent.length], [live, 2]);

    await story.up({ ...notAccepted, configuration });
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 3]);
  });

  it("given that a service with unknown state names accepted it, when someone edits a rule, then the answer notAccepted is refused, and after accepted the update waits and sends nothing again", async () => {
    const stateNames = { ...nameless, new: "x2" };
    const startedAt = await loseAndEdit("reset-after", { stateNames, statusValues: mute });
    const notAccepted = { startedAt, outcome: "notAccepted" };
    const refusal = await story.upFails({ ...finished, unclearAttempt: notAccepted });
    assert.equal(placeAndCode(refusal), "unclearAttempt [migration-answer-contradicted]");
    assert.match(refusal, /\(compatible: false/);
    await story.up({ ...finished, unclearAttempt: { startedAt, outcome: "accepted" } });
    assert.deepEqual([story.recorded["reached"], story.recorded["attempt"]], ["finished", undefined]);
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 2]);
    assert.equal(story.descriptions[0], "bypass 1 (off)");
  });
});

describe("A finish that was cut off before the state contained it", () => {
  for (const [what, changed] of [
    ["a service that still reports validation", {}],
    ["an update that also changed the rules", off],
  ] as const)
    it(`given ${what}, then no second finish is sent, and after the answer accepted the update waits for the end`, async () => {
      const finish = { ...finished, configuration, ...changed };
      // Check and status go on to say validation for ten minutes after each change, and the list of rules does not.
      const story = new QuickStory({ firewallRules: 2, lagMs: 600_000, repeats: "accept" });
      await story.up({ stage: "validation", configuration });
      story.time.pass(hour);
      await story.killAtFinish(finish);
      // The service does not refuse the question for a configuration.
      story.sim.faults.add({ path: "/waf_migration/config", kind: "status", status: 404 });
      const { question, startedAt } = await story.asked(finish);
      assert.match(
        question,
        /was interrupted before it could record that, or someone else saved the same list/,
      );
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
