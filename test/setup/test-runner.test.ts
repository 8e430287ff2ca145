import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { Machine, root } from "./support/machine";

describe("npm test: what it says is what happened", () => {
  /** Inside the workspace, where mocha finds its configuration; not below test/, so that no run takes it for a test. */
  let folder: string;
  let machine: Machine;

  beforeEach(() => {
    mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
    folder = mkdtempSync(join(root, "node_modules/.cache/page-guard-runner-"));
    machine = new Machine();
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
    machine.remove();
  });

  /** What the runner makes of a file with that text. */
  async function counted(text: string, forMocha: readonly string[] = []) {
    writeFileSync(join(folder, "story.js"), text);
    const script = `
      import { runMocha } from ${JSON.stringify(pathToFileURL(join(root, "tools/test/run-mocha.mjs")).href)};
      const file = ${JSON.stringify(relative(root, join(folder, "story.js")))};
      const result = await runMocha({ name: "story", files: [file], forMocha: ${JSON.stringify(forMocha)}, env: process.env });
      console.log("\\n" + JSON.stringify(result));`;
    machine.env = { PAGE_GUARD_TEST_GRACE_MS: "1500" };
    const { stdout } = await machine.node("--input-type=module", "--eval", script);
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  }

  it("counts what passed, failed and was skipped", async () => {
    const story =
      'it("a", () => {}); it("b", () => {}); it("c", () => { throw new Error("no"); }); it("d", function () { this.skip(); }); it("e");';
    const { passed, failed, skipped, problems } = await counted(story);
    assert.deepEqual(
      { passed, failed, skipped, problems },
      { passed: 2, failed: 1, skipped: ["d", "e"], problems: [] },
    );
  });

  it("counts a failing hook", async () => {
    const { failed } = await counted('before(() => { throw new Error("no"); }); it("a", () => {});');
    assert.equal(failed, 1);
  });

  it("hands arguments on to mocha", async () => {
    const { passed } = await counted('it("one", () => {}); it("two", () => {});', ["--grep", "two"]);
    assert.equal(passed, 1);
  });

  it("counts the same when mocha runs in parallel", async () => {
    const { passed, failed } = await counted(
      'it("a", () => {}); it("c", () => { throw new Error("no"); });',
      ["--parallel"],
    );
    assert.deepEqual([passed, failed], [1, 1]);
  });

  it("notices a test that ends the process", async () => {
    const { problems } = await counted('it("a", () => process.exit(0));');
    assert.match(problems[0], /mocha ended \(exit 0\) without a report/);
  });

  it("notices a file that does not load", async () => {
    const { problems } = await counted('throw new Error("broken file");');
    assert.match(problems[0], /mocha ended \(exit \d+\) without a report/);
  });

  it("does not wait for ever for a test that leaves something open", async () => {
    const { problems, passed } = await counted('it("a", () => { setInterval(() => {}, 1000); });');
    assert.equal(passed, 1);
    assert.match(problems[0], /a test left something open/);
  });

  it("fails when no test was chosen at all", async () => {
    machine.env = { STORY_NODE_VERSION: process.versions.node };
    const { code, stdout } = await machine.node(
      "tools/test.mjs",
      "--unit",
      "test/csp/equal.test.ts",
      "--grep",
      "there is no such test",
    );
    assert.notEqual(code, 0);
    assert.match(stdout, /No test ran/);
    assert.match(stdout, /\n0 passed, 1 failed\n$/);
  });

  it("says what a path is that is none, in place of running all that there is", async () => {
    const { code, stdout } = await machine.node("tools/test.mjs", "test/csp/equal");
    assert.notEqual(code, 0);
    assert.equal(stdout, "There is no test/csp/equal. Is it test/csp/equal.test.ts?\n\n0 passed, 1 failed\n");
  });
});
