import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { circlesOf, type ImportGraph, importGraph } from "./import-graph";
import { filesBelow, packages, sourceFiles, textOf } from "./source-files";

/** A package's folder to the packages of ours that it may use. */
const arrows: Readonly<Record<(typeof packages)[number], readonly string[]>> = {
  csp: [],
  provider: ["page-guard-csp"],
  command: ["page-guard-csp", "pulumi-page-guard"],
  simulator: [],
};

/** The doors of `pulumi-page-guard` that the command goes through. */
const doors = ["pulumi-page-guard/tools", "pulumi-page-guard/policy"];

/**
 * The rooms of provider/src from the top to the ground: each imports only from itself, from its own line and from the
 * lines below it.
 */
const floors: readonly (readonly string[])[] = [
  ["index.ts", "runtime.ts", "policy.ts", "tools.ts"],
  ["plugin", "policy-packs"],
  ["resources"],
  ["policies", "waf-rules"],
  ["declaration"],
  ["lifecycle"],
  ["functions"],
  ["zone"],
  ["api"],
  ["internals", "csp.ts", "lazy-csp.ts"],
  ["errors", "text"],
];

/** A file that is longer holds more than one idea. */
const mostLines = 400;

describe("The four packages", () => {
  for (const name of packages) {
    it(`${name} depends on what the design says, and imports nothing else`, () => {
      const { dependencies = {}, peerDependencies = {} } = JSON.parse(textOf(`${name}/package.json`));
      const allowed = Object.keys({ ...dependencies, ...peerDependencies });
      const ours = allowed.filter((one) => /page-guard/.test(one));
      assert.deepEqual(ours.sort(), [...arrows[name]].sort());
      const foreign = [...importGraph(`${name}/src`)].flatMap(([file, targets]) =>
        targets
          .filter((target) => !target.startsWith(`${name}/src/`) && !isBuiltin(target))
          .filter((target) => !allowed.some((one) => target === one || target.startsWith(`${one}/`)))
          .map((target) => `${file} imports ${target}`),
      );
      // What the SDK brings along, and `internals` alone uses.
      assert.deepEqual(
        foreign.filter((one) => !/internals\/.* (@grpc\/grpc-js$|google-protobuf\/)/.test(one)),
        [],
      );
    });
  }

  it("the command reaches the provider by its public doors", () => {
    const others = [...importGraph("command/src").values()]
      .flat()
      .filter((target) => target.startsWith("pulumi-page-guard") && !doors.includes(target));
    assert.deepEqual(others, []);
  });
});

describe("The rooms of the sources", () => {
  it("are on the floors that the design names", () => {
    const unknown = [...importGraph().keys()].filter((file) => floorOf(file) < 0);
    assert.deepEqual(unknown, [], "give a new room its place among the floors of this test");
  });

  it("stand in no circle, type imports included", () => {
    const circles = packages.flatMap((name) => circlesOf(importGraph(`${name}/src`)));
    assert.deepEqual(
      circles,
      [],
      "each of these files imports itself by way of the others: hand on what is needed, or part what has two sides",
    );
  });

  it("import only from the floors below", () => {
    const graph = importGraph();
    const upwards = [...graph].flatMap(([file, targets]) =>
      targets
        .filter((target) => graph.has(target) && floorOf(target) < floorOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    assert.deepEqual(upwards, [], "the room above hands it down, or it belongs further down");
  });

  it(`have no file of more than ${mostLines} lines`, () => {
    const long = sourceFiles()
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
