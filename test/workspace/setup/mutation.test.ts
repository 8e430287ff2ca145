import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./support/machine";

interface Score {
  readonly found: number;
  readonly survived: number;
  readonly uncovered: number;
  readonly ignored: number;
  readonly score?: number;
}

describe("npm run mutation", () => {
  it("takes from a diff the lines that are there now, of the folders whose tests are put to the test", async () => {
    const { rangesOf } = await load<{ rangesOf(diff: string): string[] }>("changed-lines");
    const diff = [
      ...["--- a/csp/src/syntax/parse.ts", "+++ b/csp/src/syntax/parse.ts"],
      ...["@@ -3 +3,2 @@ function parse()", "-a", "+b", "+c", "@@ -9,2 +10 @@", "-d", "-e", "+f"],
      ...["@@ -20,2 +20,0 @@", "-g", "-h"],
      ...["--- a/command/src/run.ts", "+++ b/command/src/run.ts", "@@ -1 +1 @@", "-i", "+j"],
      ...["--- a/provider/src/api/old.ts", "+++ /dev/null", "@@ -1 +0,0 @@", "-k"],
      ...["--- /dev/null", "+++ b/provider/src/resources/waf-rule/new.ts", "@@ -0,0 +1,7 @@", "+l"],
    ].join("\n");
    assert.deepEqual(rangesOf(diff), [
      "csp/src/syntax/parse.ts:3-4",
      "csp/src/syntax/parse.ts:10-10",
      "provider/src/resources/waf-rule/new.ts:1-7",
    ]);
  });

  it("scores a folder by what was found of all that was tried", async () => {
    const { scoreByFolder } = await load<{
      scoreByFolder(root: string, mutants: readonly object[]): ReadonlyMap<string, Score>;
    }>("score");
    const of = (file: string, ...statuses: string[]) =>
      statuses.map((status) => ({ fileName: `/house/${file}`, status }));
    const scores = scoreByFolder("/house", [
      ...of("csp/src/syntax/parse.ts", "Killed", "Timeout", "Survived", "Ignored"),
      ...of("csp/src/lint/lint.ts", "Killed", "NoCoverage", "RuntimeError"),
      ...of("provider/src/api/paging/page.ts", "Ignored"),
    ]);
    assert.deepEqual(scores.get("csp"), {
      found: 3,
      survived: 1,
      uncovered: 1,
      ignored: 1,
      broken: 1,
      score: 60,
    });
    assert.equal(scores.get("api")?.score, undefined, "nothing was tried");
  });

  it("knows tests for each folder, and none that starts an engine", async () => {
    const { folders, testsOf } = await load<{
      folders: readonly string[];
      testsOf(root: string, asked: readonly string[]): readonly string[];
    }>("folders");
    for (const folder of folders) {
      const tests = testsOf(root, [folder]);
      assert.ok(tests.length > 5, `${folder}: ${tests.length} test files`);
      assert.ok(tests.every((file) => !/^test\/(engine|consumers|proof)\//.test(file)));
    }
  });
});

function load<T>(name: string): Promise<T> {
  return import(pathToFileURL(join(root, "tools", "mutation", `${name}.mjs`)).href);
}
