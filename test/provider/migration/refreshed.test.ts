import assert from "node:assert/strict";
import { placeAndCode } from "../../support/place-and-code";
import { configuration, override, QuickStory, zoneId } from "./support/quick-story";

describe("A refresh of a migration", () => {
  it("finds no drift if nothing has changed, and keeps inputs and state", async () => {
    const story = new QuickStory();
    const unclearAttempt = { startedAt: "2025-01-01T00:00:00.000Z", outcome: "accepted" };
    const args = {
      stage: "validation",
      timeoutMinutes: 7,
      allowForget: true,
      connection: { service: "page_guard" },
      ruleOverrides: [override],
      configuration,
      unclearAttempt,
    };
    await story.up(args);
    const before = story.engine.state.get("waf");
    assert.deepEqual(await story.engine.drift(), []);
    await story.engine.refresh();
    assert.deepEqual(story.engine.state.get("waf"), before);
    const others = { ...args, timeoutMinutes: 8, connection: {} };
    for (const same of [args, others]) assert.deepEqual(await story.preview(same), ["same waf"]);
  });

  it("shows the current status, and that someone has finished the migration", async () => {
    const story = new QuickStory({ finishMs: 60_000 });
    await story.up({ stage: "validation" });
    story.sim.dashboard.turnOffPreviousVersion(zoneId);
    for (const [stage, migrationState] of [
      ["validation", "pending"],
      ["finished", "done"],
    ]) {
      assert.deepEqual(await story.engine.drift(), stage === "finished" ? ["waf"] : []);
      await story.engine.refresh();
      const { inputs, outputs } = story.engine.state.get("waf") ?? assert.fail();
      assert.deepEqual([inputs["stage"], outputs["stage"]], [stage, stage]);
      assert.equal(outputs["migrationState"], migrationState);
      assert.equal(Object(outputs["status"])["migration_state"], migrationState);
      story.time.pass(60_000);
    }
    assert.match(await story.previewFails({ stage: "validation" }), /^stage: .*\[migration-backwards\]$/);

    // The next update writes the end into the state, although no input differs any more, and sends nothing.
    const [decision, told] = await story.preview({});
    assert.deepEqual([decision, placeAndCode(told ?? "")], ["update waf", "[migration-adopted]"]);
    await story.up({});
    const { reached, finishedAt } = story.recorded;
    assert.deepEqual([reached, finishedAt], ["finished", new Date(story.time.now()).toISOString()]);
    assert.equal(story.sent.length, 1);
    story.sim.journal.clear();
    assert.deepEqual(await story.preview({}), ["same waf"]);
    assert.equal(story.sim.journal.length, 0);
  });

  it("is refused for an import, which has no stage", async () => {
    const { engine } = new QuickStory();
    const imported = engine.get("waf", zoneId, { __import: true });
    await assert.rejects(
      imported,
      /Declare it, with the stage that the zone has reached.*\[migration-import\]/,
    );
  });

  it("keeps what the state contains if the service shows less now", async () => {
    const story = new QuickStory();
    await story.up({});
    const { status } = story.recorded;
    story.sim.dashboard.setWaf(zoneId, { afterFinish: "404" });
    story.sim.faults.add({ path: "/status", kind: "status", status: 410 });
    await story.engine.refresh();
    assert.deepEqual([story.recorded["status"], story.recorded["migrationState"]], [status, "done"]);
  });

  it("takes unknown migration routes as a sign that the migration has ended, if the service knows the zone", async () => {
    for (const [status, code] of [
      [404, 7003],
      [404, 7000],
      [400, 7000],
    ] as const) {
      const story = new QuickStory();
      const fault = { kind: "status", status, code } as const;
      await story.up({});
      story.sim.faults.add({ path: "/waf_migration/", ...fault });
      await story.engine.refresh();
      assert.equal(story.recorded["reached"], "finished");
      story.engine.state.clear();
      await story.up({});
      assert.deepEqual([story.recorded["reached"], story.sent.length], ["finished", 1]);
      story.sim.faults.add({ path: "/entrypoint", ...fault });
      story.engine.state.clear();
      assert.match(await story.previewFails({}), /\[PG_NOT_FOUND\]$/);
    }
  });

  it("never reports a migration as deleted, even if its zone is gone, and fails on other errors", async () => {
    const story = new QuickStory();
    await story.up({});
    const before = story.engine.state.get("waf");
    story.sim.faults.add({ path: "/entrypoint", kind: "status", status: 404, code: 7003 });
    await story.engine.refresh();
    assert.deepEqual(story.engine.state.get("waf"), before);
    story.sim.faults.clear();
    story.sim.faults.add({ path: "/entrypoint", kind: "status", status: 403 });
    await assert.rejects(story.engine.refresh(), /refused the API token/);
    assert.deepEqual(story.engine.state.get("waf"), before);
  });

  it("takes the id of the resource as the zone if the state names none", async () => {
    const story = new QuickStory();
    await story.up({});
    const { zoneId: _zone, ...outputs } = story.recorded;
    story.engine.state.set("waf", { id: zoneId, inputs: {}, outputs, hasInitErrors: false });
    await story.engine.refresh();
    assert.equal(story.engine.state.get("waf")?.inputs["zoneId"], zoneId);
  });
});

