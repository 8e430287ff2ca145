import assert from "node:assert/strict";
import type { FaultSpec } from "../../../simulator/src";
import { each } from "../../support/each";
import { made } from "../resources/support/skip-rules";
import type { Properties } from "../small-engine/checkpoint";
import { schemaVersion } from "../small-engine/zones";
import { configuration, managed, override, QuickStory, zoneId } from "./support/quick-story";
import { over as finishedZone, untouched, validated } from "./support/standings";

const zeros = "0".repeat(32);
const urn = "urn:pulumi:dev::story::pulumi-nodejs:dynamic/page-guard:Kind::waf";
const overrides = [{ id: zeros, action: "log", enabled: true }];

/** The managed ruleset as the service proposes it. */
const rule = {
  action: "execute",
  expression: "true",
  description: "Execute the managed ruleset",
  enabled: true,
  actionParameters: { id: managed, overrides: { rules: overrides } },
};
const { actionParameters, ...asSent } = rule;
const sentRule = { ...asSent, action_parameters: actionParameters };

const at = (milliseconds: number): string =>
  new Date(Date.UTC(2025, 0, 1) + Math.floor(milliseconds)).toISOString();

describe("The request of a migration", () => {
  it("contains the proposed list with the program's overrides, without ids for the validation and with empty ids for the finish", async () => {
    const story = new QuickStory({ overrides });
    await story.up({ stage: "validation" });
    await story.up({ stage: "validation", ruleOverrides: [override] });
    await story.up({ ruleOverrides: [override] });
    const rules = [...overrides, { id: override.ruleId, action: "log" }];
    const adjusted = { ...sentRule, action_parameters: { id: managed, overrides: { rules } } };
    const request = (mode: string, sent: object) => ({
      query: { waf_migration: mode, phase_two: "1" },
      body: { name: "default", rules: [sent] },
    });
    const sent = story.sent.map(({ query, body }) => ({ query, body }));
    const finishing = request("pending", { id: "", version: "", ref: "", ...adjusted });
    assert.deepEqual(sent, [request("validation", sentRule), request("validation", adjusted), finishing]);
  });
});

