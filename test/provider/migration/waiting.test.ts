import assert from "node:assert/strict";
import type { FaultSpec } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import { hour, minute, mute, nameless, QuickStory, zoneId } from "./support/quick-story";

/** Returns the progress lines of a waiting update, without the plan before them and the zone. */
function waits({ told }: QuickStory): readonly string[] {
  return told.flatMap((text) => /^waiting for .*?: (.*) \[migration-waiting\]$/.exec(text)?.[1] ?? []);
}

describe("An update waits for a migration", () => {
  it("with growing pauses of at most 15 seconds, for exactly timeoutMinutes, and reports its progress", async () => {
    const story = new QuickStory({ finishMs: 10 * hour });
    const failure = await story.upFails({ timeoutMinutes: 2 });
    const shown = 'new WAF off, previous WAF on, state "pending"';
    assert.match(failure, new RegExp(`finish .* was accepted, .* 2 min .* ${shown}`));
    const [, , sent = 0, ...looks] = story.looks;
    const pauses = looks.map((at, index) => at - (looks[index - 1] ?? sent));
    const growing = [0, 500, 750, 1125, 1688, 2531, 3797, 5695, 8543, 12814];
    assert.deepEqual(pauses.map(Math.round), [...growing, 15000, 15000, 15000, 15000, 15000, 7557]);
    assert.equal((looks.at(-1) ?? 0) - sent, 2 * minute);
    const passed = ["0 s", "37 s", "1 min", "1 min"].map((time) => `${shown}, ${time} of at most 2 min`);
    assert.deepEqual(waits(story), passed);
    // The next update continues to wait, and sends no change.
    assert.match((await story.preview({ timeoutMinutes: 2 })).join(), /\[migration-under-way\]$/);
    story.sim.dashboard.setWaf(zoneId, { settlesAt: story.time.now() + 1 });
    await story.up({ timeoutMinutes: 2 });
    assert.deepEqual([story.recorded["reached"], story.sent.length], ["finished", 1]);
  });

  it("for an hour if the program does not set timeoutMinutes", async () => {
    const story = new QuickStory({ finishMs: 10 * hour });
    // Slow answers, so that few are needed.
    story.meanwhile = ({ path }) =>
      path.endsWith("/status") && story.sent.length > 0 && story.time.pass(5 * minute);
    assert.match(await story.upFails({}), /was accepted, .* 60 min/);
    const took = story.time.now() - (story.sent[0]?.at ?? 0);
    assert.ok(took >= 60 * minute && took < 66 * minute, String(took));
  });

  it("and reports as much of the zone's status as the service shows", async () => {
    for (const [waf, fields, expected] of [
      [{ statusValues: mute }, [], 'new WAF unknown, previous WAF unknown, state "pending"'],
      [{}, ["migration_state"], "new WAF off, previous WAF on"],
    ] as const) {
      const story = new QuickStory({ finishMs: 10 * hour, ...waf });
      story.failOnceSent({ path: "/waf_migration/", kind: "missing-fields", fields });
      const failure = await story.upFails({ timeoutMinutes: 1 });
      assert.ok(failure.includes(`the zone shows ${expected}. A migration`), failure);
    }
  });

  it("until the new WAF is on, in validation, and counts an unknown status as on", async () => {
    const slow = new QuickStory({ validationMs: 10 * hour });
    const failure = await slow.upFails({ stage: "validation", timeoutMinutes: 1 });
    assert.match(failure, /validation was accepted, .* new WAF off, previous WAF on, state "validation"/);
    assert.equal(slow.attempt?.["outcome"], "accepted");
    slow.sim.dashboard.setWaf(zoneId, { settlesAt: slow.time.now() + 20_000 });
    await slow.up({ stage: "validation", timeoutMinutes: 1 });
    const { reached, attempt } = slow.recorded;
    assert.deepEqual([reached, attempt, slow.sent.length], ["validation", undefined, 1]);

    const silent = new QuickStory({ validationMs: 10 * hour, statusValues: mute });
    await silent.up({ stage: "validation", timeoutMinutes: 1 });
    assert.deepEqual([silent.recorded["reached"], waits(silent)], ["validation", []]);
  });

  it("also if someone else has just begun the validation", async () => {
    const story = new QuickStory({ validationMs: 90_000 });
    story.sim.dashboard.deployNewWaf(zoneId);
    await story.up({ stage: "validation", timeoutMinutes: 5 });
    const { reached, startedAt, observed } = story.recorded;
    assert.deepEqual([reached, startedAt, story.sent.length], ["validation", undefined, 0]);
    assert.equal(Object(observed)["newEnabled"], true);
  });

  it("despite temporary failures, until the time is up; then it reports the last one, and the state contains the attempt", async () => {
    for (const fault of [
      { method: "GET", kind: "503", count: 30 },
      { method: "GET", kind: "hang", count: 8 },
      { method: "GET", kind: "html", count: 8 },
    ] satisfies readonly FaultSpec[]) {
      const story = new QuickStory({ finishMs: 90_000 });
      story.failOnceSent(fault);
      await story.up({ timeoutMinutes: 60 });
      assert.deepEqual([story.recorded["reached"], story.sent.length], ["finished", 1], fault.kind);
    }
    const story = new QuickStory({ finishMs: 10 * hour });
    story.failOnceSent({ method: "GET", kind: "503" });
    assert.match(await story.upFails({ timeoutMinutes: 1 }), /HTTP 503/);
    assert.match(waits(story).join(), /^no readable status, \d s of at most 1 min/);
    assert.deepEqual([story.attempt?.["outcome"], story.recorded["incomplete"]], ["accepted", true]);
  });

  it("no longer after a refusal, which it reports immediately; the state contains the attempt", async () => {
    const story = new QuickStory({ finishMs: 10 * hour });
    story.failOnceSent({ path: "/status", kind: "status", status: 403 });
    const began = story.time.now();
    assert.match(await story.upFails({}), /refused the API token/);
    assert.ok(story.time.now() - began < 40_000);
    assert.equal(story.attempt?.["outcome"], "accepted");
    story.sim.faults.clear();
    assert.match((await story.preview({})).join(), /\[migration-under-way\]$/);
  });
});

describe("An accepted finish whose end no status shows", () => {
  it("counts as finished, with a warning, only if a person says so about this attempt, however much time has passed", async () => {
    const story = new QuickStory({ finishMs: 10 * hour, stateNames: nameless, statusValues: mute });
    const warnings = () => story.engine.warnings.map(({ text }) => placeAndCode(text));
    await story.upFails({ timeoutMinutes: 2 });
    story.time.pass(10 * hour);
    const question = await story.upFails({ timeoutMinutes: 0.9 });
    assert.deepEqual([story.recorded["reached"], warnings()], [undefined, []]);
    const answer = /unclearAttempt: \{ startedAt: "([^"]+)", outcome: "accepted" \}/;
    const [, startedAt] = answer.exec(question) ?? [];
    await story.up({ timeoutMinutes: 0.1, unclearAttempt: { startedAt, outcome: "accepted" } });
    assert.deepEqual(warnings(), ["[migration-counts-as-finished]"]);
    const { reached, finishedAt, attempt } = story.recorded;
    assert.deepEqual([reached, attempt, story.sent.length], ["finished", undefined, 1]);
    assert.equal(finishedAt, new Date(story.time.now()).toISOString());
  });
});
