import assert from "node:assert/strict";
import { changesOf } from "../real-engine/preview";
import type { Stack } from "../real-engine/stack";
import { useStories, zoneA, zoneB } from "../real-engine/story";
import { inWordsOfTheTable, refusalTable } from "./support/refusal-table";
import { from, migration, resource, useYaml, type YamlResource } from "./support/yaml-program";

const component = "urn:pulumi:dev::story::page-guard:index:WafMigration::waf";
const urn = `${component.replace("::waf", "")}$page-guard:index:WafMigrationStep::waf-step`;

type Resources = Readonly<Record<string, YamlResource>>;

const watch = resource("PageGuardSettings", { zoneId: zoneA, enabled: true });
const deployed: Resources = { watch, waf: migration({ zoneId: zoneA }) };

interface Try {
  /** As the first column of the table in docs/waf-migration-refusals.md has it. */
  readonly action: string;
  readonly program: Resources;
  readonly command: readonly string[];
  readonly prepare?: (stack: Stack) => void;
}

const refusals: readonly Try[] = [
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
    prepare: (stack) => stack.editState((recorded) => recorded.replace('"protect":true', '"protect":false')),
  },
];

describe("The migration of the plugin", function () {
  const begin = useStories(this);
  const table = new Map(refusalTable().map(({ action, messages }) => [action, messages]));

  it("given a zone on the previous WAF, when it is migrated, destroyed, edited away and let go, then it is migrated once, and refused as in TypeScript", async () => {
    const { sim, stack } = await begin({ [zoneA]: { waf: { firewallRules: 1 } }, [zoneB]: { waf: {} } });
    const declare = await useYaml(stack);
    const entrypoint = resource("ManagedWafEntrypoint", {
      zoneId: zoneA,
      rules: from("waf.configuration.rules"),
    });
    declare({ resources: { ...deployed, waf: migration({ zoneId: zoneA, confirm: zoneB }) } });
    assert.match(await stack.fails("preview"), /confirm/);
    declare({ resources: { ...deployed, entrypoint } });
    assert.deepEqual(changesOf(await stack.preview()), [
      "create entrypoint",
      "create waf-step",
      "create watch",
    ]);
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 0, "a preview migrates nothing");
    await stack.up();
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    assert.equal(stack.state()["waf-step"]?.protect, true);
    await stack.expectEmptyPreview();
    await stack.expectNoDrift();

    declare({ resources: deployed });
    await stack.up();
    const sent = sim.changing().length;
    for (const attempt of refusals) await refused(stack, declare, attempt);
    assert.equal((await stack.run("destroy", "--yes", "--skip-preview", "--exclude-protected")).code, 0);
    assert.deepEqual(Object.keys(stack.state()), ["waf-step"]);
    const after = sim.changing().length;
    for (const attempt of alone) await refused(stack, declare, attempt);

    const keep = stack.state()["waf-step"]?.outputs ?? {};
    const options = { aliases: [{ name: "waf" }], retainOnDelete: true };
    declare({ resources: { moved: migration({ zoneId: zoneA }, options) } });
    await stack.up("--expect-no-changes");
    assert.deepEqual(Object.keys(stack.state()), ["moved-step"]);
    assert.equal(stack.state()["moved-step"]?.retainOnDelete, true);
    assert.deepEqual(stack.state()["moved-step"]?.outputs, keep);
    declare({ resources: { moved: migration({ zoneId: zoneA, allowForget: true }) } });
    await stack.up();
    await stack.destroy();
    assert.deepEqual(stack.resources(), []);
    assert.equal(sim.changing().length, after, "no refusal and no forgetting changes the zone");
    assert.ok(after > sent, "the settings were restored");
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    assert.equal(sim.zone(zoneB).waf.stage, "old");
  });

  async function refused(
    stack: Stack,
    declare: Awaited<ReturnType<typeof useYaml>>,
    { action, program, command, prepare }: Try,
  ): Promise<void> {
    prepare?.(stack);
    declare({ resources: program });
    const { code, output } = await stack.run(...command);
    assert.notEqual(code, 0, `${action} was to be refused`);
    assert.ok(stack.state()["waf-step"], `${action}: the migration is still in the state`);
    const said = inWordsOfTheTable(output, { urn, zoneId: zoneA });
    for (const message of table.get(action) ?? []) {
      assert.ok(said.includes(message), `${action} was to say\n${message}\nbut it said\n${output}`);
    }
  }
});
