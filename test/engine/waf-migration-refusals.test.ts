import assert from "node:assert/strict";
import { type Declaration, migration, settings } from "./real-engine/declaration";
import { useStories, zoneA, zoneB, zoneWithPolicy } from "./real-engine/story";
import { refusalTable } from "./support/refusal-table";
import {
  type Attempt,
  expectRefused,
  expectWords,
  harmlessAttempts,
  lateAttempts,
  urnsOf,
} from "./support/refused-migration";

const urns = urnsOf("pulumi-nodejs:dynamic/page-guard:WafMigrationStep");
const watch = settings({ zoneId: zoneA, enabled: true });
const deployed: Declaration = { watch, waf: migration({ zoneId: zoneA }) };
const hooked: Declaration = { watch, waf: migration({ zoneId: zoneA, deleteHook: true }) };

const harmless = harmlessAttempts<Declaration>(
  {
    deployed,
    removed: { watch },
    renamed: { watch, renamed: migration({ zoneId: zoneA }) },
    otherZone: { watch, waf: migration({ zoneId: zoneB }) },
    earlierStage: { watch, waf: migration({ zoneId: zoneA, stage: "validation" }) },
  },
  urns,
);
const late = lateAttempts(deployed);

const hooks: readonly Attempt<Declaration>[] = [
  {
    action: "`deleteHook: true`, `pulumi destroy --ignore-protect`",
    program: hooked,
    command: ["destroy", "--yes", "--ignore-protect"],
  },
  {
    action: "`deleteHook: true`, `pulumi destroy --ignore-protect --run-program`",
    program: hooked,
    command: ["destroy", "--yes", "--ignore-protect", "--run-program"],
  },
];

const working = [
  "`pulumi destroy --exclude-protected`",
  "renamed with an alias",
  "`allowForget: true`, `pulumi up`, `pulumi destroy`",
];

/** Shown in waf-migration-unclear.test.ts. */
const askedOfPeople = [
  'a ruleset switched off in validation, then `stage: "finished"`',
  "a finish without an answer, then an edit of the rules, `pulumi preview`",
  "`unclearAttempt` with the moment of another attempt",
  "`PULUMI_SKIP_CHECKPOINTS=true`, `pulumi preview`",
];

describe("On the engine: what cannot be done to a migration", function () {
  const begin = useStories(this);

  it("the table of the documentation has just these rows", () => {
    const tried = [...harmless, ...late, ...hooks].map(({ action }) => action);
    const rows = refusalTable().map(({ action }) => action);
    assert.deepEqual(rows.sort(), [...tried, ...working, ...askedOfPeople].sort());
  });

  const zones = {
    [zoneA]: { ...zoneWithPolicy, waf: { firewallRules: 1 } },
    [zoneB]: { ...zoneWithPolicy, waf: {} },
  };

  it("given a finished migration, when it is destroyed, removed from the program or released, then what is refused is refused in the words of the table, the others work, and the zone stays migrated", async () => {
    const story = await begin(zones);
    const { sim, stack } = story;
    const declare = (program: Declaration) => stack.declare(program);
    declare(hooked);
    await stack.up();
    const migrated = JSON.stringify(sim.zone(zoneA).entrypoint);
    const expectMigrated = () => {
      assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
      assert.equal(sim.zone(zoneB).waf.stage, "old");
      assert.equal(JSON.stringify(sim.zone(zoneA).entrypoint), migrated);
    };
    for (const attempt of hooks) await expectRefused(story, declare, attempt, urns);
    expectMigrated();
    stack.declare(deployed);
    await stack.up();
    for (const attempt of harmless) await expectRefused(story, declare, attempt, urns);
    expectMigrated();
    const keep = stack.state()["waf-step"]?.outputs ?? {};

    const spared = await stack.run("destroy", "--yes", "--skip-preview", "--exclude-protected");
    assert.equal(spared.code, 0, spared.output);
    expectWords("`pulumi destroy --exclude-protected`", spared, urns);
    assert.deepEqual(Object.keys(stack.state()), ["waf-step"]);
    const sent = sim.changing().length;
    for (const attempt of late) await expectRefused(story, declare, attempt, urns);

    stack.declare({ moved: migration({ zoneId: zoneA }, { aliases: [{ name: "waf" }] }) });
    await stack.up("--expect-no-changes");
    assert.deepEqual(Object.keys(stack.state()), ["moved-step"]);
    assert.deepEqual({ ...stack.state()["moved-step"]?.outputs, __urn: keep["__urn"] }, keep);
    stack.declare({ moved: migration({ zoneId: zoneA, allowForget: true }) });
    await stack.up();
    await stack.destroy();
    assert.deepEqual(stack.resources(), []);
    assert.equal(sim.changing().length, sent, "none of this is a request that changes anything");
    expectMigrated();
  });
});
