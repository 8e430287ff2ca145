import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { engine, lightly } from "./real-engine/engine";

const root = resolve(__dirname, "../..");

describe("npm run demo", () => {
  // Takes under two minutes on an idle machine, and several times that beside other tests.

  before("find or build the engine", async () => {
    await engine();
  });

  it("given a clone, when it runs, then all acts succeed and the zone accepts one finish", async () => {
    const { code, output } = demo();
    assert.equal(code, 0, output);
    for (const sentence of [
      "Act one: ",
      "A second preview finds nothing to do, and sends no request.",
      "One update repairs both and leaves the added policy alone.",
      "A destroy deletes the policy and restores the settings that the stack found.",
      "Act two: ",
      "FINISHES the WAF migration of zone ",
      "The next preview is empty, and sends no request.",
      "A destroy cannot undo the migration: its preview refuses, and nothing is deleted.",
      "The stack forgets the migration, and the zone stays as it is.",
      "Finishing requests that the zone has accepted: 1, for good.",
      "Act three: ",
      "Written to infra. Its EXPORT.md says what was found",
      "No drift.",
      'never declared: policy "Landing page, added in the dashboard"',
    ]) {
      assert.ok(output.includes(sentence), `the demo did not say "${sentence}":\n${output}`);
    }
    assert.match(output, /All \d+ steps succeeded/);
    assert.match(output, /accepted requests: 2 for the validation, 1 to finish/);
    const [, report = ""] = /^\s*Open it: (.+report\.html)$/m.exec(output) ?? [];
    assert.match(readFileSync(report, "utf8"), /Page security report: /);
    rmSync(dirname(report), { recursive: true });

    // The README of examples/waf-migration shows the same migration: each line must be in the output above.
    const said = new Set(output.split("\n").map((line) => line.trimEnd()));
    const shown = shownLines(readFileSync(join(root, "examples/waf-migration/README.md"), "utf8"));
    assert.ok(shown.length > 40, `${shown.length} lines of output found in the README of the example`);
    assert.deepEqual(
      shown.filter((line) => !said.has(line)),
      [],
      "the README of examples/waf-migration shows lines that the CLI did not say",
    );
  });
});

/** The CLI's output in the console blocks of a page. */
function shownLines(markdown: string): string[] {
  return [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !line.startsWith("$ "));
}

function demo(): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "tools/demo.mjs")], {
    cwd: root,
    env: { ...process.env, ...lightly },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return { code: status, output: stdout + stderr };
}
