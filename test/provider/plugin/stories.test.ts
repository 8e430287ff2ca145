import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../../..");
const rooms = ["test/provider/resources", "test/provider/migration"];

/** The part of mocha's report that is used here. */
interface Report {
  readonly tests: readonly { readonly fullTitle: string; readonly err: { readonly message?: string } }[];
}

describe("The stories of the resources, told to the plugin", function () {
  this.timeout(600_000);

  it("end as they do for dynamic resources", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-stories-"));
    try {
      const { tests } = await told(join(folder, "report.json"));
      const failed = tests.filter(({ err }) => err.message !== undefined);
      assert.deepEqual(
        failed.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`),
        [],
      );
      assert.ok(tests.length > 600, `${tests.length} stories were told`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function told(output: string): Promise<Report> {
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
      // It exits with the number of failures; the report has their reasons.
      if (error && typeof error.code !== "number") reject(error);
      else done(JSON.parse(readFileSync(output, "utf8")));
    });
  });
}
