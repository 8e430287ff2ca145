import assert from "node:assert/strict";
import ts from "typescript";
import { findMeaning } from "../../../command/src/documents/finding-meanings";
import { findingTable } from "../../../provider/src/errors/findings";
import { missing, withTable } from "../../../tools/docs/findings-page";
import { filesBelow, sourceFiles, textOf } from "./source-files";

const fields = ["code", "severity", "zone", "urn", "property", "text", "data", "file", "line"];

describe("The codes of findings, on which pipelines depend", () => {
  const page = textOf("docs/findings.md");

  it("are in docs/findings.md as in the table of the sources, with the fields of a finding", () => {
    assert.equal(page, withTable(page, findingTable), "run `npm run findings`");
    for (const code of Object.keys(findingTable)) assert.ok(page.includes(`\n| \`${code}\` | `), code);
    assert.ok(!page.includes(missing), "write the way out into the page");
    for (const field of fields) assert.ok(page.includes(`\`${field}\``), field);
  });

  it("are all reported somewhere in the sources", () => {
    const sources = sourceFiles().filter((path) => !/errors\/findings/.test(path));
    const made = new Set(sources.flatMap((path) => valuesIn(textOf(path))));
    const unmade = Object.keys(findingTable).filter((code) => !made.has(code));
    assert.deepEqual(unmade, [], "nothing reports these: take them out of errors/findings.ts");
  });

  it("do not count as reported if the code only compares them", () => {
    const made = 'const a = { code: "made" }; f("given"); const b = x ? "one" : "other";';
    assert.deepEqual(valuesIn(made), ["made", "given", "one", "other"]);
    const asked = 'if (code === "a" || "b" !== code) f(["c"]); type D = "d"; switch (f) { case "f": }';
    assert.deepEqual(valuesIn(`${asked}; const e = { "e-e": 1 };`), []);
  });

  it("have a meaning, also if they are the name of a lint rule or of an error", () => {
    assert.match(findMeaning("csp-lint-http-source").means, /lint rule/);
    assert.match(findMeaning("PG_NOT_FOUND").means, /error/);
    assert.match(findMeaning("constructor").means, /error/);
  });
});

describe("The codes of errors, on which programs depend", () => {
  /** Codes with which errors are created: string literals and keys of tables, not words in comments and messages. */
  const made = new Set(
    sourceFiles().flatMap((path) =>
      [...textOf(path).matchAll(/(?:"|^\s+)(PG_[A-Z_]+)(?:"|: \()/gm)].map(([, code = ""]) => code),
    ),
  );

  it("are the only ones that sources and documents name", () => {
    const named = ["README.md", ...sourceFiles(), ...filesBelow("docs"), ...filesBelow("examples")]
      .filter((path) => /\.(ts|md)$/.test(path) && !/node_modules|docs\/reference/.test(path))
      .flatMap((path) => codesIn(textOf(path)).map((code) => `${code} in ${path}`));
    const unknown = named.filter((entry) => !made.has(entry.split(" ")[0] ?? ""));
    assert.deepEqual(unknown, [], "named, and no error has it");
  });

  it("are exactly those in the table of docs/errors.md", () => {
    assert.ok(made.size > 20, `${made.size} codes found`);
    assert.deepEqual(codesIn(textOf("docs/errors.md")).sort(), [...made].sort());
  });
});

function codesIn(text: string): string[] {
  return [...new Set(text.match(/\bPG_[A-Z]+(?:_[A-Z]+)*\b/g))];
}

const comparisons = [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken];

/** Returns string literals that are values: not types, keys, compared strings or strings to find in a list. */
function valuesIn(text: string): string[] {
  const values: string[] = [];
  const visit = (node: ts.Node, parent: ts.Node): void => {
    const isAsked =
      ts.isLiteralTypeNode(parent) ||
      ts.isArrayLiteralExpression(parent) ||
      ts.isCaseClause(parent) ||
      (ts.isPropertyAssignment(parent) && parent.name === node) ||
      (ts.isBinaryExpression(parent) && comparisons.some((kind) => kind === parent.operatorToken.kind));
    if (ts.isStringLiteral(node) && !isAsked) values.push(node.text);
    ts.forEachChild(node, (child) => visit(child, node));
  };
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest);
  visit(source, source);
  return values;
}
