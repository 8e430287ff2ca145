import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const room = resolve(__dirname, "../../engine/real-engine");

describe("What is kept of compiled code for the engine's processes", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-kept-code-"));
    mkdirSync(join(folder, "test/engine/real-engine"), { recursive: true });
    for (const name of ["compile-cache.cjs", "write-compile-cache.cjs", "lazy-libraries.cjs"])
      cpSync(join(room, name), join(folder, "test/engine/real-engine", name));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it("given a module that is edited, and a file of it that is damaged anywhere, then what the module says is what is run", () => {
    const module = join(folder, "module.cjs");
    const says = (number: number): void =>
      writeFileSync(module, `exports.said = function said() { return ${number}; };\nexports.said();\n`);
    says(1);
    node(tool("write-compile-cache.cjs"), module);
    const [name = ""] = readdirSync(join(folder, "node_modules/.cache/page-guard-code"));
    const file = join(folder, "node_modules/.cache/page-guard-code", name);
    const kept = readFileSync(file);
    assert.deepEqual(heard(module), { said: 1, isMadeAnew: false });

    // Nothing is written where all is kept.
    const { length } = kept;
    node(tool("write-compile-cache.cjs"), module);
    assert.ok(readFileSync(file).equals(kept));

    for (const damaged of [
      kept.subarray(0, length / 2),
      Buffer.from(kept).fill(0xff, length - 200, length - 100),
      Buffer.from("no digest, no JSON"),
    ]) {
      writeFileSync(file, damaged);
      assert.deepEqual(heard(module), { said: 1, isMadeAnew: true });
    }

    writeFileSync(file, kept);
    // As long as before.
    says(2);
    assert.deepEqual(heard(module), { said: 2, isMadeAnew: true });
    node(tool("write-compile-cache.cjs"), module);
    assert.deepEqual(heard(module), { said: 2, isMadeAnew: false });
  });

  function tool(name: string): string {
    return join(folder, "test/engine/real-engine", name);
  }

  /** What the module says in a process that uses what is kept, and whether V8 had to compile it there. */
  function heard(module: string): unknown {
    const program = `
      const vm = require("node:vm");
      const { Script } = vm;
      let isMadeAnew = true;
      vm.Script = class extends Script {
        constructor(text, options) {
          super(text, options);
          if (options.cachedData) isMadeAnew = this.cachedDataRejected;
        }
      };
      console.log(JSON.stringify({ said: require(${JSON.stringify(module)}).said(), isMadeAnew }));`;
    return JSON.parse(node("--require", tool("compile-cache.cjs"), "-e", program));
  }

  function node(...args: readonly string[]): string {
    return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  }
});
