import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lowest, versionProblem } from "../../../provider/src/declaration/supported-versions";
import { Machine, root, tool } from "./support/machine";

describe("Versions that are too old", () => {
  it("given Node, then the tools say so in a sentence before they do anything", async () => {
    const machine = new Machine();
    machine.env = { STORY_NODE_VERSION: "18.20.4" };
    const said =
      /^Node 18\.20\.4 is too old: this project needs Node .* or newer\. Install a current LTS release/;
    for (const name of ["engine", "build", "test", "check-package", "pack"]) {
      const { code, stdout, stderr } = await machine.node(`tools/${name}.mjs`);
      assert.equal(code, 1, name);
      assert.match(stdout + stderr, said, name);
    }
    machine.remove();
  });

  it("given a program, then the first error says which versions are needed, which are there, and what to do", () => {
    const node = /needs Node 20\.18\.1 or newer, but this program runs on Node 20\.18\.0\. Install/;
    const sdk = /needs @pulumi\/pulumi 3\.216\.0 or newer, but this program has 3\.215\.9.*npm install/;
    for (const [ofNode, ofSdk, expected] of [
      [lowest.node, lowest.sdk, /^fine$/],
      ["24.0.0", "3.999.0", /^fine$/],
      ["22.0.0-nightly2024", lowest.sdk, /^fine$/],
      ["20.18.0", lowest.sdk, node],
      ["18.20.4", lowest.sdk, /runs on Node 18\.20\.4/],
      [lowest.node, "3.215.9", sdk],
      [lowest.node, "3.99.0", /this program has 3\.99\.0/],
      [lowest.node, "2.300.0", /this program has 2\.300\.0/],
    ] as const)
      assert.match(versionProblem(ofNode, ofSdk) ?? "fine", expected);
  });

  it("are the same in all files that name them", async () => {
    const manifest = (path: string) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
    const tools = await tool("versions");
    assert.equal(tools.lowestNode, lowest.node);
    assert.equal(tools.lowestCli, lowest.sdk);
    const yamlHost = readFileSync(join(root, "tools/engine/yaml/go.mod"), "utf8");
    assert.ok(yamlHost.includes(`github.com/pulumi/pulumi-yaml v${tools.pinnedYamlHost} `));
    // Then Go compiles the packages that both need only once.
    const engine = new Map(modulesIn(readFileSync(join(root, "tools/engine/go.mod"), "utf8")));
    const others = modulesIn(yamlHost).filter(
      ([name, version]) => !name.includes("/pulumi/") && (engine.get(name) ?? version) !== version,
    );
    assert.deepEqual(others, [], "modules of another version than in tools/engine/go.mod");
    for (const [module, needed] of [
      ["tools/engine", `github.com/pulumi/pulumi/pkg/v3 v${tools.pinnedCli}`],
      ["templates/go", `github.com/pulumi/pulumi/sdk/v3 v${tools.pinnedCli}`],
    ]) {
      assert.ok(readFileSync(join(root, module ?? "", "go.mod"), "utf8").includes(`${needed}\n`), needed);
    }
    assert.equal(manifest(".").engines.node, `>=${lowest.node}`);
    assert.equal(manifest("provider").engines.node, `>=${lowest.node}`);
    assert.equal(manifest("provider").peerDependencies["@pulumi/pulumi"], `^${lowest.sdk}`);
  });
});

function modulesIn(goMod: string): [name: string, version: string][] {
  return [...goMod.matchAll(/^\t(\S+) (v\S+)/gm)].map(([, name = "", version = ""]) => [name, version]);
}
