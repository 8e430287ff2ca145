import assert from "node:assert/strict";
import ts from "typescript";
import { sourceFiles, textOf } from "./source-files";

const folder = "provider/src/declaration/internals/";
const page = textOf("docs/decisions/0021-internals-of-others.md");

/** Paths inside packages that the packages document. */
const documented = [
  /^pulumi-page-guard\/(tools|policy)$/,
  /^csp_evaluator\/dist\//,
  /^third-party-web\/nostats-subset$/,
  /\/package\.json$/,
];

/** Rows of the table: the names of the first column, and the file that uses them. */
const rows = page
  .split("\n")
  .map((line) => line.split(" | "))
  .filter(([, file = ""]) => /^`[\w-]+\.ts`$/.test(file))
  .map(([what = "", file = ""]) => ({
    names: [...what.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    file: `${folder}${file.replaceAll("`", "")}`,
  }));

/** Names that are not searched for, because other code may use them for something else. */
const words = ["promise", "settings", "callbacks", "urn", "pulumi.log", "@grpc/grpc-js"];

/** Internals that the code used earlier and must not use again. */
const gone = ["Error.prepareStackTrace"];

describe("An undocumented part of the SDK", () => {
  const files = sourceFiles();
  const outside = files.filter((file) => !file.startsWith(folder));

  it("is used in its folder only by files that the table of the decision lists", () => {
    assert.ok(rows.length > 10);
    const inside = files.filter((file) => file.startsWith(folder));
    assert.deepEqual([...new Set(rows.map(({ file }) => file))].sort(), inside.sort());
  });

  it("is used by the file that the table names", () => {
    const missing = rows.flatMap(({ names, file }) =>
      names.filter((name) => !textOf(file).includes(name)).map((name) => `${file} has no ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  it("is used nowhere else", () => {
    const named = rows.flatMap((row) => row.names).filter((name) => !words.includes(name));
    const names = new Set([...named, ...gone]);
    const used = outside.flatMap((file) =>
      [...usesIn(textOf(file))].filter((use) => names.has(use)).map((use) => `${file}: ${use}`),
    );
    assert.deepEqual(used, [], `move the use to ${folder}, and give it its row in the decision`);
  });

  it("is not imported from an inner path of a package", () => {
    const deep = outside.flatMap((file) =>
      ts
        .preProcessFile(textOf(file), true, true)
        .importedFiles.map(({ fileName }) => fileName)
        .filter((name) => /^(@[^/]+\/)?[^./@][^/]*\/./.test(name) && !name.startsWith("node:"))
        .filter((name) => !documented.some((pattern) => pattern.test(name)))
        .map((name) => `${file} imports ${name}`),
    );
    assert.deepEqual(deep, []);
  });

  it("would be noticed by this test", () => {
    const text = `
      import { setFlagsFromString } from "node:v8";
      get(output, "isKnown"); process.argv[2]; Error.prepareStackTrace = f; const isKnown = 5; // "promise"
    `;
    const noticed = ["node:v8", "isKnown", "process.argv[2]", "process.argv", "Error.prepareStackTrace"];
    assert.deepEqual([...usesIn(text)], noticed);
  });
});

/** Returns quoted texts, properties, and elements by number. Leaves out names of our own variables. */
function usesIn(text: string): Set<string> {
  const uses = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) uses.add(node.text);
    if (ts.isElementAccessExpression(node) && ts.isNumericLiteral(node.argumentExpression))
      uses.add(node.getText());
    if (ts.isPropertyAccessExpression(node)) uses.add(node.getText());
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true));
  return uses;
}
