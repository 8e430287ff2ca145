import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../../..");
const rooms = ["test/provider/resources", "test/provider/migration"];

/** The fields of mocha's report that this test reads. */
interface Report {
  readonly tests: readonly { readonly fullTitle: string; readonly err: { readonly message?: string } }[];
}

describe("The tests of the resources, run with the plugin", function () {
  this.timeout(600_000);

  it("pass as with dynamic resources", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-stories-"));
    try {
      const { tests } = await runTests(join(folder, "report.json"));
      const failed = tests.filter(({ err }) => err.message !== undefined);
      const told = failed.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`);
      assert.deepEqual(told, []);
      assert.ok(tests.length > 500, `${tests.length} tests ran`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function runTests(output: string): Promise<Report> {
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { encoding: "utf8", recursive: true })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(root, room, name)),
  );
  const args = [
    join(root, "node_modules/mocha/bin/mocha.js"),
    "--reporter",
    "json",
    "--reporter-option",
    `output=${output}`,
    ...files,
    join(root, "test/proof/proof.test.ts"),
  ];
  const env = { ...process.env, PAGE_GUARD_TEST_PLUGIN: "1", RUNS: "25" };
  return new Promise((done, reject) => {
    execFile(process.execPath, args, { cwd: root, env, maxBuffer: 2 ** 28 }, (error) => {
      // Mocha exits with the number of failures. The report contains their reasons.
      if (error && typeof error.code !== "number") reject(error);
      else done(JSON.parse(readFileSync(output, "utf8")));
    });
  });
}
