import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, root, sourceFiles, textOf } from "./source-files";

const documents = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const readmes = [...documents, ...filesBelow("docs"), ...filesBelow("examples")].filter(
  (path) => path.endsWith(".md") && !/node_modules|docs\/reference/.test(path),
);

/** Shell blocks and inline code, which name commands of npm. */
const npmScript = /\bnpm (?:run (?:--silent )?([\w:-]+)|(test)\b)/g;

/** Returns the names in all documents that do not exist, each with its document. */
function dead(
  named: (text: string, path: string) => string[],
  isThere: (what: string, path: string) => boolean,
) {
  return readmes.flatMap((path) =>
    named(textOf(path), path).flatMap((what) => (isThere(what, path) ? [] : [`${path} names ${what}`])),
  );
}

const isFile = (what: string, path: string) => existsSync(join(root, dirname(path), what));

describe("The documents", () => {
  it("given a relative link, then the file exists", () => {
    assert.deepEqual(dead(linksIn, isFile), []);
    const links = linksIn("[a](docs/a.md), [b](b.md#part), [c](https://c.example), [d](#d)");
    assert.deepEqual(links, ["docs/a.md", "b.md"]);
  });

  it("given a link to a part of a page, then the page has that heading", () => {
    const parts = (text: string) =>
      [...text.matchAll(/\]\(([\w./-]*\.md|)#([^)]+)\)/g)].map(([, page, part]) => `${page}#${part}`);
    const isHeading = (link: string, path: string) => {
      const [page = "", part = ""] = link.split("#");
      return headingsOf(textOf(page === "" ? path : join(dirname(path), page))).includes(part);
    };
    assert.deepEqual(dead(parts, isHeading), []);
    assert.deepEqual(headingsOf("# A `b-c`: d\ntext\n## E f?"), ["a-b-c-d", "e-f"]);
  });

  it("given the path of a test, then the file exists", () => {
    const tests = (text: string) => [...text.matchAll(/`(test\/[\w./-]+)/g)].map(([, path = ""]) => path);
    const gone = dead(tests, (path) => existsSync(join(root, path)));
    assert.deepEqual(gone, []);
  });

  it("given the README, then it is short enough to read at once", () => {
    const lines = textOf("README.md").split("\n").length - 1;
    assert.ok(lines <= 160, `README.md has ${lines} lines, and may have 160: move the details to docs/`);
  });

  it("given a picture, then it exists for light and dark, and is small", () => {
    const shown = ["review", "report"].flatMap((name) => [`${name}-dark.png`, `${name}-light.png`]);
    const pictures = picturesIn(textOf("README.md"));
    const expected = shown.map((name) => `docs/images/${name}`);
    assert.deepEqual(pictures, expected);
    for (const path of pictures) {
      const png = readFileSync(join(root, path));
      assert.equal(png.toString("latin1", 1, 4), "PNG", path);
      assert.ok(png.length < 150_000, `${path} has ${png.length} bytes`);
    }
  });

  it("given a command of npm, then the package.json beside the document or at the root has it", () => {
    const scripts = (text: string) =>
      [...text.matchAll(npmScript)].map(([, named, test]) => named ?? test ?? "");
    const isScript = (name: string, path: string) =>
      ["package.json", join(dirname(path), "package.json")].some((file) => scriptsOf(file).includes(name));
    assert.deepEqual(dead(scripts, isScript), []);
    assert.deepEqual(scripts("`npm run nothing` and npm test"), ["nothing", "test"]);
  });

  it("given an environment variable of ours, then the sources read it", () => {
    const sources = sourceFiles().map(textOf).join("\n");
    const variables = (text: string) => [...new Set(text.match(/\bPAGE_GUARD_[A-Z0-9_]+/g))];
    const unknown = dead(variables, (name) => new RegExp(`\\b${name}\\b`).test(sources));
    assert.deepEqual(unknown, []);
  });
});

/** Returns the targets of links to files of the repository, without their fragments. */
function linksIn(markdown: string): string[] {
  const links = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return [...links, ...picturesIn(markdown)]
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ""));
}

/** Returns the anchors that a forge gives the headings. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replace(/ /g, "-"),
  );
}

/** Returns the files that `<img>` and `<source>` show. */
function picturesIn(markdown: string): string[] {
  const images = markdown.matchAll(/<(?:img|source)\b[^>]* src(?:set)?="([^"]+)"/g);
  return [...images].map(([, target = ""]) => target);
}

function scriptsOf(path: string): string[] {
  if (!existsSync(join(root, path))) return [];
  const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(textOf(path));
  return Object.keys(scripts);
}
