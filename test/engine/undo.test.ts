import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ZonePolicy } from "../../simulator/src";
import { pageGuard } from "../command/support/console";
import { root } from "../workspace/structure/source-files";
import { emptyStack, engine, newPlace, runPulumi } from "./real-engine/engine";
import { type Story, useStories, zoneA } from "./real-engine/story";

const content = (description: string, value = "script-src 'self'") => ({
  ...{ description, action: "log", expression: `http.host eq "${description}.example.com"`, value },
});
const health = {
  ...{ description: "Health check", action: "skip", action_parameters: { ruleset: "current" } },
  expression: "ip.src eq 192.0.2.9",
};

function program(isAfter: boolean): string {
  return `const { CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings } = require("pulumi-page-guard");
const zoneId = "${zoneA}";
const isAfter = ${isAfter};
new PageGuardSettings("settings", { zoneId, enabled: !isAfter });
const stays = ${JSON.stringify(content("stays"))};
if (isAfter) {
  new CspPolicySet("all", { zoneId, others: "delete", policies: { stays, edited: ${JSON.stringify(content("edited", "script-src 'none'"))} } });
  new ManagedWafEntrypoint("waf", { zoneId, foreignRules: "overwrite", rules: [] });
} else {
  new CspPolicySet("all", { zoneId, policies: { stays, edited: ${JSON.stringify(content("edited"))}, goes: ${JSON.stringify(content("goes"))} } });
}
`;
}

const zones = {
  [zoneA]: {
    ...{ scripts: 0, connections: 0, cookies: 0, settings: { enabled: false } },
    policies: [content("theirs"), { ...content("theirs-too"), action: "allow" }],
    entrypoint: { rules: [health] },
  },
};

describe("On the engine: what an update deletes or overwrites", function () {
  const begin = useStories(this);
  const others: string[] = [];

  after(() => {
    for (const folder of others) rmSync(folder, { recursive: true, force: true });
  });

  async function undone(story: Story, command: (undo: string) => Promise<void>): Promise<void> {
    await engine();
    const { sim, stack, unmanaged } = story;
    const write = (isAfter: boolean) =>
      writeFileSync(join(stack.place.project, "index.js"), program(isAfter));
    write(false);
    await stack.up();
    const before = structuredClone(sim.zone(zoneA));
    for (const { id } of [...before.policies, ...(before.entrypoint?.rules ?? [])]) unmanaged.release(id);
    write(true);
    const undo = join(stack.place.project, "undo");
    await command(undo);
    const after = sim.zone(zoneA);
    assert.deepEqual(namesOf(after.policies), ["edited", "stays"]);
    assert.deepEqual([after.entrypoint?.rules, after.settings.enabled], [[], false]);

    const said = readFileSync(join(undo, "UNDO.md"), "utf8");
    assert.match(
      said,
      /PageGuardSettings `.*-settings`.*ManagedWafEntrypoint `.*-waf` \| CspPolicy `\w+-edited` \|/,
    );

    symlinkSync(join(root, "node_modules"), join(undo, "node_modules"));
    const empty = await newPlace();
    others.push(empty.folder);
    emptyStack(empty, undo, "dev");
    for (const command of [
      ["import", "--file", "import.json", "--generate-code=false", "--yes"],
      ["up", "--refresh", "--yes", "--skip-preview", "--non-interactive"],
    ]) {
      const args = [...command, "--stack", "dev"];
      const { code, output } = await runPulumi({ ...empty, project: undo }, args, stack.env).ended;
      stack.said += output;
      assert.equal(code, 0, output);
    }
    const now = sim.zone(zoneA);
    assert.deepEqual(namesOf(now.policies), ["edited", "goes", "stays", "theirs", "theirs-too"]);
    const bare = ({ id: _id, ...policy }: ZonePolicy) => policy;
    for (const name of ["edited", "goes", "theirs", "theirs-too"]) {
      const of = (policies: readonly ZonePolicy[]) =>
        policies.filter(({ description }) => description === name).map(bare);
      assert.deepEqual(of(now.policies), of(before.policies), "as it was");
    }
    assert.deepEqual(
      now.entrypoint?.rules.map(({ description, expression }) => [description, expression]),
      [["Health check", "ip.src eq 192.0.2.9"]],
    );
    assert.equal(now.settings.enabled, true);
  }

  it("is written by a review, and the program that it wrote puts it back", async () => {
    const story = await begin(zones);
    await undone(story, async (undo) => {
      const { place } = story.stack;
      const env = { ...place.env, ...story.stack.env };
      const args = ["review", "--undo", undo, "--", "pulumi", "preview", "--stack", "dev"];
      const { code, out, err } = await pageGuard(args, { cwd: place.project, env });
      assert.equal(code, 0, err);
      assert.match(out, /2 policies and 1 WAF rule of others will be deleted or overwritten/);
      await story.stack.up();
    });
  });

  it("is written by an apply right before it, and by none that is refused", async () => {
    const story = await begin(zones);
    await undone(story, async (undo) => {
      const { place } = story.stack;
      const env = { ...place.env, ...story.stack.env };
      const run = (...args: readonly string[]) => pageGuard(args, { cwd: place.project, env });
      const approved = await run(
        "review",
        "--approve",
        "approved.json",
        "--",
        "pulumi",
        "preview",
        "--stack",
        "dev",
      );
      assert.equal(approved.code, 0, approved.err);
      const apply = [
        "apply",
        "--approved",
        "approved.json",
        "--undo",
        undo,
        "--",
        "pulumi",
        "up",
        "--stack",
        "dev",
      ];
      const edited = story.sim.dashboard.putPolicy(zoneA, { ...content("late"), id: "late" });
      assert.equal((await run(...apply)).code, 2);
      assert.ok(!existsSync(undo));
      story.sim.dashboard.deletePolicy(zoneA, edited.id);
      const applied = await run(...apply);
      assert.equal(applied.code, 0, applied.out + applied.err);
    });
  });
});

function namesOf(policies: readonly { readonly description: string }[]): string[] {
  return policies.map(({ description }) => description).sort();
}
