import assert from "node:assert/strict";
import { type Declaration, migration, settings } from "../real-engine/declaration";
import type { Ended } from "../real-engine/engine";
import type { Stack } from "../real-engine/stack";
import { type Story, useStories, zoneA, zoneB, zoneWithPolicy } from "../real-engine/story";
import { inWordsOfTheTable, refusalTable } from "./support/refusal-table";

const component = "urn:pulumi:dev::story::page-guard:index:WafMigration::waf";
const urn = `${component.replace("::waf", "")}$pulumi-nodejs:dynamic/page-guard:WafMigrationStep::waf-step`;
const watch = settings({ zoneId: zoneA, enabled: true });
const deployed = { watch, waf: migration({ zoneId: zoneA }) };
const hooked = { watch, waf: migration({ zoneId: zoneA, deleteHook: true }) };

interface Try {
  /** As the first column of the table has it. */
  readonly action: string;
  readonly program: Declaration;
  readonly command: readonly string[];
  readonly prepare?: (stack: Stack) => void;
}

/** What `pulumi state unprotect --all` leaves in a state in files. */
function unprotect(stack: Stack): void {
  assert.equal(stack.state()["waf-step"]?.protect, true);
  stack.editState((recorded) => recorded.replace('"protect":true', '"protect":false'));
}

/** The engine deletes what is not protected before it comes to the migration: nothing else is there any more. */
const alone: readonly Try[] = [
  {
    action: "`pulumi destroy --yes --skip-preview`",
    program: deployed,
    command: ["destroy", "--yes", "--skip-preview"],
  },
  {
    action: "`pulumi destroy --ignore-protect`",
    program: deployed,
    command: ["destroy", "--yes", "--ignore-protect"],
  },
  {
    action: "`pulumi state unprotect`, then `pulumi destroy`",
    program: deployed,
    command: ["destroy", "--yes"],
    prepare: unprotect,
  },
];

const destroys: readonly Try[] = [
  { action: "`pulumi destroy`", program: deployed, command: ["destroy", "--yes"] },
  { action: "`pulumi destroy --preview-only`", program: deployed, command: ["destroy", "--preview-only"] },
  {
    action: "`pulumi destroy --run-program`",
    program: deployed,
    command: ["destroy", "--yes", "--run-program"],
  },
  {
    action: "`pulumi destroy --target` of the component",
    program: deployed,
    command: ["destroy", "--yes", "--target", component],
  },
  {
    action: "`pulumi destroy --target` of its child",
    program: deployed,
    command: ["destroy", "--yes", "--target", urn],
  },
];

const edits: readonly Try[] = [
  { action: "component removed, `pulumi preview`", program: { watch }, command: ["preview"] },
  { action: "component removed, `pulumi up`", program: { watch }, command: ["up", "--yes"] },
  {
    action: "renamed without an alias, `pulumi preview`",
    program: { watch, renamed: migration({ zoneId: zoneA }) },
    command: ["preview"],
  },
  { action: "`pulumi up --replace <urn>`", program: deployed, command: ["up", "--yes", "--replace", urn] },
  {
    action: "`pulumi up --target-replace <urn>`",
    program: deployed,
    command: ["up", "--yes", "--target-replace", urn],
  },
  { action: "`zoneId` changed", program: { watch, waf: migration({ zoneId: zoneB }) }, command: ["preview"] },
  {
    action: "`stage` from finished to validation",
    program: { watch, waf: migration({ zoneId: zoneA, stage: "validation" }) },
    command: ["preview"],
  },
];

const hooks: readonly Try[] = [
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

/** Told by stories/waf-migration-unclear.ts. */
const askedOfPeople = [
  'a ruleset switched off in validation, then `stage: "finished"`',
  "a finish without an answer, then an edit of the rules, `pulumi preview`",
  "`unclearAttempt` with the moment of another attempt",
  "`PULUMI_SKIP_CHECKPOINTS=true`, `pulumi preview`",
];

describe("On the engine: what cannot be done to a migration", function () {
  const begin = useStories(this);
  const table = new Map(refusalTable().map(({ action, messages }) => [action, messages]));

  it("the table of the documentation has just these rows", () => {
    const tried = [...destroys, ...edits, ...alone, ...hooks].map(({ action }) => action);
    assert.deepEqual([...table.keys()].sort(), [...tried, ...working, ...askedOfPeople].sort());
  });

  const zones = {
    [zoneA]: { ...zoneWithPolicy, waf: { firewallRules: 1 } },
    [zoneB]: { ...zoneWithPolicy, waf: {} },
  };

  it("given a finished migration, when it is destroyed, edited away or let go, then each refused way is refused in the words of the table, the others work, and the zone stays migrated", async () => {
    const story = await begin(zones);
    const { sim, stack } = story;
    stack.declare(hooked);
    await stack.up();
    const migrated = JSON.stringify(sim.zone(zoneA).entrypoint);
    const expectMigrated = () => {
      assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
      assert.equal(sim.zone(zoneB).waf.stage, "old");
      assert.equal(JSON.stringify(sim.zone(zoneA).entrypoint), migrated);
    };
    for (const attempt of hooks) await refused(story, attempt);
    expectMigrated();
    stack.declare(deployed);
    await stack.up();
    for (const attempt of [...destroys, ...edits]) await refused(story, attempt);
    expectMigrated();
    const keep = stack.state()["waf-step"]?.outputs ?? {};

    const spared = await stack.run("destroy", "--yes", "--skip-preview", "--exclude-protected");
    assert.equal(spared.code, 0, spared.output);
    expectWords("`pulumi destroy --exclude-protected`", spared);
    assert.deepEqual(Object.keys(stack.state()), ["waf-step"]);
    const sent = sim.changing().length;
    for (const attempt of alone) await refused(story, attempt);

    stack.declare({ moved: migration({ zoneId: zoneA }, { aliases: [{ name: "waf" }] }) });
    await stack.up("--expect-no-changes");
    assert.deepEqual(Object.keys(stack.state()), ["moved-step"]);
    assert.deepEqual(stack.state()["moved-step"]?.outputs, keep);
    stack.declare({ moved: migration({ zoneId: zoneA, allowForget: true }) });
    await stack.up();
    await stack.destroy();
    assert.deepEqual(stack.resources(), []);
    // That another stack takes over what is there is told in stories/waf-migration.ts.
    assert.equal(sim.changing().length, sent, "none of this is a request that changes anything");
    expectMigrated();
  });

  async function refused({ sim, stack }: Story, { action, program, command, prepare }: Try): Promise<void> {
    prepare?.(stack);
    stack.declare(program);
    const before = sim.changing().length;
    const hadOthers = Object.keys(stack.state()).filter((name) => name !== "waf-step");
    const ended = await stack.run(...command);
    assert.notEqual(ended.code, 0, `${action} was to be refused`);
    expectWords(action, ended);
    assert.ok(stack.state()["waf-step"], `${action}: the migration is still in the state`);
    assert.equal(sim.changing().length, before, `${action}: nothing was changed`);
    const others = Object.keys(stack.state()).filter((name) => name !== "waf-step");
    assert.deepEqual(others, hadOthers, `${action}: the other resource is still there`);
  }

  function expectWords(action: string, { output }: Ended): void {
    const said = inWordsOfTheTable(output, { urn, zoneId: zoneA });
    for (const message of table.get(action) ?? []) {
      assert.ok(said.includes(message), `${action} was to say\n${message}\nbut it said\n${output}`);
    }
  }
});
