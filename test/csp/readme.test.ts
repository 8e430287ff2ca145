import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";
import * as csp from "../../csp/src";

describe("The README of page-guard-csp", () => {
  it("has a program that prints the results in its comments", () => {
    const text = readFileSync(join(__dirname, "../../csp/README.md"), "utf8");
    const [, program = ""] = /```js\n(.*?)```/s.exec(text) ?? [];
    const printed: string[] = [];
    const console = { log: (...values: readonly unknown[]) => printed.push(values.join(" ")) };
    vm.runInNewContext(program, { console, require: () => csp });
    const comments = program.split("\n").filter((line, index, all) => {
      const before = all[index - 1] ?? "";
      return line.startsWith("// ") && (before.includes("console.log") || before.startsWith("// "));
    });
    assert.equal(printed.join("\n"), comments.map((line) => line.slice(3)).join("\n"));
  });

  it("writes sources without the scheme of the page, as suggest does, like the other READMEs", () => {
    for (const folder of ["../../csp", "../../provider", "../.."])
      assert.doesNotMatch(readFileSync(join(__dirname, folder, "README.md"), "utf8"), /-src[^;\n]*https:/);
  });
});
