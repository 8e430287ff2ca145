import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./support/machine";

/** A repository as small as it can be, with one of everything that can lead from a file to a test. */
const files = {
  "provider/src/index.ts": 'export * from "./policy";\n',
  "provider/src/runtime.ts": "",
  "provider/src/policy.ts": 'import { parse } from "./parse";\nexport const policy = parse;\n',
  "provider/src/parse.ts":
    'import type { Shape } from "./shape";\nexport const parse = (text: string): Shape => text;\n',
  "provider/src/shape.ts": "export type Shape = string;\n",
  "tools/demo.mjs": "",
  "docs/table.md": "",
  "test/csp/parse.test.ts": 'import { parse } from "../../provider/src/parse";\n',
  "test/csp/built.test.ts": 'const { policy } = require("pulumi-page-guard");\n',
  "test/csp/table.test.ts": 'import { join } from "node:path";\nreadFileSync(join(root, "docs/table.md"));\n',
  "test/setup/demo.test.ts": 'spawn("node", ["tools/demo.mjs"]);\n',
  "test/real-engine/story.ts": 'join(__dirname, "program.js");\n',
  "test/real-engine/program.js": 'require("pulumi-page-guard");\n',
  "test/engine/life.test.ts": 'import { begin } from "../real-engine/story";\n',
  "test/structure/rooms.test.ts": "",
};

describe("npm test -- --changed: the tests that a change can reach", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-changed-"));
    for (const [path, text] of Object.entries(files)) write(path, text);
    git("init", "--quiet");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--quiet", "-m", "all");
  });

  afterEach(() => git("checkout", "--quiet", "."));

  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [path, expected, untold] of [
    [
      "provider/src/parse.ts",
      ["test/csp/built.test.ts", "test/csp/parse.test.ts"],
      ["test/engine/life.test.ts"],
    ],
    ["provider/src/shape.ts", [], []],
    ["docs/table.md", ["test/csp/table.test.ts"], []],
    ["tools/demo.mjs", ["test/setup/demo.test.ts"], []],
    ["test/csp/parse.test.ts", ["test/csp/parse.test.ts"], []],
    ["test/real-engine/program.js", ["test/engine/life.test.ts"], []],
  ] as const) {
    it(`${path} is reached from ${expected.length === 0 ? "none" : expected.join(" and ")}`, async () => {
      write(path, "// edited\n");
      const chosen = await changedTests();
      assert.deepEqual(chosen.files, [...expected, "test/structure/rooms.test.ts"].sort());
      assert.deepEqual(chosen.untold, untold);
    });
  }

  it("nothing is reached when nothing has changed", async () => {
    assert.deepEqual(await changedTests(), { files: [], untold: [] });
  });

  it("everything is reached by what decides over everything, also before git knows it", async () => {
    write("tsconfig.json", "{}");
    assert.equal(
      (await changedTests()).files.length,
      Object.keys(files).filter((path) => path.endsWith(".test.ts")).length,
    );
    rmSync(join(folder, "tsconfig.json"));
  });

  async function changedTests(): Promise<{ files: string[]; untold: string[] }> {
    const tool: { changedTests(root: string): { files: string[]; untold: string[] } } = await import(
      pathToFileURL(join(root, "tools/test/changed.mjs")).href
    );
    const { files: chosen, untold } = tool.changedTests(folder);
    return { files: chosen.sort(), untold: untold.sort() };
  }

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function git(...args: readonly string[]): void {
    execFileSync("git", args, { cwd: folder });
  }
});

describe("npm test -- --watch", () => {
  it("runs what a saved file can reach, and ends on Ctrl+C", async () => {
    const args = ["tools/test.mjs", "--watch", "--grep", "The import graph"];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "close");
    let said = "";
    const says = async (text: string): Promise<void> => {
      while (!said.includes(text)) {
        assert.equal(child.exitCode, null, said);
        await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), ended]);
      }
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    }
    await says("Watching provider/src, test and tools");
    utimesSync(join(root, "test/structure/rooms.test.ts"), new Date(), new Date());
    await says("passed, 0 failed");
    assert.match(said, /\ntest\/structure\/rooms\.test\.ts\n/);
    assert.match(said, /finds circles of two/);
    child.kill("SIGINT");
    const [code] = await ended;
    assert.equal(code, 0, said);
  });
});

describe("npm test: where its time went", () => {
  interface Tool {
    summary(run: object): string[];
    together(first: object, second: object): object;
  }

  it("names the slowest stories and what share was spent on what", async () => {
    const { summary }: Tool = await import(pathToFileURL(join(root, "tools/test/summary.mjs")).href);
    const took = Array.from({ length: 12 }, (_, index) => ({
      title: `story ${index}`,
      ms: 1000 * (index + 1),
    }));
    const spent = { engine: { count: 20, ms: 39_000 }, npm: { count: 2, ms: 7800 } };
    const lines = summary({ took, spent, wallMs: 41_000, cpuMs: 60_000 });
    assert.equal(lines[1], "    12 s  story 11");
    assert.ok(!lines.some((line) => line.endsWith(" story 1")), "ten of them");
    assert.ok(
      lines.includes(
        "Of 78 s in tests, 50 % 20 runs of the engine (1.9 s each), 10 % 2 npm and pnpm installs.",
      ),
    );
    assert.ok(lines.includes("In all it took 41 s and 60 s of processor time."));
  });

  it("adds up what two runs of mocha have reported", async () => {
    const { together }: Tool = await import(pathToFileURL(join(root, "tools/test/summary.mjs")).href);
    const [one, two] = [
      { title: "a", ms: 1 },
      { title: "b", ms: 2 },
    ];
    const npm = { count: 1, ms: 5, files: { x: {} } };
    const first = { passed: 3, failed: 0, skipped: [], took: [one], problems: ["p"], spent: { npm } };
    const engine = { count: 2, ms: 9, files: { y: {} } };
    const second = {
      passed: 4,
      failed: 2,
      skipped: ["s"],
      took: [two],
      problems: [],
      spent: { npm, engine },
    };
    assert.deepEqual(together({ ...first, wallMs: 10, cpuMs: 20 }, { ...second, wallMs: 1, cpuMs: 2 }), {
      ...{ passed: 7, failed: 2, skipped: ["s"], took: [one, two], problems: ["p"], wallMs: 11, cpuMs: 22 },
      spent: { npm: { count: 2, ms: 10, files: { x: {} } }, engine },
    });
  });

  it("says nothing of a short run", async () => {
    const { summary }: Tool = await import(pathToFileURL(join(root, "tools/test/summary.mjs")).href);
    assert.deepEqual(
      summary({ took: [{ title: "a", ms: 900 }], spent: {}, wallMs: 2_000, cpuMs: 1_000 }),
      [],
    );
  });
});
