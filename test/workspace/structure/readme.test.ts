import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, root, sourceFiles, textOf } from "./source-files";

const readmes = [
  ...["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"],
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

  it("given a link to a part of a page, then the page has that heading", () => {
    const dead = readmes.flatMap((path) =>
      [...textOf(path).matchAll(/\]\(([\w./-]*\.md|)#([^)]+)\)/g)]
        .map(([, page = "", part = ""]) => ({ page: page === "" ? path : join(dirname(path), page), part }))
        .filter(({ page, part }) => !headingsOf(textOf(page)).includes(part))
        .map(({ page, part }) => `${path} links to ${page}#${part}`),
    );
    assert.deepEqual(dead, [], "these headings are not there");
    assert.deepEqual(headingsOf("# A `b-c`: d\ntext\n## E f?"), ["a-b-c-d", "e-f"]);
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

  it("given the README, then it is read in one go", () => {
    const lines = textOf("README.md").split("\n").length - 1;
    assert.ok(lines <= 160, `README.md has ${lines} lines, and may have 160: move the details to docs/`);
  });

  it("given a picture, then it is there, for light and dark, and small", () => {
    const pictures = picturesIn(textOf("README.md"));
    const shown = ["review", "report"].flatMap((name) => [`${name}-dark.png`, `${name}-light.png`]);
    assert.deepEqual(
      pictures,
      shown.map((name) => `docs/images/${name}`),
    );
    for (const path of pictures) {
      const png = readFileSync(join(root, path));
      assert.equal(png.toString("latin1", 1, 4), "PNG", path);
      assert.ok(png.length < 150_000, `${path} has ${png.length} bytes`);
    }
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
    const sources = sourceFiles().map(textOf).join("\n");
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
    assert.deepEqual(picturesIn('<source srcset="a.png"> <img width="1" src="b.png">'), ["a.png", "b.png"]);
    assert.equal([..."`npm run nothing` and npm test".matchAll(npmScript)].length, 2);
  });
});

/** Targets of links to files of the repository, without their fragments. */
function linksIn(markdown: string): string[] {
  return [
    ...[...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target),
    ...picturesIn(markdown),
  ]
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ""));
}

/** The anchors that a forge gives them. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replace(/ /g, "-"),
  );
}

/** What `<img>` and `<source>` show. */
function picturesIn(markdown: string): string[] {
  return [...markdown.matchAll(/<(?:img|source)\b[^>]* src(?:set)?="([^"]+)"/g)].map(
    ([, target = ""]) => target,
  );
}

function scriptsOf(path: string): string[] {
  if (!existsSync(join(root, path))) return [];
  const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(textOf(path));
  return Object.keys(scripts);
}
