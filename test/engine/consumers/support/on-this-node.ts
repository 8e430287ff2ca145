import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Simulator, startSimulator } from "../../../../simulator/src";
import { changesOf } from "../../real-engine/preview";
import type { Stack } from "../../real-engine/stack";
import { hostYaml } from "../../support/yaml-program";
import { stackAt } from "./consumer";
import { removeAll, versionOf, writeFiles } from "./installation";

/** versions.test.ts runs this file with the Node and in the project that it has installed. */
const project = process.env["STORY_PROJECT"] ?? "";
const [shop, blog] = ["a".repeat(32), "b".repeat(32)] as const;
const value = "script-src 'self'; object-src 'none'; base-uri 'self'";

const program = (description: string) => `
import { CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings, WafMigration } from "pulumi-page-guard";

const rule = { action: "log", expression: "true", value: "${value}" } as const;
new PageGuardSettings("watch", { zoneId: "${shop}", enabled: true });
new CspPolicy("csp", { zoneId: "${shop}", description: "${description}", ...rule });
new CspPolicySet("set", { zoneId: "${shop}", policies: { blog: rule, news: rule } });
new ManagedWafEntrypoint("waf", { zoneId: "${shop}", rules: [{ action: "block", expression: 'http.host eq "a.example"' }] });
new WafMigration("move", { zoneId: "${blog}", stage: "validation", confirm: "${blog}" });
`;

describe(`Node ${process.version} and @pulumi/pulumi ${versionOf("@pulumi/pulumi", project)}`, () => {
  let sim: Simulator;
  let stack: Stack;

  before(async () => {
    sim = await startSimulator();
    const empty = { scripts: 0, connections: 0, cookies: 0 };
    sim.zones.seed(shop, { ...empty, entrypoint: { rules: [] } });
    sim.zones.seed(blog, { ...empty, waf: {} });
  });

  after(async () => {
    await sim.stop();
    removeAll();
  });

  it("preview and apply all five resources of a TypeScript program, and find no changes afterwards", async () => {
    const compilerOptions = { target: "es2022", module: "nodenext", moduleResolution: "nodenext" };
    writeFiles(project, {
      "index.ts": program("checkout"),
      "tsconfig.json": JSON.stringify({ compilerOptions, "ts-node": { transpileOnly: true } }),
      "Pulumi.yaml": "name: story\nmain: index.ts\nruntime: nodejs\n",
    });
    stack = await stackAt(project, sim);
    const created = ["csp", "move-step", "set", "waf", "watch"].map((name) => `create ${name}`);
    assert.deepEqual(changesOf(await stack.preview()), created);
    assert.deepEqual(sim.changing(), []);
    await stack.up();
    assert.deepEqual([sim.zone(shop).policies.length, sim.zone(blog).waf.acceptedValidation], [3, 1]);
    await stack.expectEmptyPreview();
  });

  if (process.env["STORY_APPROVAL"])
    it("review an edit, apply what was approved, find drift, and destroy what is not protected", async () => {
      writeFiles(project, { "index.ts": program("the checkout") });
      const options = { cwd: project, env: { ...stack.place.env, ...stack.env } };
      const command = join(project, "node_modules/.bin/page-guard");
      const pageGuard = (...args: readonly string[]) =>
        promisify(execFile)(process.execPath, [command, ...args], options);
      const approved = join(stack.place.folder, "approved.json");
      await pageGuard("review", "--approve", approved, "--", "pulumi", "preview", "--stack", "dev");
      await pageGuard("apply", "--approved", approved, "--", "pulumi", "up", "--stack", "dev");
      assert.ok(sim.zone(shop).policies.some(({ description }) => description === "the checkout"));

      sim.dashboard.setSettings(shop, { enabled: false });
      assert.deepEqual(changesOf(await stack.preview("--refresh")), ["update watch: enabled"]);
      await stack.destroy("--exclude-protected");
      assert.deepEqual([sim.zone(shop).policies, sim.zone(shop).entrypoint?.rules], [[], []]);
    });

  it("preview a program in YAML", async () => {
    const folder = join(project, "yaml");
    const plugin = join(project, "node_modules/pulumi-page-guard/plugin");
    const text = `name: yaml
runtime: yaml
packages: { page-guard: "${plugin}" }
resources:
  watch:
    type: page-guard:PageGuardSettings
    properties: { zoneId: "${shop}", enabled: true }
`;
    writeFiles(folder, { "Pulumi.yaml": text });
    const inYaml = await stackAt(folder, sim);
    await hostYaml(inYaml);
    assert.deepEqual(changesOf(await inYaml.preview()), ["create watch"]);
  });
});
