import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { root } from "./support/machine";

function run(tool: string, ...args: readonly string[]) {
  const script = [`tools/${tool}.mjs`, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: root, encoding: "utf8" });
  return { status, stdout, said: stdout + stderr };
}

describe("The tools' arguments", () => {
  for (const [tool, option] of [
    ["prove", "--planted"],
    ["bench", "--quick"],
  ] as const) {
    it(`npm run ${tool} tells with --help how it is used, and with what it does not know what it takes`, () => {
      const help = run(tool, "--help");
      assert.equal(help.status, 0);
      assert.match(help.stdout, new RegExp(`^(.*\n)*npm run ${tool} -- .*${option}`));
      const { status, said } = run(tool, "--nonsense");
      assert.equal(status, 1);
      const told = `^npm run ${tool} knows no --nonsense; it takes .*${option}.*--help. says.*\n$`;
      assert.match(said, new RegExp(told));
    });
  }

  it("an option without its value, a word too many and a number that is none are told in a sentence", () => {
    for (const [args, told] of [
      [["--runs"], /^npm run prove needs a value behind --runs; it takes /],
      [["--real=yes"], /^npm run prove takes no value behind --real; it takes /],
      [["stories"], /^npm run prove can do nothing with stories; it takes /],
      [["--runs", "many"], /^--runs takes a number above 0, not many\.$/m],
    ] as const) {
      const { status, said } = run("prove", ...args);
      assert.equal(status, 1);
      assert.match(said, told);
    }
  });
});
