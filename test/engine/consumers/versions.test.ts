import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import * as installation from "./support/installation";
import { npmInstall, packAll, root, temporaryFolder, versionOf, writeFiles } from "./support/installation";

const { lowest } = installation.sdkVersions();

/** Versions of npm's package `node`, each with an SDK. */
const pairs = [
  { version: "20.18.1", which: "lowest", sdk: lowest },
  ...["22", "24", "26"].map((version) => ({ version, which: "newest", sdk: "latest" })),
];

describe("The published package, on other versions", () => {
  let tarballs: Readonly<Record<string, string>>;

  before(async () => {
    tarballs = await packAll(temporaryFolder("tarball"));
  });

  after(installation.removeAll);

  for (const pair of pairs) {
    const { version, which, sdk } = pair;
    it(`runs on Node ${version} with the ${which} SDK`, async function () {
      const node = await nodeOf(version);
      if (node === undefined) {
        process.stderr.write(`!! Node ${version} cannot be installed here: its test is skipped.\n`);
        this.skip();
      }
      const project = await projectWith(sdk);
      const own = "test/engine/consumers/support/on-this-node.ts";
      const isExtreme = pair === pairs[0] || pair === pairs.at(-1);
      const stories = await mocha(node, own, {
        STORY_PROJECT: project,
        ...(isExtreme && { STORY_APPROVAL: "1" }),
      });
      assert.ok(stories.failed === 0 && stories.passed === (isExtreme ? 3 : 2), stories.output);
      // Tests of the SDK features that we use although they are undocumented. The usual run tests the SDK of this workspace.
      const hook = join(__dirname, "support/other-sdk.cjs");
      const internals = await mocha(node, "test/provider/declaration/internals/**/*.test.ts", {
        PAGE_GUARD_TEST_SDK: project,
        NODE_OPTIONS: `--require "${hook}"`,
      });
      assert.ok(internals.failed === 0 && internals.passed > 20, internals.output);
    });
  }

  /** A project with our packages and this SDK. npm installs each SDK once; further projects link its files. */
  async function projectWith(sdk: string): Promise<string> {
    const project = temporaryFolder("versions");
    const first = projects.get(sdk);
    if (first !== undefined) {
      installation.linkFiles(join(first, "node_modules"), join(project, "node_modules"));
      return project;
    }
    const ours = ["pulumi-page-guard", "page-guard-csp", "page-guard"];
    const dependencies = {
      ...Object.fromEntries(ours.map((name) => [name, `file:${tarballs[name]}`])),
      "@pulumi/pulumi": sdk,
      // The newest TypeScript that the lowest SDK supports.
      typescript: "5.9",
      "ts-node": versionOf("ts-node"),
      "@types/node": versionOf("@types/node"),
    };
    writeFiles(project, { "package.json": JSON.stringify({ private: true, dependencies }) });
    await npmInstall(project);
    projects.set(sdk, project);
    return project;
  }
});

/** The first project with each SDK. */
const projects = new Map<string, string>();

const installed = new Map<string, string | undefined>();

/** The executable of a Node; undefined if npm cannot install it. */
async function nodeOf(version: string): Promise<string | undefined> {
  if (installed.has(version)) return installed.get(version);
  const folder = temporaryFolder("node");
  // npm runs the package's install script as another user.
  chmodSync(folder, 0o755);
  writeFiles(folder, { "package.json": JSON.stringify({ private: true, dependencies: { node: version } }) });
  await npmInstall(folder).catch(() => undefined);
  const path = join(folder, "node_modules/node/bin/node");
  installed.set(version, existsSync(path) ? path : undefined);
  return installed.get(version);
}

/** Runs tests with another Node. */
async function mocha(node: string, files: string, env: NodeJS.ProcessEnv) {
  const { NODE_OPTIONS: _, ...own } = process.env;
  const PATH = `${dirname(node)}${delimiter}${process.env["PATH"]}`;
  const options = { cwd: root, env: { ...own, PATH, ...env }, maxBuffer: 1 << 26 };
  const args = [join(root, "node_modules/mocha/bin/mocha.js"), files];
  const output = await new Promise<string>((resolve) => {
    execFile(node, args, options, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(output)?.[1] ?? 0);
  return { passed: count("passing"), failed: count("failing"), output };
}
