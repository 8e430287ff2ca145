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

  it("given an answer to an earlier attempt, then it says nothing of this one", async () => {
    await lose("reset-before");
    const first = { startedAt: String(Object(story.recorded["attempt"])["sentAt"]), outcome: "notAccepted" };
    // Sent again, for the zone is untouched, and lost again.
    story.time.pass(hour);
    story.sim.faults.add({ method: "PUT", kind: "reset-before", count: 1 });
    await story.upFails({ ...finished, unclearAttempt: first });
    edit();
    story.time.pass(2 * hour);
    const second = String(Object(story.recorded["attempt"])["sentAt"]);
    assert.notEqual(second, first.startedAt);
    const refusal = await story.upFails({ ...finished, unclearAttempt: first });
    assert.equal(placeAndCode(refusal), "unclearAttempt.startedAt [migration-answer-outdated]");
    assert.ok(refusal.includes(`write startedAt: "${second}"`), refusal);
    assert.equal(story.waf.acceptedPending, 0);
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

  it("given that it never arrived and that a service that no one understands is edited, when that is answered, then it begins where it stood", async () => {
    await lose("reset-before", { ...mute, stateNames: { ...mute.stateNames, new: "done" } });
    const { rules = [] } = story.sim.zones.get(zoneId).entrypoint ?? {};
    edit();
    story.sim.dashboard.putEntrypoint(zoneId, { rules });
    story.time.pass(2 * hour);
    const startedAt = await asked({});
    await story.up({
      ...finished,
      unclearAttempt: { startedAt, outcome: "notAccepted" },
    });
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending], ["new", 1]);
  });

  it("given that a person was wrong about it, then what is waited for in vain says whose word it is, and he can take it back", async () => {
    const startedAt = await loseAndEdit("reset-before");
    const answered = (outcome: string) => ({ ...finished, unclearAttempt: { startedAt, outcome } });
    const failure = await story.upFails(answered("accepted"));
    assert.match(failure, /unclearAttempt says .* 2 min .* new WAF on, previous WAF on/);
    const { outcome } = Object(story.recorded["attempt"]);
    assert.equal(outcome, "unknown", "the service has not said so");
    await story.up({ ...answered("notAccepted"), configuration });
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending], ["new", 1]);
  });

  it("given that it never arrived and that the zone can no longer migrate, then that is reported immediately, and it is sent as soon as the zone can", async () => {
    await lose("reset-before");
    story.sim.dashboard.setWaf(zoneId, { eligible: false });
    story.time.pass(hour);
    const began = story.time.now();
    assert.match(await story.upFails(finished), /\[migration-not-eligible\]$/);
    assert.ok(story.time.now() - began < 60_000);
    assert.equal(Object(story.recorded["attempt"])["outcome"], "unknown", "nobody has accepted it");
    story.sim.dashboard.setWaf(zoneId, { eligible: true });
    await story.up(finished);
    assert.equal(story.waf.acceptedPending, 1);
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

  for (const [what, changed] of [
    ["configuration", { configuration: { name: "default", rules: [{ ...rules[0], enabled: false }] } }],
    ["ruleOverrides", { ruleOverrides: [override] }],
  ] as const) {
    it(`given that the same update changed ${what}, then no second finish is sent either, and accepted is waited for`, async () => {
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
  }

  it("given that it was someone whose edit the program takes over as it finishes, then notAccepted finishes it", async () => {
    await inValidation();
    const [rule = assert.fail()] = story.sim.zones.get(zoneId).entrypoint?.rules ?? [];
    story.sim.dashboard.changeRule(zoneId, rule.id, { enabled: false });
    const off = { ...finish, configuration: { name: "default", rules: [{ ...rules[0], enabled: false }] } };
    const startedAt = await asked(off);
    await story.up({ ...off, timeoutMinutes: 60, unclearAttempt: { startedAt, outcome: "notAccepted" } });
    assert.deepEqual([story.waf.stage, story.waf.acceptedPending, story.sent.length], ["new", 1, 2]);
  });

  it("given that the status shows the finish by and by, then it is one, whatever was answered meanwhile", async () => {
    await inValidation({ finishMs: 900_000 });
    await kill();
    const startedAt = await asked();
    story.time.pass(700_000);
    const answered = (outcome: string) => ({ ...finish, unclearAttempt: { startedAt, outcome } });
    assert.match(
      await story.upFails(answered("notAccepted")),
      /finish .* seems to be under way, but after 2 min/,
    );
    story.time.pass(600_000);
    await story.up(answered("notAccepted"));
    assert.deepEqual(
      [story.recorded["reached"], story.waf.acceptedPending, story.sent.length],
      ["finished", 1, 2],
    );
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
