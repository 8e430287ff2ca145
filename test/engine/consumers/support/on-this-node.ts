import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Simulator, startSimulator } from "../../../../simulator/src";
import { hostYaml } from "../../support/yaml-program";
import { stackAt } from "./consumer";
import { folders, versionIn, writeFiles } from "./installation";

/** Mocha runs this file by the Node and in the project that versions.test.ts has installed. */
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
new WafMigration("move", { zoneId: "${blog}", stage: "finished", confirm: "${blog}" });
`;

describe(`Node ${process.version} and @pulumi/pulumi ${versionIn(project, "@pulumi/pulumi")}`, () => {
  let sim: Simulator;

  before(async () => {
    sim = await startSimulator();
    const empty = { scripts: 0, connections: 0, cookies: 0 };
    sim.zones.seed(shop, { ...empty, entrypoint: { rules: [] } });
    sim.zones.seed(blog, { ...empty, waf: {} });
  });

  after(async () => {
    await sim.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it("preview, apply and find unchanged all five resources of a program in TypeScript, and apply what was approved", async () => {
    const tsconfig = {
      compilerOptions: { target: "es2022", module: "nodenext", moduleResolution: "nodenext" },
    };
    writeFiles(project, {
      "index.ts": program("checkout"),
      "tsconfig.json": JSON.stringify({ ...tsconfig, "ts-node": { transpileOnly: true } }),
      "Pulumi.yaml": "name: story\nmain: index.ts\nruntime: nodejs\n",
    });
    const stack = await stackAt(project, sim);
    const { steps } = await stack.preview();
    const created = steps.filter(({ op }) => op === "create").map(({ name }) => name);
    assert.deepEqual(created.sort(), ["csp", "move-step", "set", "waf", "watch"]);
    assert.deepEqual(sim.changing(), []);
    await stack.up();
    assert.deepEqual([sim.zone(shop).policies.length, sim.zone(blog).waf.acceptedPending], [3, 1]);
    await stack.expectEmptyPreview();

    writeFiles(project, { "index.ts": program("the checkout") });
    const env = { ...stack.place.env, ...stack.env };
    const pageGuard = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, [join(project, "node_modules/.bin/page-guard"), ...args], {
        cwd: project,
        env,
      });
    const approved = join(stack.place.folder, "approved.json");
    await pageGuard("review", "--approve", approved, "--", "pulumi", "preview", "--stack", "dev");
    await pageGuard("apply", "--approved", approved, "--", "pulumi", "up", "--stack", "dev");
    assert.ok(sim.zone(shop).policies.some(({ description }) => description === "the checkout"));
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
    const stack = await stackAt(folder, sim);
    await hostYaml(stack);
    const { steps } = await stack.preview();
    assert.deepEqual(
      steps.filter(({ op }) => op === "create").map(({ name }) => name),
      ["watch"],
    );
  });
});
