import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, root, textOf } from "./source-files";

const readmes = [
  "README.md",
  ...[...filesBelow("docs"), ...filesBelow("examples")].filter(
    (path) => path.endsWith(".md") && !/node_modules|docs\/reference/.test(path),
  ),
];

/** Shell blocks and inline code name commands of npm. */
const npmScript = /\bnpm (?:run (?:--silent )?([\w:-]+)|(test)\b)/g;

describe("What the documents promise", () => {
  it("given a relative link, then there is such a file", () => {
    const dead = readmes.flatMap((path) =>
      linksIn(textOf(path))
        .filter((target) => !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path} links to ${target}`),
    );
    assert.deepEqual(dead, [], "these links lead nowhere");
  });

  it("given a test by its path, then there is such a file", () => {
    const dead = readmes.flatMap((path) =>
      [...textOf(path).matchAll(/`(test\/[\w./-]+)/g)]
        .map(([, named = ""]) => named)
        .filter((named) => !existsSync(join(root, named)))
        .map((named) => `${path} names ${named}`),
    );
    assert.deepEqual(dead, [], "these tests are not there");
  });

  it("given the refusals of the migration, then the README's table is the one that is held against the CLI", () => {
    const rows = textOf("README.md")
      .split("\n")
      .filter((line) => /^\| .*(?:destroy|replace|removed|changed|alias|validation)/.test(line))
      .filter((line) => line.includes("``"));
    const held = textOf("docs/waf-migration-refusals.md");
    assert.ok(rows.length >= 15, `${rows.length} rows`);
    assert.deepEqual(
      rows.filter((row) => !held.includes(row)),
      [],
      "these rows are held by no test",
    );
  });

  it("given a command of npm, then the package.json beside the document or at the root has it", () => {
    const unknown = readmes.flatMap((path) => {
      const scripts = [...scriptsOf("package.json"), ...scriptsOf(join(dirname(path), "package.json"))];
      return [...textOf(path).matchAll(npmScript)]
        .map(([, named, test]) => named ?? test ?? "")
        .filter((name) => !scripts.includes(name))
        .map((name) => `${path} names npm run ${name}`);
    });
    assert.deepEqual(unknown, [], "these are no scripts of that package.json");
  });

  it("given an environment variable of ours, then the sources read it", () => {
    const sources = filesBelow("provider/src").map(textOf).join("\n");
    const unread = readmes.flatMap((path) =>
      [...new Set(textOf(path).match(/\bPAGE_GUARD_[A-Z0-9_]+/g))]
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))
        .map((name) => `${path} names ${name}`),
    );
    assert.deepEqual(unread, [], "nothing reads these variables");
  });

  it("would notice a link, a script and a variable that is none", () => {
    assert.deepEqual(linksIn("[a](docs/a.md), [b](b.md#part), [c](https://c.example), [d](#d)"), [
      "docs/a.md",
      "b.md",
    ]);
    assert.equal([..."`npm run nothing` and npm test".matchAll(npmScript)].length, 2);
  });
});

/** Targets of links to files of the repository, without their fragments. */
function linksIn(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ""));
}

function scriptsOf(path: string): string[] {
  if (!existsSync(join(root, path))) return [];
  const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(textOf(path));
  return Object.keys(scripts);
}
