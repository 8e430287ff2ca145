import assert from "node:assert/strict";
import { wrongInputs } from "../../../provider/src/lifecycle/check-inputs";
import { shape } from "../../../provider/src/resources/waf-migration/state";
import type { WafSeed } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import { configuration, hour, mute, nameless, override, QuickStory, zoneId } from "./support/quick-story";

const finished = { stage: "finished", timeoutMinutes: 2 };
const rules = [{ ...configuration.rules[0], enabled: false }];
/** The declared configuration with its rule switched off. */
const off = { configuration: { ...configuration, rules } };

describe("A finish that got no answer", () => {
  let story: QuickStory;

  /** A zone in validation, and a finish that is lost on its way, or whose answer is. */
  async function lose(kind: "reset-before" | "reset-after", waf: WafSeed = {}): Promise<void> {
    story = new QuickStory({ firewallRules: 2, ...waf });
    await story.up({ stage: "validation" });
    story.sim.faults.add({ method: "PUT", kind, count: 1 });
    await story.upFails(finished);
    assert.equal(story.attempt?.["outcome"], "unknown");
  }

  /** Loses the answer too, and lets someone edit a rule, so that the next update asks. Returns the time for an answer. */
  async function loseAndEdit(...how: Parameters<typeof lose>): Promise<string> {
    await lose(...how);
    story.edit();
    story.time.pass(2 * hour);
    return (await story.asked(finished)).startedAt;
  }

  it("given that it never arrived and that someone edits a rule, then the next update asks, and continues as the answer says; it does not undo the edit", async () => {
    const startedAt = await loseAndEdit("reset-before");
    assert.equal(startedAt, story.attempt?.["sentAt"]);
    const other = { startedAt: "2025-01-01T00:00:00.000Z", outcome: "notAccepted" };
    const outdated = await story.upFails({ ...finished, unclearAttempt: other });
    assert.equal(placeAndCode(outdated), "unclearAttempt.startedAt [migration-answer-outdated]");

    const notAccepted = { ...finished, unclearAttempt: { startedAt, outcome: "notAccepted" } };
    assert.match(
      await story.upFails(notAccepted),
      /: changed: "bypass 1", .*: enabled \(there false, here true\)\. .*\[migration-edited\]$/,
    );
    const live = ["bypass 1 (off)", ...story.descriptions.slice(1)];
    assert.deepEqual([story.descriptions, story.sent.length], [live, 2]);

    await story.up({ ...notAccepted, configuration });
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 3]);
  });

  it("given that it was taken by a service that no one understands, when someone edits a rule, then notAccepted is refused, and accepted is waited for and never sent again", async () => {
    const startedAt = await loseAndEdit("reset-after", {
      stateNames: { ...nameless, new: "x2" },
      statusValues: mute,
    });
    const refusal = await story.upFails({
      ...finished,
      unclearAttempt: { startedAt, outcome: "notAccepted" },
    });
    assert.equal(placeAndCode(refusal), "unclearAttempt [migration-answer-contradicted]");
    assert.match(refusal, /\(compatible: false/);
    await story.up({ ...finished, unclearAttempt: { startedAt, outcome: "accepted" } });
    assert.deepEqual([story.recorded["reached"], story.recorded["attempt"]], ["finished", undefined]);
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 2]);
    assert.equal(story.descriptions[0], "bypass 1 (off)");
  });

  it("is answered in words that are checked without a request", () => {
    const told = (unclearAttempt: unknown): string =>
      wrongInputs({ unclearAttempt: shape.unclearAttempt }, { unclearAttempt })
        .map(({ finding: { property, message } }) => `${property}: ${message}`)
        .join();
    const startedAt = "2025-01-31T12:00:00.000Z";
    assert.equal(told({ startedAt, outcome: "accepted" }), "");
    assert.match(told({ startedAt: "yesterday", outcome: "accepted" }), /^unclearAttempt\.startedAt: /);
    assert.match(
      told({ startedAt, outcome: "refused" }),
      /^unclearAttempt\.outcome: .*"accepted", "notAccepted"/,
    );
    assert.match(told({ outcome: "accepted" }), /^unclearAttempt\.startedAt: .*nothing/);
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
