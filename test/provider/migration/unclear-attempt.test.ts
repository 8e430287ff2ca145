import assert from "node:assert/strict";
import { checkInputs } from "../../../provider/src/lifecycle/check-inputs";
import { shape } from "../../../provider/src/resources/waf-migration/state";
import type { WafSeed } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import type { Properties } from "../small-engine/checkpoint";
import { QuickStory, zoneId } from "./support/quick-story";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const hour = 3_600_000;
const override = { rulesetId: managed, ruleId: "f".repeat(32), action: "log" };
const rules = [{ action: "execute", expression: "true", actionParameters: { id: managed } }];
const configuration = { name: "default", rules };
const finished = { stage: "finished", timeoutMinutes: 2 };
/** A service of which nobody understands a word. */
const mute = {
  stateNames: { old: "x0", validation: "x1", finishing: "x2", new: "x2" },
  statusValues: { on: "A", off: "B" },
} satisfies WafSeed;

describe("A finish that got no answer", () => {
  let story: QuickStory;

  /** A zone in validation, and a finish that is lost on its way, or whose answer is. */
  async function lose(kind: "reset-before" | "reset-after", waf: WafSeed = {}): Promise<void> {
    story = new QuickStory({ firewallRules: 2, ...waf });
    await story.up({ stage: "validation" });
    story.sim.faults.add({ method: "PUT", kind, count: 1 });
    await story.upFails(finished);
    assert.equal(Object(story.recorded["attempt"])["outcome"], "unknown");
  }

  function edit(): void {
    const { rules } = story.sim.zones.get(zoneId).entrypoint ?? assert.fail();
    story.sim.dashboard.changeRule(zoneId, rules[0]?.id ?? "", { enabled: false });
  }

  /** Asked what became of it, without a long wait and without a request. The moment that an answer has to name. */
  async function asked(args: object): Promise<string> {
    const { length } = story.sent;
    const began = story.time.now();
    const question = await story.upFails({ ...finished, ...args });
    assert.match(question, /\[migration-unclear\]$/);
    assert.ok(story.time.now() - began < 60_000, "nobody waits for what may never come");
    assert.equal(story.sent.length, length, "nothing is sent");
    return (
      /unclearAttempt: \{ startedAt: "([^"]+)", outcome: "notAccepted" \}/.exec(question)?.[1] ?? question
    );
  }

  /** The same, and someone edits a rule before the next update, which asks. */
  async function loseAndEdit(...how: Parameters<typeof lose>): Promise<string> {
    await lose(...how);
    edit();
    story.time.pass(2 * hour);
    return asked({});
  }

  it("given that it never arrived and that someone edits a rule, then the next update asks, and continues as the answer says; it does not undo the edit", async () => {
    const startedAt = await loseAndEdit("reset-before");
    assert.equal(startedAt, Object(story.recorded["attempt"])["sentAt"]);

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

  it("given no answer, when the program goes back to validation, then it is refused with what is known, and nothing is said to be finished", async () => {
    await lose("reset-before");
    const { length } = story.sent;
    assert.match(await story.upFails({ stage: "validation" }), /^stage: .*\[migration-backwards\]$/);
    assert.equal(story.sent.length, length, "nothing is sent");
    await story.up(finished);
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending], ["new", 1]);
  });

  it("given that it was taken by a service that no one understands, when someone edits a rule, then notAccepted is refused, and accepted is waited for and never sent again", async () => {
    const startedAt = await loseAndEdit("reset-after", mute);
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

  it("is answered in words that are checked without a request", async () => {
    story = new QuickStory();
    const told = (unclearAttempt: unknown): string[] =>
      checkInputs({ unclearAttempt: shape.unclearAttempt }, { unclearAttempt }).map(
        ({ property, message }) => `${property}: ${message}`,
      );
    const place = (findings: readonly string[]) => findings.map(placeAndCode);
    assert.deepEqual(told({ startedAt: "2025-01-31T12:00:00.000Z", outcome: "accepted" }), []);
    const day = told({ startedAt: "yesterday", outcome: "accepted" });
    assert.deepEqual(place(day), ["unclearAttempt.startedAt"]);
    const outcome = told({ startedAt: "2025-01-31T12:00:00.000Z", outcome: "refused" });
    assert.deepEqual(place(outcome), ["unclearAttempt.outcome"]);
    assert.match(outcome.join(), /"accepted", "notAccepted"/);
    const none = told({ outcome: "accepted" });
    assert.deepEqual(place(none), ["unclearAttempt.startedAt"]);
    assert.match(none.join(), /nothing/);
  });
});

describe("A finish that was killed before it was recorded", () => {
  let story: QuickStory;
  const finish = { ...finished, configuration };

  /** A zone in validation whose check and status go on to say so for ten minutes after each change. */
  async function inValidation(waf: WafSeed = {}): Promise<void> {
    story = new QuickStory({ firewallRules: 2, lagMs: 600_000, repeats: "accept", ...waf });
    await story.up({ stage: "validation", configuration });
    story.time.pass(hour);
  }

  /** The process dies with the answer to its finishing request: the state still says validation. */
  async function kill(args: Properties = finish): Promise<void> {
    for (let request = 0; story.waf.acceptedPending === 0 && request < 30; request += 1)
      await story.up(args, { request, side: "after" });
    assert.equal(story.waf.acceptedPending, 1, "the finish was never sent");
    assert.deepEqual([story.recorded["reached"], story.recorded["attempt"]], ["validation", undefined]);
  }

  /** The service does not refuse the question for a configuration. */
  function proposeStill(): void {
    story.sim.faults.add({
      method: "GET",
      path: "/waf_migration/config",
      kind: "status",
      status: 404,
      count: 9,
    });
  }

  function saveAgain(): void {
    const { rules = [] } = story.sim.zones.get(zoneId).entrypoint ?? {};
    story.sim.dashboard.putEntrypoint(zoneId, { rules });
  }

  /** Refused without a request; the moment that an answer has to name. */
  async function asked(args: object = finish): Promise<string> {
    const { length } = story.sent;
    if (story.waf.acceptedPending > 0) proposeStill();
    const question = await story.upFails({ ...args });
    assert.match(question, /\[migration-unclear\]$/);
    assert.match(question, /a finish of this stack was cut off .* or someone saved the list again/);
    assert.equal(story.sent.length, length, "nothing is sent");
    return /startedAt: "([^"]+)", outcome: "notAccepted"/.exec(question)?.[1] ?? question;
  }

  it("given a service that still calls it validation, then no second finish is sent, and accepted is waited for", async () => {
    await inValidation();
    await kill();
    const startedAt = await asked();
    assert.equal(startedAt, story.sim.zones.get(zoneId).entrypoint?.last_updated);
    assert.equal(
      await asked({ stage: "validation", allowForget: true, ruleOverrides: [override] }),
      startedAt,
    );
    const answered = { ...finish, unclearAttempt: { startedAt, outcome: "accepted" } };
    assert.match(await story.upFails(answered), /unclearAttempt says .* new WAF on, previous WAF on/);
    story.time.pass(600_000);
    await story.up(answered);
    assert.deepEqual([story.recorded["reached"], story.waf.stage], ["finished", "new"]);
    assert.deepEqual([story.waf.acceptedPending, story.sent.length], [1, 2]);
  });

  it("given that the same update changed the rules, then no second finish is sent either, and accepted is waited for", async () => {
    const changed = { configuration: { name: "default", rules: [{ ...rules[0], enabled: false }] } };
    await inValidation();
    await kill({ ...finish, ...changed });
    const startedAt = await asked({ ...finish, ...changed });
    assert.equal(startedAt, story.sim.zones.get(zoneId).entrypoint?.last_updated);
    const answered = { ...finish, ...changed, unclearAttempt: { startedAt, outcome: "accepted" } };
    proposeStill();
    assert.match(await story.upFails(answered), /unclearAttempt says .* new WAF on, previous WAF on/);
    story.time.pass(600_000);
    await story.up(answered);
    assert.deepEqual(
      [story.recorded["reached"], story.waf.acceptedPending, story.sent.length],
      ["finished", 1, 2],
    );
  });

  it("given that it was someone whose edit the program takes over as it finishes, then notAccepted finishes it", async () => {
    await inValidation();
    const [rule = assert.fail()] = story.sim.zones.get(zoneId).entrypoint?.rules ?? [];
    story.sim.dashboard.changeRule(zoneId, rule.id, { enabled: false });
    const off = { ...finish, configuration: { name: "default", rules: [{ ...rules[0], enabled: false }] } };
    const startedAt = await asked(off);
    await story.up({ ...off, timeoutMinutes: 60, unclearAttempt: { startedAt, outcome: "notAccepted" } });
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 2]);
  });

  it("given that it was someone who saved the list again, then notAccepted finishes it, and holds for this list alone", async () => {
    await inValidation();
    saveAgain();
    const first = await asked();
    story.time.pass(hour);
    saveAgain();
    const outdated = { ...finish, unclearAttempt: { startedAt: first, outcome: "notAccepted" } };
    const refusal = await story.upFails(outdated);
    assert.equal(placeAndCode(refusal), "unclearAttempt.startedAt [migration-answer-outdated]");
    const startedAt = await asked();
    assert.notEqual(startedAt, first);
    await story.up({
      ...finish,
      timeoutMinutes: 60,
      unclearAttempt: { startedAt, outcome: "notAccepted" },
    });
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 2]);
  });
});
