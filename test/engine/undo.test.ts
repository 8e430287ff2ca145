import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ZonePolicy } from "../../simulator/src";
import { root } from "../workspace/structure/source-files";
import { emptyStack, newPlace, type Place, runPulumi } from "./real-engine/engine";
import { useStories, zoneA } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";

const content = (description: string, value = "script-src 'self'") => ({
  description,
  action: "log",
  expression: `http.host eq "${description}.example.com"`,
  value,
});
const health = {
  description: "Health check",
  action: "skip",
  action_parameters: { ruleset: "current" },
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
    scripts: 0,
    connections: 0,
    cookies: 0,
    settings: { enabled: false },
    policies: [content("theirs"), { ...content("theirs-too"), action: "allow" }],
    entrypoint: { rules: [health] },
  },
};

describe("On the engine: the undo program of an update", function () {
  const begin = useStories(this);
  let empty: Place | undefined;

  after(() => empty && rmSync(empty.folder, { recursive: true, force: true }));

  it("given an approved update, when apply refuses it, then no program is written; when apply runs it, then the program restores what it deleted or overwrote", async () => {
    const { sim, stack, unmanaged } = await begin(zones);
    const pipeline = new Pipeline(stack);
    const write = (isAfter: boolean) =>
      writeFileSync(join(stack.place.project, "index.js"), program(isAfter));
    write(false);
    await stack.up();
    const before = structuredClone(sim.zone(zoneA));
    for (const { id } of [...before.policies, ...(before.entrypoint?.rules ?? [])]) unmanaged.release(id);
    write(true);
    const undo = join(stack.place.project, "undo");
    assert.match(await pipeline.approve(), /2 unmanaged policies and 1 unmanaged WAF rule will be deleted/);
    const late = sim.dashboard.putPolicy(zoneA, content("late"));
    await pipeline.refuses("--undo", undo);
    assert.ok(!existsSync(undo));
    sim.dashboard.deletePolicy(zoneA, late.id);
    await pipeline.applies("--undo", undo);
    const after = sim.zone(zoneA);
    assert.deepEqual(namesOf(after.policies), ["edited", "stays"]);
    assert.deepEqual([after.entrypoint?.rules, after.settings.enabled], [[], false]);
    assert.match(
      readFileSync(join(undo, "UNDO.md"), "utf8"),
      /PageGuardSettings `.*-settings`.*ManagedWafEntrypoint `.*-waf` \| CspPolicy `\w+-edited` \|/,
    );

    symlinkSync(join(root, "node_modules"), join(undo, "node_modules"));
    const place = await newPlace();
    empty = place;
    emptyStack(place, undo, "dev");
    for (const command of [
      ["import", "--file", "import.json", "--generate-code=false", "--yes"],
      ["up", "--refresh", "--yes", "--skip-preview", "--non-interactive"],
    ]) {
      const args = [...command, "--stack", "dev"];
      const { code, output } = await runPulumi({ ...place, project: undo }, args, stack.env).ended;
      stack.said += output;
      assert.equal(code, 0, output);
    }
    const now = sim.zone(zoneA);
    const names = ["edited", "goes", "stays", "theirs", "theirs-too"];
    assert.deepEqual(namesOf(now.policies), names);
    const bare = (policies: readonly ZonePolicy[]) =>
      policies
        .map(({ id: _, ...policy }) => policy)
        .sort((a, b) => names.indexOf(a.description) - names.indexOf(b.description));
    assert.deepEqual(bare(now.policies), bare(before.policies), "as it was");
    assert.deepEqual(
      now.entrypoint?.rules.map(({ description, expression }) => [description, expression]),
      [["Health check", "ip.src eq 192.0.2.9"]],
    );
    assert.equal(now.settings.enabled, true);
  });
});

function namesOf(policies: readonly { readonly description: string }[]): string[] {
  return policies.map(({ description }) => description).sort();
}