describe("The state of a migration", () => {
  it("contains what the zone showed before the first change, what was sent, and the stage that was reached", async () => {
    const story = new QuickStory({ overrides, finishMs: 1000, validationMs: 1000 });
    const applied = { name: "default", rules: [rule] };
    const first = { migration_state: "start", new_waf_status: "disabled", old_waf_status: "enabled" };
    const seen = { compatible: true, migrationState: "start", configuration: applied };
    const before = { ...seen, observedAt: at(0), status: { ...first, created: null, source: null } };
    const always = {
      zoneId,
      confirm: zoneId,
      __urn: urn,
      compatible: true,
      applied,
      before,
      startedAt: at(125),
    };
    await story.up({ stage: "validation" });
    const now = { migration_state: "validation", new_waf_status: "enabled", source: "api", created: at(125) };
    assert.deepEqual(story.recorded, {
      ...always,
      stage: "validation",
      migrationState: "validation",
      reached: "validation",
      schemaVersion,
      status: { ...first, ...now },
      observed: { ...validated, ruleCount: 1 },
    });

    story.time.pass(3_600_000);
    await story.up({ timeoutMinutes: 5 });
    const finished: Properties = story.recorded;
    const { status, timeoutMinutes: _minutes, ...over } = finished;
    const { new_waf_status, old_waf_status } = Object(status);
    assert.deepEqual([new_waf_status, old_waf_status], ["enabled", "disabled"]);
    assert.deepEqual(over, {
      ...always,
      stage: "finished",
      migrationState: "done",
      reached: "finished",
      schemaVersion,
      observed: { ...finishedZone, ruleCount: 1 },
      finishedAt: at(story.time.now() - Date.UTC(2025, 0, 1)),
    });

    // An input that is only noted changes nothing else, and disappears with its line in the program.
    story.time.pass(3_600_000);
    story.sim.journal.clear();
    await story.up({ allowForget: true });
    assert.deepEqual(story.recorded, { ...over, status, allowForget: true });
    await story.up({});
    assert.deepEqual(story.recorded, { ...over, status });
    assert.equal(story.sim.journal.length, 0);
  });

  it("contains no start for a zone that is adopted", async () => {
    for (const stage of ["validation", "finished"]) {
      const story = new QuickStory({ overrides });
      story.sim.dashboard.deployNewWaf(zoneId);
      if (stage === "finished") story.sim.dashboard.turnOffPreviousVersion(zoneId);
      await story.up({ stage });
      const { before, startedAt, attempt, reached, applied } = story.recorded;
      assert.deepEqual([before, startedAt, attempt, reached], [undefined, undefined, undefined, stage]);
      const [{ id: _id, version: _version, ref: _ref, lastUpdated: _updated, ...found } = Object()] =
        Object(applied)["rules"];
      assert.deepEqual([Object(applied)["name"], found, story.sent], ["default", rule, []]);
    }
  });

  it("keeps the zone as it was before our first request, with the rules of a validation that someone else began", async () => {
    for (const isOurs of [false, true]) {
      const story = new QuickStory({ overrides });
      if (!isOurs) story.sim.dashboard.deployNewWaf(zoneId);
      await story.up({ stage: "validation" });
      await story.up({});
      const { migrationState, entrypointRules } = Object(story.recorded["before"]);
      const [first] = entrypointRules ?? [];
      const seen = isOurs ? ["start", undefined] : ["validation", rule.description];
      assert.deepEqual([migrationState, first?.description], seen);
    }
  });

  it("contains an empty list for a finished zone without rules and without a name", async () => {
    const story = new QuickStory({ stage: "new", afterFinish: "410" });
    await story.up({});
    const { applied, status, compatible, finishedAt, migrationState } = story.recorded;
    assert.deepEqual(applied, { name: "default", rules: [] });
    assert.deepEqual([compatible, finishedAt, migrationState], [undefined, at(0), "done"]);
    assert.equal(Object(status)["new_waf_status"], "enabled");
  });

  it("contains the declared list, and no proposal if the service makes none", async () => {
    const story = new QuickStory({ overrides });
    story.sim.faults.add({ path: "/waf_migration/config", kind: "status", status: 404 });
    await story.up({ stage: "validation", configuration });
    assert.deepEqual(story.recorded["applied"], configuration);
    assert.deepEqual(story.recorded["configuration"], configuration);
    const seen = Object.keys(Object(story.recorded["before"]));
    assert.deepEqual(seen, ["observedAt", "compatible", "migrationState", "status"]);
    const sent = { action: "execute", expression: "true", action_parameters: { id: managed } };
    assert.deepEqual(each(story.sent, "body"), [{ name: "default", rules: [sent] }]);
  });
});