describe("A destroy of a migration", () => {
  const urn = "urn:pulumi:dev::story::pulumi-nodejs:dynamic/page-guard:Kind::waf";

  it("is refused with the way out, unless allowForget is true; then only the state changes", async () => {
    const story = new QuickStory();
    await story.up({});
    const live = JSON.stringify([story.waf, story.rules]);
    const told = await story.engine.destroyFails();
    assert.equal(placeAndCode(told), "[migration-destroy]");
    assert.match(told, /cannot be undone.* set allowForget: true/);
    assert.ok(told.includes(`\`pulumi state delete --force '${urn}'\``), told);
    await story.up({ allowForget: false });
    assert.equal(await story.engine.destroyFails(), told);
    await story.up({ allowForget: true });
    story.sim.journal.clear();
    await story.engine.destroy();
    assert.deepEqual([story.engine.state.size, story.sim.journal.length], [0, 0]);
    assert.equal(JSON.stringify([story.waf, story.rules]), live);
  });

  it("says where to find the URN when the state does not know it", async () => {
    const story = new QuickStory();
    await story.up({});
    const { __urn, ...outputs } = story.recorded;
    assert.deepEqual([__urn, Object.hasOwn(outputs, "urn")], [urn, false], "once");
    const refusal = await story.engine.destroyFails();
    for (const [known, named] of [
      [{}, "<urn>"],
      [{ urn: "urn:of-old" }, "urn:of-old"],
    ] as const) {
      const recorded = { id: zoneId, inputs: {}, outputs: { ...outputs, ...known }, hasInitErrors: false };
      story.engine.state.set("waf", recorded);
      assert.equal(await story.engine.destroyFails(), refusal.replace(urn, named));
    }
  });
});

describe("A changed input of a migration", () => {
  it("makes the preview read the zone only if there is something to send", async () => {
    const story = new QuickStory();
    const stage = "validation";
    await story.up({ stage });
    story.sim.journal.clear();
    assert.deepEqual(await story.preview({ stage, allowForget: false }), ["same waf"]);
    const unclearAttempt = { startedAt: "2025-01-01T00:00:00.000Z", outcome: "accepted" };
    for (const noted of [{ allowForget: true }, { allowForget: true, unclearAttempt }]) {
      assert.deepEqual(await story.preview({ stage, ...noted }), ["update waf"]);
      await story.up({ stage, ...noted });
      assert.deepEqual({ ...story.recorded, ...noted }, story.recorded);
    }
    assert.equal(story.sim.journal.length, 0);
    const [, plan = ""] = await story.preview({ stage, ruleOverrides: [override], allowForget: true });
    assert.match(plan, /^Starts or adjusts/);
  });
});
