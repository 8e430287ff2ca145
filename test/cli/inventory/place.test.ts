import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { replaceInventory } from "../../../provider/src/cli/inventory/place";
import { parseInventory } from "../../../provider/src/inventory/inventory-file";

const root = resolve(__dirname, "../../..");
const main = join(root, "provider/src/cli/main.ts");
const file = "inventory/shop.yaml";
const entries = "- match: https://a.example/a.js # mine\n- match: https://b.example/b.js\n";

describe("Processes that write one inventory", () => {
  let folder: string;
  const running: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-writers-"));
    mkdirSync(join(folder, "inventory"));
    writeFileSync(join(folder, file), entries);
  });
  afterEach(() => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const files = () => readdirSync(join(folder, "inventory"));
  const text = () => readFileSync(join(folder, file), "utf8");

  /** A process of its own that approves the entry; `before` runs in it where it is about to put its text in place. */
  function approve(match: string, before = "") {
    const hook = join(folder, `hook-${running.length}.cjs`);
    writeFileSync(
      hook,
      `const fs = require("node:fs"); const { renameSync } = fs; fs.renameSync = (...args) => { ${before}; renameSync(...args); };`,
    );
    const transpile = join(root, "tools/test/transpile.cjs");
    const given = ["--by", "Ada", "--reference", "PR 7", "--why", "needed"];
    const args = ["--require", transpile, "--require", hook, main, "inventory", "approve", match, ...given];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    running.push(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => {
        said += part;
      });
    const ended = once(child, "close").then(([code, signal]) => ({ code, signal, said }));
    const reached = new Promise<void>((done) => {
      child.stdout.on("data", (part) => String(part).includes("AT RENAME") && done());
    });
    return { child, ended, reached };
  }
  const stopHere = 'fs.writeSync(1, "AT RENAME\\n"); process.kill(process.pid, "SIGSTOP")';

  it("given one that is killed, then the file stays as it was and the next run removes what is left", async () => {
    const { ended } = approve("https://a.example/a.js", 'process.kill(process.pid, "SIGKILL")');
    assert.equal((await ended).signal, "SIGKILL");
    assert.equal(text(), entries);
    assert.equal(files().length, 2, "nothing was left: the test shows nothing");
    const next = await approve("https://b.example/b.js").ended;
    assert.equal(next.code, 0, next.said);
    assert.deepEqual(files(), ["shop.yaml"]);
  });

  it("given what a process of the same number has left, as in containers, then it is replaced", () => {
    writeFileSync(join(folder, `${file}.${process.pid}.tmp`), "left behind");
    replaceInventory({ cwd: folder }, file, entries, "- match: https://c.example/c.js\n");
    assert.equal(text(), "- match: https://c.example/c.js\n");
    assert.deepEqual(files(), ["shop.yaml"]);
  });

  it("given one that is about to write, then another fails, says why and takes nothing from it", async () => {
    const first = approve("https://a.example/a.js", stopHere);
    await first.reached;
    const second = await approve("https://b.example/b.js").ended;
    assert.equal(second.code, 1, second.said);
    assert.match(
      second.said,
      /Failed to write inventory\/shop\.yaml: process \d+ is writing it\. Nothing was written/,
    );
    assert.equal(text(), entries);
    first.child.kill("SIGCONT");
    const { code, said } = await first.ended;
    assert.equal(code, 0, said);
    assert.match(text(), /a\.js # mine\n(?: .*\n)*\s+approved: \{ by: "?Ada/);
    assert.deepEqual(files(), ["shop.yaml"]);
  });

  it("given two at once, then at least one succeeds, and each that says so has its approval in the file", async () => {
    const matches = ["https://a.example/a.js", "https://b.example/b.js"];
    const both = await Promise.all(matches.map((match) => approve(match).ended));
    const { entries: written, faults } = parseInventory(text());
    assert.deepEqual(faults, []);
    assert.deepEqual(
      written.map(({ approved }) => approved !== undefined),
      both.map(({ code }) => code === 0),
    );
    assert.ok(both.some(({ code }) => code === 0));
    for (const { code, said } of both)
      if (code !== 0) assert.match(said, /process \d+ is writing it|someone else changed it/);
    assert.deepEqual(files(), ["shop.yaml"]);
  });
});
