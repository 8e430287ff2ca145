import assert from "node:assert/strict";
import { migration } from "./real-engine/declaration";
import type { Stack } from "./real-engine/stack";
import { type Story, useStories, zoneA, zoneWithPolicy } from "./real-engine/story";
import { expectWords } from "./support/refusal-table";

const urn =
  "urn:pulumi:dev::story::page-guard:index:WafMigration$pulumi-nodejs:dynamic/page-guard:WafMigrationStep::waf-step";
const managed = "efb7b8c949ac4650a09736fc376e9aee";
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

/** Moves the attempt in the state into the past, so that the story need not wait. */
function backdate(stack: Stack, moment: string): void {
  assert.ok(Object(stack.state()["waf-step"]?.outputs["attempt"])["sentAt"]);
  stack.editState((recorded) => recorded.replace(/"sentAt":"[^"]+"/, `"sentAt":"${moment}"`));
}

/** Expects that the preview fails in the words of that row, and changes nothing. Returns its output. */
async function expectRefused({ sim, stack }: Story, action: string): Promise<string> {
  const before = sim.changing().length;
  const output = await stack.fails("preview");
  expectWords(action, output, { urn, zoneId: zoneA });
  assert.equal(sim.changing().length, before);
  return output;
}

describe("On the engine: questions that a migration asks a person", function () {
  const begin = useStories(this);

  it("given a ruleset that was disabled in validation and a finish that was lost, when a person answers with unclearAttempt, then one finish is accepted, and the ruleset stays disabled", async () => {
    const story = await begin({ [zoneA]: { ...zoneWithPolicy, waf: {} } });
    const { sim, stack } = story;
    const ruleset = () => sim.zone(zoneA).entrypoint?.rules[0] ?? assert.fail();
    const turn = (enabled: boolean) => {
      sim.dashboard.changeRule(zoneA, ruleset().id, { enabled });
      // Long enough ago that no read can lag behind it.
      Object.assign(sim.zones.get(zoneA).entrypoint ?? {}, { last_updated: anHourAgo() });
    };

    // 1. Without checkpoints the migration does not begin.
    stack.declare({ waf: migration({ zoneId: zoneA, stage: "validation" }) });
    stack.env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    await expectRefused(story, "`PULUMI_SKIP_CHECKPOINTS=true`, `pulumi preview`");
    assert.equal(sim.journal.length, 0);
    delete stack.env["PULUMI_SKIP_CHECKPOINTS"];
    await stack.up();

    // 2. Someone disables the ruleset, because it blocks customers, and enables it again.
    turn(false);
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    await expectRefused(story, 'a ruleset switched off in validation, then `stage: "finished"`');
    turn(true);

    // 3. The list is as it was sent, but newer: perhaps by a finish of ours, so the migration asks. The finish that the
    //    answer allows is lost on its way, and an hour later the ruleset is disabled again.
    const listUpdatedAt = sim.zone(zoneA).entrypoint?.last_updated ?? assert.fail();
    const notAccepted = { startedAt: listUpdatedAt, outcome: "notAccepted" } as const;
    stack.declare({ waf: migration({ zoneId: zoneA, unclearAttempt: notAccepted }) });
    sim.faults.add({ method: "PUT", kind: "reset-before" });
    assert.match(await stack.upFails("--continue-on-error"), /the finishing request got no clear response/);
    sim.faults.clear();
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    const startedAt = anHourAgo();
    backdate(stack, startedAt);
    turn(false);
    const asked = await expectRefused(
      story,
      "a finish without a response, then an edit of the rules, `pulumi preview`",
    );
    assert.ok(asked.replace(/\s+/g, " ").includes(startedAt), asked);

    // 4. An answer counts only for its own attempt, and the ruleset stays disabled.
    const rules = [
      { action: "execute", expression: "true", enabled: false, actionParameters: { id: managed } },
    ];
    const answered = (moment: string) => ({
      waf: migration({
        zoneId: zoneA,
        configuration: { name: "default", rules },
        unclearAttempt: { startedAt: moment, outcome: "notAccepted" },
      }),
    });
    stack.declare(answered("2025-01-31T12:00:00.000Z"));
    await expectRefused(story, "`unclearAttempt` with the moment of another attempt");
    stack.declare(answered(startedAt));
    await stack.up();
    assert.deepEqual([sim.zone(zoneA).waf.stage, sim.zone(zoneA).waf.acceptedPending], ["new", 1]);
    assert.equal(ruleset().enabled, false);
    assert.equal(stack.state()["waf-step"]?.outputs["attempt"], undefined);
    await stack.expectEmptyPreview();
  });
});