describe("A migration request without a clear answer", () => {
  const lost: readonly (readonly [string, FaultSpec])[] = [
    ["that never arrived", { method: "PUT", kind: "reset-before" }],
    ["whose answer hangs", { method: "PUT", kind: "hang" }],
    ["that a proxy answers", { method: "PUT", kind: "html", status: 502 }],
  ];
  for (const [what, fault] of lost) {
    it(`${what}: is unknown in the state after several reads over some seconds, and is not sent again`, async () => {
      const story = new QuickStory({ overrides });
      story.sim.faults.add(fault);
      const said = await story.upFails({});
      assert.match(
        said,
        /finishing request got no clear response, .* sent only once.* Run `pulumi up` again/,
      );
      assert.equal(story.sent.length, 1);
      const [, , sentAt = 0, ...looks] = story.looks;
      const [first = 0] = looks;
      assert.ok(first >= sentAt);
      assert.deepEqual([first, first + 1000, first + 3000, first + 7000], looks);
      const { attempt, startedAt, incomplete, reached, applied } = story.recorded;
      const sent = { mode: "pending", sentAt: at(32_500), outcome: "unknown" };
      assert.deepEqual(attempt, { ...sent, before: untouched, from: "old" });
      assert.deepEqual([startedAt, incomplete, reached], [at(32_500), true, undefined]);
      assert.deepEqual(applied, { name: "default", rules: [rule] });

      // The beginning is that of the first attempt.
      story.time.pass(60_000);
      story.sim.faults.clear();
      await story.up({});
      assert.deepEqual([story.recorded["startedAt"], story.waf.acceptedPending], [at(32_500), 1]);
      assert.equal(story.sent.length, 2);
    });
  }

  it("that was accepted: the update waits as if it had been answered, and sends nothing again", async () => {
    for (const fault of [
      { method: "PUT", kind: "reset-after" },
      { method: "PUT", kind: "500", when: "after" },
      // This looks like a refusal.
      { method: "PUT", kind: "status", status: 400, when: "after" },
    ] satisfies readonly FaultSpec[]) {
      for (const [stage, waf] of [
        ["validation", { validationMs: 20_000 }],
        ["finished", { finishMs: 20_000 }],
      ] as const) {
        const story = new QuickStory({ ...waf, overrides });
        story.sim.faults.add(fault);
        await story.up({ stage });
        const { attempt, reached, startedAt, observed } = story.recorded;
        assert.deepEqual([attempt, reached, story.sent.length], [undefined, stage, 1], fault.kind);
        assert.equal(startedAt, at(stage === "finished" ? 32_500 : 125));
        assert.equal(Object(observed)["newEnabled"], true);
      }
    }
  });

  it("that was accepted, but the time is up: its outcome stays unknown in the state", async () => {
    const story = new QuickStory({ overrides, finishMs: 3_600_000 });
    story.sim.faults.add({ method: "PUT", kind: "reset-after" });
    assert.match(await story.upFails({ timeoutMinutes: 1 }), /the finish .* seems to be under way, .* 1 min/);
    assert.equal(story.attempt?.["outcome"], "unknown");
  });

  it("that the read after it does not show: the zone is read again", async () => {
    const story = new QuickStory({ overrides });
    story.sim.faults.add({ method: "PUT", kind: "reset-after" });
    story.failOnceSent({ path: "/status", kind: "status", status: 403, count: 2 });
    await story.up({});
    assert.deepEqual([story.recorded["reached"], story.sent.length], ["finished", 1]);
  });

  it("that is refused: the update says why and leaves the state unchanged, and the next one sends it again", async () => {
    const story = new QuickStory({ overrides });
    story.sim.faults.add({ method: "PUT", kind: "status", status: 400, message: "not today", count: 1 });
    const refusal = await story.upFails({});
    assert.match(
      refusal,
      /the finishing request\. Nothing has changed .* "not today"\..*\[migration-refused\]$/,
    );
    assert.equal(story.engine.state.size, 0);
    // One read and no more, because a refusal is an answer.
    assert.equal(story.looks.length, 4);
    await story.up({});
    assert.equal(story.waf.acceptedPending, 1);
  });

  it("is not confused with a validation that others have begun with other rules meanwhile", async () => {
    const story = new QuickStory({ overrides });
    story.sim.faults.add({ method: "PUT", kind: "reset-before" });
    story.meanwhile = ({ path }) => {
      if (path.endsWith("/status") && story.sent.length > 0 && story.waf.stage === "old")
        story.sim.dashboard.deployNewWaf(zoneId, { rules: [made("theirs")] });
    };
    assert.match(await story.upFails({ stage: "validation" }), /got no clear response/);
  });
});

describe("A zone that changes while it is checked", () => {
  it("is read at most five times before the request, and then reported as unclear", async () => {
    const story = new QuickStory({ overrides });
    story.sim.dashboard.deployNewWaf(zoneId);
    story.time.pass(60_000);
    story.meanwhile = ({ path }) => {
      // The first read is that of the check.
      if (path.endsWith("/entrypoint") && story.looks.length > 1)
        story.sim.dashboard.setWaf(zoneId, {
          stateNames: { ...story.waf.stateNames, validation: `validation ${story.looks.length}` },
        });
    };
    assert.match(
      await story.upFails({}),
      /\(compatible: true, migration state: validation \d+, previous WAF: on, new WAF: on, rules in the entry point: 1\).*\[migration-unclear\]$/,
    );
    assert.deepEqual([story.sent, story.engine.state.size, story.looks.length], [[], 0, 11]);
    assert.equal(story.told.filter((text) => text.endsWith("[migration-settling]")).length, 1, "told once");
  });

  it("is finished by someone else before the zone shows it: the update sends nothing, and says what to do", async () => {
    const story = new QuickStory({ lagMs: 600_000 });
    await story.up({ stage: "validation" });
    story.time.pass(60_000);
    story.sim.dashboard.turnOffPreviousVersion(zoneId);
    const { length } = story.sent;
    assert.match(await story.upFails({}), /preview again later.*\[migration-no-configuration\]$/);
    assert.equal(story.sent.length, length);
  });
});
