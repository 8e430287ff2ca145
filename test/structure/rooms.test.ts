import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { circlesOf, type ImportGraph, importGraph } from "./import-graph";
import { filesBelow, textOf } from "./source-files";

/**
 * The rooms of provider/src from the top to the ground: each imports only from itself, from its own line and from the
 * lines below it.
 */
const floors: readonly (readonly string[])[] = [
  ["index.ts", "runtime.ts", "policy.ts"],
  ["cli", "plugin", "policy-packs"],
  ["reports"],
  ["resources"],
  ["policies", "waf-rules", "inventory"],
  ["declaration"],
  ["lifecycle"],
  ["functions"],
  ["zone"],
  ["csp"],
  ["api"],
  ["simulator"],
  ["internals"],
  ["errors", "text"],
];

/** A file that is longer holds more than one idea. */
const mostLines = 400;

/** What is still to be parted: to be emptied, never to be added to. */
const stillInCircles: readonly string[] = [];
const stillPointingUp: readonly string[] = [];
const stillTooLong: readonly string[] = [];

describe("The rooms of provider/src", () => {
  let graph: ImportGraph;

  before(() => {
    graph = importGraph();
  });

  it("are on the floors that the design names", () => {
    const unknown = [...graph.keys()].filter((file) => floorOf(file) < 0);
    assert.deepEqual(unknown, [], "give a new room its place among the floors of this test");
  });

  it("stand in no circle, type imports included", () => {
    const circles = circlesOf(graph).map((files) =>
      files.filter((file) => !stillInCircles.includes(basename(file))),
    );
    assert.deepEqual(
      circles.filter((files) => files.length > 0),
      [],
      "each of these files imports itself by way of the others: hand on what is needed, or part what has two sides",
    );
  });

  it("import only from the floors below", () => {
    const upwards = [...graph]
      .filter(([file]) => !stillPointingUp.includes(basename(file)))
      .flatMap(([file, targets]) =>
        targets
          .filter((target) => graph.has(target) && floorOf(target) < floorOf(file))
          .map((target) => `${file} imports ${target}`),
      );
    assert.deepEqual(upwards, [], "the room above hands it down, or it belongs further down");
  });

  it(`have no file of more than ${mostLines} lines`, () => {
    const long = filesBelow("provider/src")
      .filter((file) => !stillTooLong.some((end) => file.endsWith(end)))
      .map((file) => ({ file, lines: textOf(file).split("\n").length - 1 }))
      .filter(({ lines }) => lines > mostLines)
      .map(({ file, lines }) => `${file} has ${lines} lines`);
    assert.deepEqual(long, [], "part it by what it decides");
  });
});

describe("The import graph that these rules look at", () => {
  const folders: string[] = [];

  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it("sees imports, re-exports, types, typeof import() and require", () => {
    const graph = graphOf({
      "a.ts": 'import { b } from "./b";\nexport * from "./inner";\nimport type { C } from "./c";\n',
      "b.ts": 'const c = require("./c") as typeof import("./d");\nimport "undici";\n',
      "c.ts": 'export type C = import("./d").D;\n',
      "d.ts": 'const lazy = () => import("node:fs");\n',
      "inner/index.ts": "",
    });
    assert.deepEqual(Object.fromEntries([...graph].map(([file, targets]) => [file, [...targets].sort()])), {
      "src/a.ts": ["src/b.ts", "src/c.ts", "src/inner/index.ts"],
      "src/b.ts": ["src/c.ts", "src/d.ts", "undici"],
      "src/c.ts": ["src/d.ts"],
      "src/d.ts": ["node:fs"],
      "src/inner/index.ts": [],
    });
  });

  it("finds circles of two, of many and of a file with itself, and nothing else", () => {
    const graph = new Map([
      ["alone", ["below"]],
      ["below", ["node:fs"]],
      ["one", ["two", "below"]],
      ["two", ["one"]],
      ["first", ["second", "one"]],
      ["second", ["third", "below"]],
      ["third", ["first"]],
      ["self", ["self"]],
    ]);
    assert.deepEqual(circlesOf(graph), [["first", "second", "third"], ["one", "two"], ["self"]]);
  });

  it("finds the one edge that closes a circle by a type", () => {
    const chain = { "a.ts": 'import "./b";\n', "b.ts": 'import "./c";\n', "c.ts": "" };
    assert.deepEqual(circlesOf(graphOf(chain)), []);
    const closed = { ...chain, "c.ts": 'let a: typeof import("./a");\n' };
    assert.deepEqual(circlesOf(graphOf(closed)), [["src/a.ts", "src/b.ts", "src/c.ts"]]);
  });

  function graphOf(files: Readonly<Record<string, string>>): ImportGraph {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-graph-"));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, "src", name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return importGraph("src", folder);
  }
});

describe("The rooms of test/", () => {
  it("say in a README what they are for, where they hold no tests but what tests need", () => {
    const files = filesBelow("test");
    const rooms = [...new Set(files.map((file) => file.split("/")[1] ?? ""))];
    const unexplained = rooms.filter((room) => {
      const inside = files.filter((file) => file.startsWith(`test/${room}/`));
      return !inside.some((file) => file.endsWith(".test.ts") || file === `test/${room}/README.md`);
    });
    assert.deepEqual(unexplained, [], "write test/<room>/README.md: what it gives, and how a story uses it");
  });
});

function floorOf(file: string): number {
  const room = file.replace("provider/src/", "").split("/")[0] ?? "";
  return floors.findIndex((rooms) => rooms.includes(room));
}
