import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  folders,
  npmInstall,
  root,
  sdkVersions,
  temporaryFolder,
  versionHere,
  versionIn,
  writeFiles,
} from "./support/installation";

const { lowest, newest } = sdkVersions();

/** The tests of what we use of the SDK without its documentation: this workspace's own SDK has them in its usual run. */
describe("What the SDK does not document", () => {
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  for (const version of new Set(
    [lowest, newest].filter((other) => other !== versionHere("@pulumi/pulumi")),
  )) {
    it(`is there, and does what it is used for, in ${version}`, async () => {
      const folder = temporaryFolder("sdk");
      writeFiles(folder, {
        "package.json": JSON.stringify({ private: true, dependencies: { "@pulumi/pulumi": version } }),
      });
      await npmInstall(folder);
      const { passed, failed, output } = await resultIn(folder);
      assert.ok(failed === 0 && passed > 20, `${versionIn(folder, "@pulumi/pulumi")}:\n${output}`);
    });
  }
});

/** All tests of test/internals, in a process whose SDK is that of the folder. */
function resultIn(folder: string): Promise<{ passed: number; failed: number; output: string }> {
  const hook = join(__dirname, "support/other-sdk.cjs");
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const env = { ...process.env, PAGE_GUARD_TEST_SDK: folder, NODE_OPTIONS: `--require "${hook}"` };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [mocha, "test/internals/**/*.test.ts"],
      { cwd: root, env, maxBuffer: 1 << 26 },
      (_error, stdout, stderr) => {
        const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(stdout)?.[1] ?? 0);
        resolve({ passed: count("passing"), failed: count("failing"), output: stdout + stderr });
      },
    );
  });
}
