import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { root } from "./support/machine";

function run(tool: string, ...args: readonly string[]) {
  const script = [`tools/${tool}.mjs`, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: root, encoding: "utf8" });
  return { status, stdout, said: stdout + stderr };
}

describe("The tools' arguments", () => {
  for (const [tool, option] of Object.entries({ prove: "--planted", bench: "--only" })) {
    it(`given --help or an unknown option, then npm run ${tool} prints its usage`, () => {
      const usage = new RegExp(`^(.*\n)*npm run ${tool} -- .*${option}`);
      const help = run(tool, "--help");
      assert.equal(help.status, 0);
      assert.match(help.stdout, usage);
      const { status, said } = run(tool, "--nonsense");
      assert.equal(status, 1);
      assert.match(said, /^Unknown option '--nonsense'/);
      assert.match(said, usage);
    });
  }

  it("given an option without its value, an extra word or an invalid number, then a sentence says so", () => {
    for (const [args, told] of [
      [["--runs"], /^Option '--runs <value>' argument missing\n/],
      [["--real=yes"], /^Option '--real' does not take an argument\n/],
      [["stories"], /^Unexpected argument 'stories'/],
      [["--runs", "many"], /^--runs takes a number above 0, not many\.$/m],
      [["--minutes", "0"], /^--minutes takes a number above 0, not 0\.$/m],
      [["--about", "zone"], /^--about takes one of settings, policy, set, entry, migration, not zone\.$/m],
    ] as const) {
      const { status, said } = run("prove", ...args);
      assert.equal(status, 1);
      assert.match(said, told);
    }
  });
});
