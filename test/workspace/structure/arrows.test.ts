import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path/posix";
import ts from "typescript";
import { filesBelow, packages, sourceFiles, textOf } from "./source-files";

/** Entry points of our other packages that each package may import, by its folder. */
const doors: Readonly<Record<(typeof packages)[number], readonly string[]>> = {
  csp: [],
  provider: ["page-guard-csp"],
  command: ["page-guard-csp", "pulumi-page-guard/tools", "pulumi-page-guard/policy"],
  simulator: [],
};

/** Folders of provider/src from the top to the bottom: each imports only from its own line and from the lines below it. */
const rooms: readonly (readonly string[])[] = [
  ["index.ts", "runtime.ts", "policy.ts", "tools.ts"],
  ["plugin", "policy-packs"],
  ["resources"],
  ["declaration"],
  ["lifecycle"],
  ["functions"],
  ["model"],
  ["api"],
  ["declaration/internals", "csp.ts", "lazy-csp.ts"],
  ["errors", "text"],
];

/** Maximum number of lines, because a longer file contains more than one idea. */
const mostLines = 400;

const sources = sourceFiles();

/** All imports of each source, also those in types: packages, and paths from the root of the repository. */
const imports = new Map(sources.map((file) => [file, importsOf(file)]));

describe("The imports between sources", () => {
  for (const name of packages) {
    it(`lead from ${name}/ only to the packages in its package.json, and to the entry points in the design`, () => {
      const manifest = JSON.parse(textOf(`${name}/package.json`));
      const { dependencies, devDependencies, peerDependencies } = manifest;
      const named = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
      const used = [...imports]
        // The SDK includes the packages that internals use.
        .filter(
          ([file]) =>
            file.startsWith(`${name}/src/`) && !file.startsWith("provider/src/declaration/internals/"),
        )
        .flatMap(([, targets]) => targets)
        .filter((target) => !target.startsWith(`${name}/src/`) && !isBuiltin(target));
      const foreign = used.filter((target) =>
        /page-guard/.test(target)
          ? !doors[name].includes(target)
          : !named.some((one) => target === one || target.startsWith(`${one}/`)),
      );
      assert.deepEqual(foreign, []);
      const ofOurs = new Set(doors[name].map((door) => door.split("/")[0] ?? ""));
      const namedOfOurs = named.filter((one) => /page-guard/.test(one)).sort();
      assert.deepEqual(namedOfOurs, [...ofOurs].sort(), "package.json names our packages that are used");
    });
  }

  it("lead from the command to at most 60 names of the provider, each with its purpose on its line", () => {
    const lines = textOf("provider/src/tools.ts").split("\n");
    const names = lines.filter((line) => /^ {2}(type )?\w+,|^export (type )?\{ (type )?\w+ \}/.test(line));
    assert.ok(
      names.length > 50 && names.length <= 60,
      `${names.length}: answer the question in the provider`,
    );
    const unexplained = names.filter((line) => !/ \/\/ .+\.$/.test(line));
    assert.deepEqual(unexplained, []);
  });

  it("lead from no file of csp/ to Node", () => {
    const impure = [...imports].filter(([file, to]) => file.startsWith("csp/") && to.some(isBuiltin));
    assert.deepEqual(impure, []);
  });

  it("lead down the folders of provider/src", () => {
    const upwards = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => target.startsWith("provider/src/") && floorOf(target) < floorOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    assert.deepEqual(upwards, [], "the room above hands it down, or it belongs further down");
    const unknown = sources.filter((file) => file.startsWith("provider/") && floorOf(file) < 0);
    assert.deepEqual(unknown, [], "give a new room its place in this test");
  });

  it("have no cycles, including type imports", () => {
    const left = new Map(imports);
    const ends = () => [...left].filter(([, targets]) => !targets.some((target) => left.has(target)));
    for (let found = ends(); found.length > 0; found = ends()) for (const [file] of found) left.delete(file);
    const circle = [...left.keys()];
    assert.deepEqual(circle, [], "each of these files imports itself by way of others, or such a file");
  });
});

describe("A source", () => {
  it(`has at most ${mostLines} lines`, () => {
    const long = sources.filter((file) => textOf(file).split("\n").length - 1 > mostLines);
    assert.deepEqual(long, [], "part it by what it decides");
  });

  it("does not use URL.canParse, whose answers become wrong in Node 20 once it is optimised", () => {
    const asking = sources.filter((file) => /\bcanParse\(/.test(textOf(file)));
    assert.deepEqual(asking, [], "use parseUrl");
  });
});

describe("The folders of test/", () => {
  it("have a README that says their purpose if they contain helpers but no tests", () => {
    const files = filesBelow("test");
    const all = [...new Set(files.map((file) => file.split("/")[1] ?? ""))];
    const unexplained = all.filter((room) => {
      const inside = files.filter((file) => file.startsWith(`test/${room}/`));
      return !inside.some((file) => file.endsWith(".test.ts") || file === `test/${room}/README.md`);
    });
    assert.deepEqual(unexplained, [], "write test/<room>/README.md: what it gives, and how a story uses it");
  });
});

function importsOf(file: string): string[] {
  return ts.preProcessFile(textOf(file), true, true).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith(".")) return fileName;
    const path = join(dirname(file), fileName);
    return [path, `${path}.ts`, `${path}/index.ts`].find((one) => sources.includes(one)) ?? path;
  });
}

function floorOf(file: string): number {
  const [, room = ""] = /^provider\/src\/(declaration\/internals|[^/]+)/.exec(file) ?? [];
  return rooms.findIndex((floor) => floor.includes(room));
}
