import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const rooms = ["test/resources", "test/migration", "test/policies"];

/**
 * Stories that end in another way, since a plugin learns what is declared beside a resource by one check after the other. What it
 * does instead is in moves.test.ts.
 */
const otherwise = [
  // The set is changed before anything is known of who adopts: an engine does so with `--parallel 1`.
  /one leaves a set for a CspPolicy and another one comes from a second set \(.*, one by one\)/,
  /two sets that exchange policies .* \(.*, one by one\)/,
  /when the machine dies between the two records .* \(in one order, one by one\)/,
  /a move that was cut off before the taker was recorded.* \(in one order, one by one\)/,
  /a policy that has moved to a CspPolicy, whatever becomes of that one.* \(in one order, one by one\)/,
  /a policy that has moved to another set, when its key there changes.* \(in one order, one by one\)/,
  /a policy that has moved to another set, when the first one is deleted .* \(in one order, one by one\)/,
  /a policy that moved and is in two states, when the set deletes it before the other resource is compared/,
  // A preview compares the set first, and can't say for sure that what it releases is adopted.
  /a policy that a set releases, when another resource declares it in another turn of the program/,
  // The set has waited for the other resource, so it deletes the policy itself, and the failure is its own.
  /a policy that a set releases for a resource that is changed to say the same, when its deletion fails/,
  // The set has waited for the other resource, so it has nothing to release: the story has no beginning.
  /a set that released a policy for a resource which has one of its own/,
  // With a target the engine checks nothing else.
  /a run that checks the exact set alone/,
];

/** The part of mocha's report that is used here. */
interface Report {
  readonly tests: readonly { readonly fullTitle: string; readonly err: { readonly message?: string } }[];
}

describe("The stories of the resources, told to the plugin", function () {
  this.timeout(600_000);

  it("end as they do for dynamic resources, but for those that are named here", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-stories-"));
    try {
      const { tests } = await told(join(folder, "report.json"));
      const isOther = (title: string) => otherwise.some((known) => known.test(title));
      const failed = tests.filter(({ err }) => err.message !== undefined);
      assert.deepEqual(
        failed
          .filter(({ fullTitle }) => !isOther(fullTitle))
          .map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`),
        [],
      );
      const others = tests.map(({ fullTitle }) => fullTitle).filter(isOther);
      assert.deepEqual(
        others.filter((title) => !failed.some(({ fullTitle }) => fullTitle === title)),
        [],
        "these need not be named",
      );
      assert.ok(tests.length > 700, `${tests.length} stories were told`);
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
  ];
  const env = { ...process.env, PAGE_GUARD_TEST_PLUGIN: "1", RUNS: "25", SET_RUNS: "5" };
  return new Promise((done, reject) => {
    execFile(process.execPath, args, { cwd: root, env, maxBuffer: 2 ** 28 }, (error) => {
      // It exits with the number of failures; the report has their reasons.
      if (error && typeof error.code !== "number") reject(error);
      else done(JSON.parse(readFileSync(output, "utf8")));
    });
  });
}
