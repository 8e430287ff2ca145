import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { changesOf } from "../real-engine/preview";
import { stackAt } from "./support/consumer";
import { removeAll, root, temporaryFolder, writeFiles } from "./support/installation";
import { program } from "./support/programs";

const zoneId = "0123456789abcdef0123456789abcdef";

describe("Before any request, the preview reports in one sentence", () => {
  let sim: Simulator;

  before(async () => {
    sim = await startSimulator();
  });

  after(async () => {
    await sim?.stop();
    removeAll();
  });

  it("a clone whose package was never built", async () => {
    const clone = temporaryFolder("clone");
    const manifests = ["package.json", "provider/package.json", "csp/package.json"];
    for (const path of ["Pulumi.yaml", "tools/setup", "examples/quickstart", ...manifests])
      cpSync(join(root, path), join(clone, path), { recursive: true });
    linkPackages(join(clone, "node_modules"));
    symlinkSync("../provider", join(clone, "node_modules", "pulumi-page-guard"));

    const stack = await stackAt(clone, sim);
    await stack.run("config", "set", "zoneId", zoneId);
    const said = await stack.fails("preview");
    const advice =
      /The package of this clone has not been built: .* Run `npm run build` at the root of the clone/;
    assert.match(said, advice);
    assert.doesNotMatch(said, /Cannot find module|node:internal/);
    assert.equal(sim.journal.length, 0);
  });

  for (const [what, disguise, expected] of [
    [
      "a Node that is too old",
      'Object.defineProperty(process.versions, "node", { value: "18.20.4" });',
      /error: pulumi-page-guard needs Node .* or newer, but this program runs on Node 18\.20\.4\. Install/,
    ],
    [
      "an SDK that is too old",
      'require("@pulumi/pulumi/version").version = "3.150.0";',
      /error: pulumi-page-guard needs @pulumi\/pulumi .* or newer, but this program has 3\.150\.0.* Run `npm install/,
    ],
  ] as const) {
    it(what, async () => {
      const project = temporaryFolder("old");
      const { "index.js": text = "", ...rest } = program("CommonJS", zoneId);
      const files = { ...rest, "package.json": '{ "private": true }', "index.js": `${disguise}\n${text}` };
      writeFiles(project, files);
      symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
      const said = await (await stackAt(project, sim)).fails("preview");
      assert.match(said, expected);
      assert.doesNotMatch(said, /node:internal|\n\s+at /);
      assert.equal(sim.journal.length, 0);
    });
  }

  it("a component of another workspace package, in a program that depends on that package only", async () => {
    const workspace = temporaryFolder("monorepo");
    const [shop, stackFolder] = [join(workspace, "packages/shop"), join(workspace, "stack")];
    writeFiles(shop, {
      "package.json": '{ "name": "shop", "main": "index.js" }',
      "index.js": `const { PageGuardSettings } = require("pulumi-page-guard");
exports.Shop = class { constructor() { new PageGuardSettings("watch", { zoneId: "${zoneId}", enabled: true }); } };
`,
    });
    symlinkSync(join(root, "node_modules"), join(shop, "node_modules"));
    writeFiles(stackFolder, {
      ...program("CommonJS", zoneId),
      "package.json": '{ "private": true, "dependencies": { "shop": "*" } }',
      "index.js": `const { Shop } = require("shop");\nnew Shop();\n`,
    });
    linkPackages(join(stackFolder, "node_modules"));
    symlinkSync(shop, join(stackFolder, "node_modules/shop"));
    const stack = await stackAt(stackFolder, sim);
    const said = await stack.fails("preview");
    const reason =
      /Failed to declare PageGuardSettings watch: pulumi-page-guard cannot be loaded from .*\bstack\b.* \[package-not-in-program\]/;
    assert.match(said, reason);
    assert.doesNotMatch(said, /Cannot find module|node:internal|\n\s+at /);
    assert.equal(sim.journal.length, 0);

    // Do what the message asks for.
    sim.zones.seed(zoneId);
    symlinkSync(join(root, "provider"), join(stackFolder, "node_modules/pulumi-page-guard"));
    assert.deepEqual(changesOf(await stack.preview()), ["create watch"]);
  });
});

/** Links all packages of this workspace, except the one that is under test. */
function linkPackages(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "pulumi-page-guard" && !name.startsWith(".")) {
      symlinkSync(join(root, "node_modules", name), join(folder, name));
    }
  }
}
